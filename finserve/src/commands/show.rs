//! Answers of the API as people and programs want them: tables, charts, CSV and JSON.
mod answer;
mod chart;
mod csv;
mod screen;
mod table;
#[cfg(test)]
mod tests;

pub(crate) use answer::{Answer, Notes, Table, Value};
pub(crate) use chart::chart;
pub(crate) use csv::csv;
pub(crate) use screen::Screen;
pub(crate) use table::table;
