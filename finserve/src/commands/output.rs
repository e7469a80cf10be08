//! Prints answers of the API as tables, charts, CSV and JSON.
mod api_answer;
mod csv;
pub(crate) mod freshness_text;
mod screen;
mod table;
pub(crate) mod terminal;
mod terminal_chart;
#[cfg(test)]
mod tests;

pub(crate) use api_answer::{Answer, Corrected, Notes, Table, Value};
pub(crate) use csv::csv;
pub(crate) use screen::Screen;
pub(crate) use table::table;
pub(crate) use terminal_chart::chart;
