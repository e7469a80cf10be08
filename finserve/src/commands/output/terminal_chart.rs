//! A history as a curve in the terminal, drawn with Braille dots: two across and four down in every character.
use fincore::{
    Date,
    chrono::{Datelike, NaiveDate},
    printable,
};

use super::{
    api_answer::{Answer, Table, Value},
    screen::Screen,
};

/// Rows of characters.
const HEIGHT: usize = 12;

/// The fewest columns that a curve can be seen in.
const FEWEST: usize = 16;

/// The longest label of the vertical axis that is written out, which leaves most of a terminal to the curve.
const LONGEST_LABEL: usize = 16;

/// The bits of the eight dots of a character, by column and row, counted from the code point of the empty one.
const DOTS: [[u32; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];
const EMPTY: u32 = 0x2800;

/// One day of a history, its figure with the digits that were published.
struct Point<'a> {
    day: Date,
    digits: &'a str,
    value: f64,
}

/// The curve of the history in an answer; of quotes it is the sell side. `None` if the answer has no history.
pub(crate) fn chart(answer: &Answer, name: &str, screen: Screen) -> Option<String> {
    let points = points(answer.tables.first()?);
    let (first, last) = (points.first()?, points.last()?);
    let by_value = |a: &&Point<'_>, b: &&Point<'_>| a.value.total_cmp(&b.value);
    let (least, most) = (points.iter().min_by(by_value)?, points.iter().max_by(by_value)?);
    let scale = Scale::over(least.value, most.value);
    let decimals = points.iter().map(|point| decimals(point.digits)).max().unwrap_or(0);
    let labels: Vec<String> = scale.ticks().map(|tick| scale.label(tick, decimals)).collect();
    let margin = labels.iter().map(|label| label.chars().count()).max().unwrap_or(0);
    let columns = screen.columns().saturating_sub(margin + 3).max(FEWEST);

    let canvas = draw(&points, scale, columns);
    let mut text = title(answer, name, screen);
    for (row, line) in canvas.chunks(columns).enumerate() {
        let tick = scale.ticks().position(|tick| scale.row(tick) == row);
        let label = tick.map_or("", |at| &labels[at]);
        let axis = if tick.is_some() { '┤' } else { '│' };
        let dots: String = line.iter().map(|bits| dots(*bits)).collect();
        text += &format!("{label:>margin$} {axis}{}\n", screen.cyan(dots.trim_end()));
    }
    text += &format!("{:margin$} └{}\n", "", "─".repeat(columns));
    let (first_day, last_day) = (first.day.to_string(), last.day.to_string());
    let gap = columns.saturating_sub(first_day.len() + last_day.len());
    text += &match gap {
        0 => format!("{:margin$}  {first_day}\n", ""),
        _ => format!("{:margin$}  {first_day}{}{last_day}\n", "", " ".repeat(gap)),
    };
    let label = |word: &str, point: &Point<'_>| format!("{word} {} ({})", point.digits, point.day);
    let facts = [label("min", least), label("max", most), label("last", last)].join(", ");
    Some(text + &facts + "\n")
}

fn title(answer: &Answer, name: &str, screen: Screen) -> String {
    let about = [&answer.notes.unit, &answer.notes.source].into_iter().flatten();
    let about: Vec<String> = about.map(|text| printable(text).into_owned()).collect();
    let about = if about.is_empty() { String::new() } else { format!(", {}", about.join(", ")) };
    format!("{}{about}\n", screen.bold(&printable(name)))
}

/// The days of a history, oldest first.
fn points(table: &Table) -> Vec<Point<'_>> {
    let position = |name: &str| table.columns.iter().position(|column| column == name);
    let Some(day) = position("date") else { return Vec::new() };
    let Some(figure) = position("value").or_else(|| position("sell")) else { return Vec::new() };
    let point = |row: &'_ Vec<Value>| match (&row[day], &row[figure]) {
        (Value::Text(day), Value::Number(_)) => Some(day.parse().ok()?),
        _ => None,
    };
    let mut points: Vec<Point<'_>> = Vec::new();
    for row in &table.rows {
        if let (Some(day), Value::Number(digits)) = (point(row), &row[figure])
            && let Ok(value) = digits.parse::<f64>()
            && value.is_finite()
        {
            points.push(Point { day, digits, value });
        }
    }
    points.sort_by_key(|point| point.day);
    points
}

