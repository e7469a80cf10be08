//! Calculated numbers: what the calculators and the transformations of series compute with.
pub(crate) mod figure;
pub(crate) mod fixed_point;
pub(crate) mod rational_power;
pub(crate) mod running_product;
pub(crate) mod sample;
