//! What the standard output leads to.
use std::{
    env,
    io::{self, IsTerminal},
};

use rustix::termios::tcgetwinsize;

/// How wide a chart is where nobody knows better, as terminals have been since punched cards.
const USUAL: usize = 80;

/// What is written to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Screen {
    pub(crate) is_terminal: bool,
    /// In characters; nothing where lines may be as long as they like.
    pub(crate) width: Option<usize>,
    pub(crate) colour: bool,
}

impl Screen {
    /// The standard output. `COLUMNS` names a width where there is no terminal; `NO_COLOR` and a dumb terminal want no colour.
    pub(crate) fn of_output() -> Screen {
        let output = io::stdout();
        let is_terminal = output.is_terminal();
        let set = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
        let named = set("COLUMNS").and_then(|columns| columns.parse().ok());
        let size = tcgetwinsize(&output).ok().map(|size| usize::from(size.ws_col));
        let size = size.filter(|columns| *columns > 0);
        let width = if is_terminal { size.or(named).or(Some(USUAL)) } else { named };
        let dumb = set("TERM").is_some_and(|name| name == "dumb");
        Screen { is_terminal, width, colour: is_terminal && !dumb && set("NO_COLOR").is_none() }
    }

    /// How wide something is that has no width of its own.
    pub(crate) fn columns(self) -> usize {
        self.width.unwrap_or(USUAL)
    }

    /// The text in bold letters, where there is colour.
    pub(crate) fn bold(self, text: &str) -> String {
        self.painted("1", text)
    }

    /// The text in cyan.
    pub(crate) fn cyan(self, text: &str) -> String {
        self.painted("36", text)
    }

    fn painted(self, code: &str, text: &str) -> String {
        if self.colour && !text.is_empty() {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }
}
