//! One line of the log.
use std::{
    fmt::{self, Write as _},
    io::Write as _,
    time::SystemTime,
};

use fincore::{
    Key,
    chrono::{DateTime, Utc},
};
use tracing::{
    Event, Level,
    field::{Field, Visit},
};

use super::Style;

/// A line that is being written; its memory is reused for the next one.
#[derive(Debug, Default)]
pub(super) struct Line {
    bytes: Vec<u8>,
    /// The text of a value before it is escaped.
    text: String,
    /// The second of `stamp`: most lines are of the same second as the line before.
    second: i64,
    stamp: String,
}

impl Line {
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Writes an event.
    pub(super) fn write(&mut self, style: Style, event: &Event<'_>) {
        self.write_fields(style, *event.metadata().level(), |fields| event.record(fields));
    }

    /// Writes a request.
    pub(super) fn write_request(&mut self, style: Style, fields: impl FnOnce(&mut Fields<'_>)) {
        self.write_fields(style, Level::INFO, |line| {
            line.plain(MESSAGE, "request");
            fields(line);
        });
    }

    fn write_fields(&mut self, style: Style, level: Level, fields: impl FnOnce(&mut Fields<'_>)) {
        self.bytes.clear();
        match style {
            Style::Plain => self.bytes.extend_from_slice(b"finserve:"),
            Style::Human => {
                self.time();
                self.bytes.extend_from_slice(b" ");
                self.bytes.extend_from_slice(name(level).0.as_bytes());
            }
            Style::Json => {
                self.bytes.extend_from_slice(b"{\"time\":\"");
                self.time();
                self.bytes.extend_from_slice(b"\",\"level\":\"");
                self.bytes.extend_from_slice(name(level).1.as_bytes());
                self.bytes.push(b'"');
            }
        }
        fields(&mut Fields { line: self, style });
        self.bytes.extend_from_slice(if style == Style::Json { b"}\n" } else { b"\n" });
    }

    /// The time in UTC, in milliseconds.
    fn time(&mut self) {
        let now = SystemTime::now();
        let (second, millis) = match now.duration_since(SystemTime::UNIX_EPOCH) {
            Ok(since) => (since.as_secs().cast_signed(), since.subsec_millis()),
            // Where a clock is set before 1970.
            Err(_) => {
                let now = DateTime::<Utc>::from(now);
                (now.timestamp(), now.timestamp_subsec_millis())
            }
        };
        if self.second != second || self.stamp.is_empty() {
            self.second = second;
            self.stamp.clear();
            let second = DateTime::from_timestamp(self.second, 0).unwrap_or_default();
            // Writing to a string cannot fail.
            let _ = write!(self.stamp, "{}", second.format("%Y-%m-%dT%H:%M:%S"));
        }
        self.bytes.extend_from_slice(self.stamp.as_bytes());
        let digit = |unit: u32| b'0' + u8::try_from(millis / unit % 10).unwrap_or_default();
        self.bytes.extend_from_slice(&[b'.', digit(100), digit(10), digit(1), b'Z']);
    }
}

/// The names of a level, for people and for programs.
fn name(level: Level) -> (&'static str, &'static str) {
    match level {
        Level::ERROR => ("ERROR", "error"),
        Level::WARN => ("WARN ", "warn"),
        Level::INFO => ("INFO ", "info"),
        Level::DEBUG => ("DEBUG", "debug"),
        Level::TRACE => ("TRACE", "trace"),
    }
}

/// The field that has no name in lines for people.
const MESSAGE: &str = "message";

/// Writes the fields of a line; its message comes first.
pub(crate) struct Fields<'l> {
    line: &'l mut Line,
    style: Style,
}

impl Fields<'_> {
    /// Writes a text in which nothing must be escaped.
    pub(crate) fn plain(&mut self, name: &str, text: &str) {
        self.name(name);
        let bytes = &mut self.line.bytes;
        let mark: &[u8] = if self.style == Style::Json { b"\"" } else { b"" };
        for part in [mark, text.as_bytes(), mark] {
            bytes.extend_from_slice(part);
        }
    }

    /// Writes the name of a field.
    fn name(&mut self, name: &str) {
        let bytes = &mut self.line.bytes;
        if self.style == Style::Json {
            bytes.extend_from_slice(b",\"");
            bytes.extend_from_slice(name.as_bytes());
            bytes.extend_from_slice(b"\":");
        } else {
            bytes.push(b' ');
            if name != MESSAGE {
                bytes.extend_from_slice(name.as_bytes());
                bytes.push(b'=');
            }
        }
    }

