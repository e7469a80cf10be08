//! How large a chart is.
use super::downsample::Every;

/// The size of a picture, in units of its own. The page scales it as a whole, so text keeps its shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Size {
    /// One of several on a page.
    Card,
    /// The only one of a page.
    Wide,
}

impl Size {
    pub(super) fn width(self) -> f64 {
        match self {
            Size::Card => 340.0,
            Size::Wide => 480.0,
        }
    }

    pub(super) fn height(self) -> f64 {
        match self {
            Size::Card => 164.0,
            Size::Wide => 214.0,
        }
    }

    /// The plot ends above the labels of the horizontal axis.
    pub(super) fn bottom(self) -> f64 {
        self.height() - 22.0
    }

    /// The last label of the horizontal axis reaches a little beyond the plot.
    pub(super) fn right(self) -> f64 {
        self.width() - 14.0
    }

    /// The width of a digit of an axis label, at the largest size that the style sheet gives it.
    pub(super) fn digit(self) -> f64 {
        match self {
            Size::Card => 7.4,
            Size::Wide => 8.6,
        }
    }

    /// Axis labels this close to a side of the plot are aligned with it, because half of them would not fit.
    pub(super) fn half_label(self) -> f64 {
        match self {
            Size::Card => 28.0,
            Size::Wide => 34.0,
        }
    }

    /// How many points may show their value, and which ones do where there are more.
    pub(super) fn targets(self) -> (usize, &'static [Every]) {
        match self {
            Size::Card => (60, &[Every::Month, Every::Quarter, Every::Year]),
            Size::Wide => (270, &[Every::Week, Every::Month, Every::Quarter, Every::Year]),
        }
    }
}
