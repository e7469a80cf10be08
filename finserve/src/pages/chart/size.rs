//! How large a chart is.
use super::downsample::Every;

/// The size of a picture, in units of its own. The page scales it as a whole, so text keeps its shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Size {
    /// One of several on a page.
    Card,
    /// As wide as the page.
    Wide,
}

impl Size {
    pub(super) fn width(self) -> f64 {
        match self {
            Size::Card => 340.0,
            Size::Wide => 600.0,
        }
    }

    pub(super) fn height(self) -> f64 {
        match self {
            Size::Card => 164.0,
            Size::Wide => 240.0,
        }
    }

    /// Where the line with the unit and the chosen value stands.
    pub(super) fn headline(self) -> f64 {
        match self {
            Size::Card => 12.0,
            Size::Wide => 15.0,
        }
    }

    /// The plot starts below that line.
    pub(super) fn top(self) -> f64 {
        match self {
            Size::Card => 28.0,
            Size::Wide => 36.0,
        }
    }

    /// The plot ends above the labels of the horizontal axis.
    pub(super) fn bottom(self) -> f64 {
        match self {
            Size::Card => self.height() - 22.0,
            Size::Wide => self.height() - 31.0,
        }
    }

    /// Half of a short label fits beside the plot.
    pub(super) fn right(self) -> f64 {
        match self {
            Size::Card => self.width() - 20.0,
            Size::Wide => self.width() - 29.0,
        }
    }

    /// The width of a digit of an axis label, at the largest size that the style sheet gives it.
    pub(super) fn digit(self) -> f64 {
        match self {
            Size::Card => 7.4,
            Size::Wide => 10.6,
        }
    }

    /// The most intervals of the vertical axis.
    pub(super) fn intervals(self) -> f64 {
        match self {
            Size::Card => 4.0,
            Size::Wide => 6.0,
        }
    }

    /// How many points may show their value, and which ones do where there are more. A wide chart draws no others.
    pub(super) fn targets(self) -> (usize, &'static [Every]) {
        match self {
            Size::Card => (60, &[Every::Month, Every::Quarter, Every::Year]),
            Size::Wide => (600, &[Every::Week, Every::Month, Every::Quarter, Every::Year]),
        }
    }
}
