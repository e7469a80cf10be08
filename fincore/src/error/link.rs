//! Why a link cannot be made, as values.

/// Why a link cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinkFault {
    /// The key has as many links as it may.
    #[error("a key has at most {most} links; revoke one first")]
    TooMany {
        /// The most links of a key.
        most: usize,
    },
}