    fn text(&mut self, name: &str, text: &str) {
        self.name(name);
        let bytes = &mut self.line.bytes;
        if self.style == Style::Json {
            // Writing to memory cannot fail.
            let _ = serde_json::to_writer(bytes, text);
        } else if text.contains(char::is_control) {
            // Control characters are escaped, so that a message stays on one line.
            for c in text.chars() {
                let _ = if c.is_control() {
                    write!(bytes, "{}", c.escape_default())
                } else {
                    write!(bytes, "{c}")
                };
            }
        } else {
            bytes.extend_from_slice(text.as_bytes());
        }
    }

    pub(crate) fn number(&mut self, name: &str, number: impl itoa::Integer) {
        self.name(name);
        self.line.bytes.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
    }
}

impl Visit for Fields<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        if Key::may_be_in(value) {
            return self.text(field.name(), &Key::redact(value));
        }
        self.text(field.name(), value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.number(field.name(), value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.number(field.name(), value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.name(field.name());
        let _ = write!(self.line.bytes, "{value}");
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let mut text = std::mem::take(&mut self.line.text);
        text.clear();
        let _ = write!(text, "{value:?}");
        // A message may repeat text of a request, which may hold a key.
        if Key::may_be_in(&text) {
            text = Key::redact(&text);
        }
        self.text(field.name(), &text);
        self.line.text = text;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use tracing::{Metadata, Subscriber, span, subscriber::with_default};

    use super::*;

    /// Collects lines in a style.
    struct Lines(Style, Arc<Mutex<Vec<String>>>);

    impl Subscriber for Lines {
        fn enabled(&self, _: &Metadata<'_>) -> bool {
            true
        }
        fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
            span::Id::from_u64(1)
        }
        fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
        fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
        fn enter(&self, _: &span::Id) {}
        fn exit(&self, _: &span::Id) {}
        fn event(&self, event: &Event<'_>) {
            let mut line = Line::default();
            line.write(self.0, event);
            self.1.lock().unwrap().push(String::from_utf8(line.bytes().to_vec()).unwrap());
        }
    }

    fn line(style: Style, log: impl FnOnce()) -> String {
        let lines = Arc::new(Mutex::new(Vec::new()));
        with_default(Lines(style, lines.clone()), log);
        lines.lock().unwrap().pop().unwrap()
    }

    #[test]
    fn is_one_line_in_every_style() {
        let log = || tracing::warn!(route = "/a", bytes = 5_u64, "two\nlines \"{}\"", 7);
        assert_eq!(line(Style::Plain, log), "finserve: two\\nlines \"7\" route=/a bytes=5\n");
        let human = line(Style::Human, log);
        assert!(human.ends_with("Z WARN  two\\nlines \"7\" route=/a bytes=5\n"), "{human}");
        let json: serde_json::Value = serde_json::from_str(&line(Style::Json, log)).unwrap();
        assert_eq!(json["message"], "two\nlines \"7\"");
        assert_eq!((&json["level"], &json["bytes"]), (&"warn".into(), &5.into()));
        let time: DateTime<Utc> = json["time"].as_str().unwrap().parse().unwrap();
        assert!(time <= Utc::now());
    }

    #[test]
    fn a_request_is_written_as_its_event_would_be() {
        let event = || tracing::info!(id = "a-1", bytes = 5_u64, "request");
        for style in [Style::Plain, Style::Human, Style::Json] {
            let mut request = Line::default();
            request.write_request(style, |fields| {
                fields.plain("id", "a-1");
                fields.number("bytes", 5_u64);
            });
            let (request, event) = (String::from_utf8(request.bytes).unwrap(), line(style, event));
            let after_time =
                |line: &str| line.split_once('Z').map_or(line, |(_, rest)| rest).to_owned();
            assert_eq!(after_time(&request), after_time(&event));
        }
    }

    #[test]
    fn never_shows_a_key() {
        let key = Key::generate().unwrap();
        for style in [Style::Plain, Style::Human, Style::Json] {
            let in_message = || tracing::error!("{} is wrong", key.reveal());
            let in_field = || tracing::error!(given = key.reveal(), "a value is wrong");
            let logs: [&dyn Fn(); 2] = [&in_message, &in_field];
            for log in logs {
                let line = line(style, log);
                assert!(!line.contains(key.reveal()), "{line}");
            }
        }
    }
}
