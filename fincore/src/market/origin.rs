//! Where the figure of a row comes from: published, computed, or carried from the day before.
use serde::{Deserialize, Serialize};

/// Where the figure of a row comes from.
///
/// In JSON a row has `origin` only where it is not `published`; CSV and exports have the column in every row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// As its source published it.
    #[default]
    Published,
    /// Computed from another series, because no published figure is held.
    Computed,
    /// The figure of the day before, because no published figure is held.
    Carried,
}

impl Origin {
    /// `published`, `computed` or `carried`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Origin::Published => "published",
            Origin::Computed => "computed",
            Origin::Carried => "carried",
        }
    }

    /// Whether the figure is as its source published it.
    #[must_use]
    pub fn is_published(&self) -> bool {
        *self == Origin::Published
    }

    /// The origin of a stored row, by its column `computed`.
    pub(super) fn of_code(code: i64) -> Origin {
        match code {
            0 => Origin::Published,
            CARRIED => Origin::Carried,
            _ => Origin::Computed,
        }
    }
}

/// What the column `computed` holds for a figure that was carried; 1 is for one that was computed.
pub(crate) const CARRIED: i64 = 2;

/// How many of some rows are not as published.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct OriginCounts {
    pub(super) computed: u64,
    pub(super) carried: u64,
}

impl FromIterator<Origin> for OriginCounts {
    fn from_iter<I: IntoIterator<Item = Origin>>(origins: I) -> OriginCounts {
        origins.into_iter().fold(OriginCounts::default(), |mut counts, origin| {
            match origin {
                Origin::Published => (),
                Origin::Computed => counts.computed += 1,
                Origin::Carried => counts.carried += 1,
            }
            counts
        })
    }
}
