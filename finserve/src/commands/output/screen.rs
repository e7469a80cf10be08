//! Where the standard output goes: to a terminal of some width, or to a file or program.
use std::{
    env,
    io::{self, IsTerminal},
};

use rustix::termios::tcgetwinsize;

/// The width of a chart where the width of the output is unknown: that of most terminals.
const DEFAULT_WIDTH: usize = 80;

/// The standard output.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Screen {
    pub(crate) is_terminal: bool,
    /// In characters; `None` if lines may have any length.
    pub(crate) width: Option<usize>,
    pub(crate) colour: bool,
}

impl Screen {
    /// The standard output. `COLUMNS` names a width where there is no terminal; `NO_COLOR` and a dumb
    /// terminal turn colours off.
    pub(crate) fn of_output() -> Screen {
        let output = io::stdout();
        let is_terminal = output.is_terminal();
        let set = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
        let from_environment = set("COLUMNS").and_then(|columns| columns.parse().ok());
        let size = tcgetwinsize(&output).ok().map(|size| usize::from(size.ws_col));
        let size = size.filter(|columns| *columns > 0);
        let width = if is_terminal {
            size.or(from_environment).or(Some(DEFAULT_WIDTH))
        } else {
            from_environment
        };
        let dumb = set("TERM").is_some_and(|name| name == "dumb");
        Screen { is_terminal, width, colour: is_terminal && !dumb && set("NO_COLOR").is_none() }
    }

    /// The width of a chart.
    pub(crate) fn columns(self) -> usize {
        self.width.unwrap_or(DEFAULT_WIDTH)
    }

    /// The text in bold letters, where there is colour.
    pub(crate) fn bold(self, text: &str) -> String {
        self.paint("1", text)
    }

    /// The text in cyan.
    pub(crate) fn cyan(self, text: &str) -> String {
        self.paint("36", text)
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.colour && !text.is_empty() {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }
}
