//! A request to a publisher, and what its answer means.
use fincore::{Date, downloads::Validators};
use serde_json::Value;

use super::date_windows::Window;

/// How this program names itself to publishers.
pub(super) const USER_AGENT: &str =
    concat!("finserve/", env!("CARGO_PKG_VERSION"), " (+keeps a copy of your open data)");

/// The publisher that a request goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Publisher {
    Sgs,
    Olinda,
    Ptax,
    Cvm,
}

impl Publisher {
    /// Its name in messages.
    pub(super) fn name(self) -> &'static str {
        match self {
            Publisher::Sgs => "SGS",
            Publisher::Olinda => "Olinda",
            Publisher::Ptax => "PTAX",
            Publisher::Cvm => "CVM",
        }
    }

    /// The most bytes of one answer, decompressed. The longest series has 2 MB, the largest archive of CVM
    /// some 100.
    pub(super) fn most_bytes(self) -> u64 {
        match self {
            Publisher::Sgs | Publisher::Olinda | Publisher::Ptax => 32 << 20,
            Publisher::Cvm => 512 << 20,
        }
    }
}

/// One request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) publisher: Publisher,
    pub(super) url: String,
    /// The name by which the import recognises the answer.
    pub(super) file: String,
    /// The name of the file in messages.
    pub(super) what: String,
    pub(super) absence: Absence,
    pub(super) repeat: Repeat,
}

impl Request {
    /// The server that is asked.
    pub(super) fn host(&self) -> &str {
        let rest = self.url.split_once("://").map_or(self.url.as_str(), |(_, rest)| rest);
        rest.split('/').next().unwrap_or(rest)
    }
}

impl Request {
    /// The first and last day that a request to SGS is for, as its address has them.
    pub(super) fn asked_days(&self) -> Option<(Date, Date)> {
        let day = |name: &str| {
            let (_, value) = self.url.split_once(name)?;
            let mut parts = value.get(..10)?.split('/').map(|part| part.parse::<u16>().ok());
            let (day, month, year) = (parts.next()??, parts.next()??, parts.next()??);
            Date::new(year, u8::try_from(month).ok()?, u8::try_from(day).ok()?)
        };
        Some((day("dataInicial=")?, day("dataFinal=")?))
    }
}

/// Requests for windows of days, in order: past windows are asked for once, the recent one again and again. A run must stop
/// at the first that fails, or a gap in the middle would never be noticed; so the recent one comes first only if the newest
/// stored day lies in it.
pub(super) fn requests_for_windows(
    past: Vec<Window>,
    recent: Window,
    newest: Option<Date>,
    request: impl Fn(Window, Repeat) -> Request,
) -> Vec<Request> {
    let last = request(recent, Repeat::Always);
    let past = past.into_iter().map(|window| request(window, Repeat::Never));
    if newest.is_some_and(|newest| newest >= recent.first) {
        // New data matters more than a longer history.
        std::iter::once(last).chain(past).collect()
    } else {
        past.chain([last]).collect()
    }
}

/// What a 404 means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Absence {
    /// The publisher has no data for these days, if the body says so.
    EmptyIfStated,
    /// It is not published yet.
    NotYet,
    /// It never was published; but if it was imported before, something is wrong.
    NeverWas,
    /// Something is wrong.
    Failure,
}

/// Whether to ask again for a window that was imported before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Repeat {
    /// Yes: there may be something new.
    Always,
    /// No: these days are long past.
    Never,
}

/// The text with which SGS answers 404 when no day of a window has a value.
const NO_VALUES: &str = "Value(s) not found";

impl Request {
    /// Whether a 404 with this body means that there is no data, given the file that was imported from there before.
    pub(super) fn may_be_absent(&self, body: &str, known: Option<&Validators>) -> bool {
        match self.absence {
            Absence::EmptyIfStated => body.contains(NO_VALUES),
            Absence::NotYet => true,
            Absence::NeverWas => known.is_none(),
            Absence::Failure => false,
        }
    }

    /// Whether this answer is complete but has no rows, as is normal on holidays.
    pub(super) fn is_empty(&self, body: &[u8]) -> bool {
        let parsed = || serde_json::from_slice::<Value>(body).ok();
        match self.publisher {
            Publisher::Sgs => parsed().is_some_and(|rows| rows == Value::Array(Vec::new())),
            Publisher::Olinda => {
                parsed().is_some_and(|answer| answer["value"] == Value::Array(Vec::new()))
            }
            Publisher::Ptax | Publisher::Cvm => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(publisher: Publisher, absence: Absence) -> Request {
        let text = String::new;
        Request {
            publisher,
            url: text(),
            file: text(),
            what: text(),
            absence,
            repeat: Repeat::Always,
        }
    }

    #[test]
    fn a_404_is_empty_only_where_that_is_said() {
        let stated = r#"{"error":"Value(s) not found"}"#;
        let sgs = request(Publisher::Sgs, Absence::EmptyIfStated);
        let known = Validators { etag: None, modified: None, digest: String::new() };
        assert!(sgs.may_be_absent(stated, None));
        assert!(!sgs.may_be_absent("<html>404</html>", None));
        assert!(request(Publisher::Ptax, Absence::NotYet).may_be_absent("", Some(&known)));
        assert!(!request(Publisher::Cvm, Absence::Failure).may_be_absent(stated, None));
        assert!(request(Publisher::Cvm, Absence::NeverWas).may_be_absent("", None));
        assert!(!request(Publisher::Cvm, Absence::NeverWas).may_be_absent("", Some(&known)));
    }

    #[test]
    fn an_address_of_sgs_says_which_days_are_asked_for() {
        let days = |url: &str| {
            let request = Request { url: url.into(), ..request(Publisher::Sgs, Absence::Failure) };
            request.asked_days().map(|(first, last)| format!("{first} {last}"))
        };
        let url = "http://a/dados?formato=json&dataInicial=01/02/2026&dataFinal=15/11/2026";
        assert_eq!(days(url).as_deref(), Some("2026-02-01 2026-11-15"));
        for url in
            ["http://a/x.csv", "http://a/?dataInicial=01/02/2026", "a?dataInicial=1&dataFinal=2"]
        {
            assert_eq!(days(url), None, "{url}");
        }
    }

    #[test]
    fn an_answer_without_rows_is_no_failure() {
        let cases: [(Publisher, &str, bool); 9] = [
            (Publisher::Sgs, "[]", true),
            (Publisher::Sgs, " [ ]\n", true),
            (Publisher::Sgs, "[", false),
            (Publisher::Sgs, "{}", false),
            (Publisher::Olinda, r#"{"@odata.context":"x","value":[]}"#, true),
            (Publisher::Olinda, r#"{"value":[1]}"#, false),
            (Publisher::Olinda, r#"{"error":"x"}"#, false),
            (Publisher::Ptax, "", false),
            (Publisher::Cvm, "[]", false),
        ];
        for (publisher, body, empty) in cases {
            let request = request(publisher, Absence::Failure);
            assert_eq!(request.is_empty(body.as_bytes()), empty, "{body}");
        }
    }
}
