//! A request to a publisher, and what its answer means.
use fincore::{Date, Form, downloads::Validators, market::Figures};
use serde_json::Value;

use super::date_windows::Window;

/// The publisher that a request goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Publisher {
    Sgs,
    Olinda,
    Ptax,
    /// The central bank's site.
    Site,
    Cvm,
}

impl Publisher {
    /// Its name in messages.
    pub(super) fn name(self) -> &'static str {
        match self {
            Publisher::Sgs => "SGS",
            Publisher::Olinda => "Olinda",
            Publisher::Ptax => "PTAX",
            Publisher::Site => "BCB",
            Publisher::Cvm => "CVM",
        }
    }

    /// The most bytes of one answer, decompressed. The longest series has 2 MB, the largest archive of CVM
    /// some 100.
    pub(super) fn most_bytes(self) -> u64 {
        match self {
            Publisher::Sgs | Publisher::Olinda | Publisher::Ptax | Publisher::Site => 32 << 20,
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
    /// The figures and days of a request for a window.
    pub(super) days: Option<RequestedDays>,
    pub(super) absence: Absence,
    pub(super) repeat: Repeat,
}

/// The figures and days that a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RequestedDays {
    pub(super) figures: Figures,
    pub(super) window: Window,
}

impl Request {
    /// The form whose filings a file of CVM has, if it has filings. Such a file stays where it is once it was published.
    pub(super) fn form(&self) -> Option<Form> {
        let (name, _) = self.file.split_once("_cia_aberta_")?;
        Form::ALL.into_iter().find(|form| form.name() == name)
    }

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

/// The meaning of a 404.
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
    /// No: these days are long past. Unless figures are missing.
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

    /// Judges an answer with status 200 by its beginning, or by all of one that is short. The publishers also answer
    /// 200 when something is wrong.
    pub(super) fn judge(&self, body: &[u8]) -> Verdict {
        let text = String::from_utf8_lossy(body);
        let text = text.trim_start_matches('\u{feff}').trim();
        if text.is_empty() {
            return Verdict::PassingFault("the answer is empty".into());
        }
        if text.starts_with('<') {
            return match self.publisher {
                // The server of the bulletins has a page for days without one.
                Publisher::Ptax => Verdict::NoData,
                Publisher::Sgs | Publisher::Olinda | Publisher::Site | Publisher::Cvm => {
                    Verdict::PassingFault(format!("the answer is an HTML page{}", title(text)))
                }
            };
        }
        let Ok(answer) = serde_json::from_str::<Value>(text) else { return Verdict::Data };
        let none = Value::Array(Vec::new());
        match self.publisher {
            Publisher::Sgs if answer == none || text.contains(NO_VALUES) => Verdict::NoData,
            Publisher::Olinda if answer["value"] == none => Verdict::NoData,
            Publisher::Sgs | Publisher::Olinda if is_error(&answer) => {
                Verdict::PassingFault(format!("the central bank answered {}", shorten(text)))
            }
            Publisher::Sgs
            | Publisher::Olinda
            | Publisher::Ptax
            | Publisher::Site
            | Publisher::Cvm => Verdict::Data,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Data,
    /// The publisher has no data for these days, as is normal on holidays, or not yet.
    NoData,
    /// Something else than data, for this reason. The same request often succeeds some seconds later.
    PassingFault(String),
}

/// Whether this is how the central bank's services report errors.
fn is_error(answer: &Value) -> bool {
    ["erro", "error"].iter().any(|key| answer.get(key).is_some())
}

/// The heading of a page, where it has a short one: SGS says "Requisição inválida!".
fn title(page: &str) -> String {
    let heading = ["<title>", "<h1>", "<h2>"].iter().find_map(|tag| {
        let (_, rest) = page.split_once(tag)?;
        rest.split_once('<').map(|(heading, _)| heading.trim())
    });
    heading
        .filter(|text| !text.is_empty())
        .map_or_else(String::new, |text| format!(" ({})", shorten(text)))
}

/// The beginning of a text on one line.
pub(super) fn shorten(text: &str) -> String {
    const MOST_CHARACTERS: usize = 160;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().filter(|c| !c.is_control()).take(MOST_CHARACTERS).collect()
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
            days: None,
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
        let cases: [(Publisher, &str, Verdict); 11] = [
            (Publisher::Sgs, "[]", Verdict::NoData),
            (Publisher::Sgs, " [ ]\n", Verdict::NoData),
            (Publisher::Sgs, r#"{"error":"Value(s) not found"}"#, Verdict::NoData),
            (Publisher::Sgs, "[", Verdict::Data),
            (Publisher::Sgs, "{}", Verdict::Data),
            (Publisher::Olinda, r#"{"@odata.context":"x","value":[]}"#, Verdict::NoData),
            (Publisher::Olinda, r#"{"value":[1]}"#, Verdict::Data),
            (Publisher::Ptax, "<html>Não há boletim</html>", Verdict::NoData),
            (Publisher::Ptax, "16/11/2026;005;A;AFN;", Verdict::Data),
            (Publisher::Cvm, "[]", Verdict::Data),
            (Publisher::Cvm, "PK\u{3}\u{4}", Verdict::Data),
        ];
        for (publisher, body, verdict) in cases {
            let request = request(publisher, Absence::Failure);
            assert_eq!(request.judge(body.as_bytes()), verdict, "{body}");
        }
    }

    #[test]
    fn pages_and_errors_with_status_200_are_passing_faults() {
        let page =
            "\u{feff}<!DOCTYPE html><html><head><title> Requisição\n inválida! </title></head>";
        for (publisher, body, words) in [
            (Publisher::Sgs, page, "the answer is an HTML page (Requisição inválida!)"),
            (Publisher::Olinda, "<html><body>x", "the answer is an HTML page"),
            (Publisher::Cvm, "<html>", "the answer is an HTML page"),
            (Publisher::Sgs, " \n", "the answer is empty"),
            (Publisher::Cvm, "", "the answer is empty"),
            (Publisher::Ptax, "", "the answer is empty"),
            (Publisher::Sgs, r#"{"erro":{}}"#, r#"the central bank answered {"erro":{}}"#),
            (Publisher::Olinda, r#"{"error":"x"}"#, r#"the central bank answered {"error":"x"}"#),
        ] {
            let found = request(publisher, Absence::Failure).judge(body.as_bytes());
            assert_eq!(found, Verdict::PassingFault(words.into()), "{body}");
        }
    }
}