fn decimals(digits: &str) -> usize {
    digits.split_once('.').map_or(0, |(_, decimals)| decimals.len())
}

/// The vertical axis: it begins and ends with a round figure.
#[derive(Clone, Copy)]
struct Scale {
    /// The first tick, in steps.
    from: f64,
    steps: u8,
    step: f64,
}

impl Scale {
    fn over(least: f64, most: f64) -> Scale {
        // A flat curve gets room above and below.
        let span = if most > least { most - least } else { most.abs().max(1.0) };
        let rough = span / 5.0;
        let power = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 2.5, 5.0, 10.0].map(|round| round * power);
        let step = step.into_iter().find(|step| *step >= rough).unwrap_or(power * 10.0);
        let from = (least / step).floor();
        let to = (most / step).ceil().max(from + 1.0);
        // There are at most seven, because a step is at least a fifth of the span.
        let steps = (1..=8).find(|steps| f64::from(*steps) >= to - from).unwrap_or(8);
        Scale { from, steps, step }
    }

    fn ticks(self) -> impl Iterator<Item = u8> {
        0..=self.steps
    }

    fn label(self, tick: u8, decimals: usize) -> String {
        let value = (self.from + f64::from(tick)) * self.step;
        // As many digits as tell the ticks apart, and no more than the figures have.
        let digits = (0..=decimals)
            .find(|digits| {
                (self.step * 10f64.powi(i32::try_from(*digits).unwrap_or(0))).fract() < 1e-6
            })
            .unwrap_or(decimals);
        // Minus zero is no figure.
        let value = if value == 0.0 { 0.0 } else { value };
        let label = format!("{value:.digits$}");
        if label.len() <= LONGEST_LABEL { label } else { format!("{value:.1e}") }
    }

    /// The position of a figure between the lower end (0) and the upper end (1).
    fn position(self, value: f64) -> f64 {
        ((value / self.step - self.from) / f64::from(self.steps)).clamp(0.0, 1.0)
    }

    /// The row of characters in which a tick is, from above.
    fn row(self, tick: u8) -> usize {
        let below = f64::from(tick) / f64::from(self.steps);
        round((1.0 - below) * (to_f64(HEIGHT * 4) - 1.0)) / 4
    }
}

/// The bits of all characters, row by row.
fn draw(points: &[Point<'_>], scale: Scale, columns: usize) -> Vec<u32> {
    let (width, height) = (columns * 2, HEIGHT * 4);
    let number = |point: &Point<'_>| f64::from(NaiveDate::from(point.day).num_days_from_ce());
    let (first, last) = (points.first().map_or(0.0, number), points.last().map_or(0.0, number));
    let days = (last - first).max(1.0);
    let at = |point: &Point<'_>| {
        let across = (number(point) - first) / days * (to_f64(width) - 1.0);
        let down = (1.0 - scale.position(point.value)) * (to_f64(height) - 1.0);
        (across, down)
    };
    let mut canvas = vec![0; columns * HEIGHT];
    let mut dot = |(across, down): (f64, f64)| {
        let (x, y) = (round(across).min(width - 1), round(down).min(height - 1));
        canvas[y / 4 * columns + x / 2] |= DOTS[x % 2][y % 4];
    };
    points.iter().for_each(|point| dot(at(point)));
    for two in points.windows(2) {
        let (from, to) = (at(&two[0]), at(&two[1]));
        let (across, down) = (to.0 - from.0, to.1 - from.1);
        let dots = round(across.abs().max(down.abs()).ceil()).max(1);
        for part in 0..dots {
            let part = to_f64(part) / to_f64(dots);
            dot((from.0 + across * part, from.1 + down * part));
        }
    }
    canvas
}

fn dots(bits: u32) -> char {
    match bits {
        0 => ' ',
        bits => char::from_u32(EMPTY + bits).unwrap_or(' '),
    }
}

#[expect(clippy::cast_precision_loss, reason = "places on a screen are small")]
fn to_f64(number: usize) -> f64 {
    number as f64
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "places on a screen are small, and none is negative"
)]
fn round(number: f64) -> usize {
    number.round().max(0.0) as usize
}
