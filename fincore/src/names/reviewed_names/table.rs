//! The type of the tables of reviewed names.

/// CVM code, name and the reason why the name is here.
pub(super) type ReviewedName = (u32, &'static str, &'static str);
