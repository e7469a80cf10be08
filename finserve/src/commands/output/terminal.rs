//! Writes to the standard output, and progress bars.
use std::{
    io::{self, Write},
    ops::ControlFlow,
    time::Duration,
};

use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use crate::commands::Failure;

/// Writes to the standard output. It is no failure if the reader has closed it.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    print_part(text).map(|_| ())
}

/// Writes a part of the output; breaks off if the reader has closed it.
pub(crate) fn print_part(text: &str) -> Result<ControlFlow<()>, Failure> {
    match io::stdout().write_all(text.as_bytes()) {
        Ok(()) => Ok(ControlFlow::Continue(())),
        Err(err) if err.kind() == io::ErrorKind::BrokenPipe => Ok(ControlFlow::Break(())),
        Err(err) => Err(Failure::system("cannot write to the standard output")(err)),
    }
}

pub(crate) fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    let json = serde_json::to_string_pretty(value).map_err(io::Error::from);
    let json = json.map_err(Failure::system("the answer cannot be written as JSON"))?;
    print(&format!("{json}\n"))
}

/// A bar of this many steps, drawn on a terminal only.
pub(crate) fn progress(steps: u64, unit: &str) -> ProgressBar {
    let style = format!("{{bar:30}} {{pos}}/{{len}} {unit}, {{elapsed}}  {{wide_msg}}");
    let style = ProgressStyle::with_template(&style).expect("the template is well formed");
    ProgressBar::new(steps).with_style(style)
}

/// A bar of this many bytes of a file, drawn on a terminal only.
pub(crate) fn bytes_progress(bytes: u64, name: &str) -> ProgressBar {
    let style = "{bar:30} {binary_bytes}/{binary_total_bytes}, {elapsed}  {wide_msg}";
    let style = ProgressStyle::with_template(style).expect("the template is well formed");
    ProgressBar::new(bytes).with_style(style).with_message(name.to_owned())
}

/// A progress bar over things whose number is not known yet; its clock goes on while nothing is counted.
pub(crate) fn items_progress(what: &'static str) -> ProgressBar {
    let style = "{bar:30} {human_pos}/{human_len}, {elapsed}  {wide_msg}";
    let style = ProgressStyle::with_template(style).expect("the template is well formed");
    // A length of zero would show a full bar.
    let progress = ProgressBar::new(1).with_style(style).with_message(what);
    progress.enable_steady_tick(Duration::from_millis(250));
    progress
}
