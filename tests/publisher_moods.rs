//! What goes wrong at publishers by chance, as it does at the real ones: the same for the same seed.
use std::collections::BTreeMap;

use chrono::{Datelike, Days, Months, NaiveDate};
use sha2::{Digest, Sha256};

use crate::{
    published::Response,
    publisher::{Fault, years_of},
};

/// Every mood; a run that is long enough has each.
pub(crate) const ALL: [&str; 27] = [
    "a page with status 200",
    "a page for a long window",
    "an empty body",
    "an empty error",
    "no values found",
    "a part of a window",
    "too many requests: 0",
    "too many requests: 2",
    "too many requests: 120",
    "too many requests: 99999999",
    "too many requests: 18446744073709551615",
    "too many requests: Sun, 06 Nov 1994 08:49:37 GMT",
    "a server in trouble",
    "an answer that breaks off",
    "a page instead of a bulletin",
    "an odd bulletin during the day",
    "a day with two periods",
    "a figure of the year 1",
    "a figure before its time",
    "a filing is withdrawn",
    "a file of the year is away",
    "all companies are cancelled",
    "a table with another name of a column",
    "a table without a column",
    "a table that contradicts itself",
    "a table in two encodings",
    "a filing of 2099",
];

/// What `Retry-After` says.
const TIMES: [&str; 6] =
    ["0", "2", "120", "99999999", "18446744073709551615", "Sun, 06 Nov 1994 08:49:37 GMT"];

/// The moods of publishers: chance, and what it has brought.
pub(crate) struct Moods {
    seed: u64,
    /// The state of the chance of days.
    random: u64,
    /// How often each target was asked for. Two are asked for side by side, so the chance of a request must not depend on
    /// their order.
    asked: BTreeMap<String, u32>,
    /// Whether nothing goes wrong.
    pub(crate) is_quiet: bool,
    counts: BTreeMap<&'static str, u32>,
}

/// What is odd about a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum TableOddity {
    #[default]
    None,
    /// A column has another name.
    Renamed,
    /// A column is missing.
    Missing,
    /// An older version of a row stands beside the newer one.
    Contradictory,
    /// Some lines are in UTF-8, others in Windows-1252.
    Mixed,
    /// A filing is delivered in 2099.
    Impossible,
}

impl TableOddity {
    /// Its name among the moods.
    pub(crate) fn name(self) -> &'static str {
        match self {
            TableOddity::None => "a table as usual",
            TableOddity::Renamed => "a table with another name of a column",
            TableOddity::Missing => "a table without a column",
            TableOddity::Contradictory => "a table that contradicts itself",
            TableOddity::Mixed => "a table in two encodings",
            TableOddity::Impossible => "a filing of 2099",
        }
    }
}

/// What is odd on a day.
#[derive(Clone, Debug, Default)]
pub(crate) struct Oddities {
    /// A month that has a figure before its time.
    pub(crate) early: Option<NaiveDate>,
    /// Whether the IPCA has a figure of the year 1.
    pub(crate) is_ancient: bool,
    /// The form whose file of the running year is away, and up to which day.
    pub(crate) away: Option<(&'static str, NaiveDate)>,
    pub(crate) withdraws: bool,
    pub(crate) all_cancelled: bool,
    pub(crate) events: TableOddity,
    pub(crate) registry: TableOddity,
}

impl Moods {
    pub(crate) fn new(seed: u64) -> Moods {
        let (asked, counts) = (BTreeMap::new(), BTreeMap::new());
        Moods { seed, random: seed | 1, asked, is_quiet: false, counts }
    }

    /// Records that a mood was shown.
    pub(crate) fn count(&mut self, mood: &'static str) {
        *self.counts.entry(mood).or_default() += 1;
    }

    /// The moods that were never shown.
    pub(crate) fn missing(&self) -> Vec<&'static str> {
        ALL.into_iter().filter(|mood| !self.counts.contains_key(mood)).collect()
    }

    /// A number below this one (xorshift).
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        usize::try_from((self.random >> 16) % end as u64).unwrap()
    }

    /// What is odd on a day, after the oddities of the day before.
    pub(crate) fn oddities(&mut self, day: NaiveDate, before: &Oddities) -> Oddities {
        if self.is_quiet {
            return Oddities::default();
        }
        let month = day.with_day(1).unwrap();
        let early = match before.early {
            // It stays for some days, but not into the month that it is of.
            Some(early) if self.below(3) > 0 && early.month0() >= month.month0() => Some(early),
            _ => (self.below(8) == 0).then(|| month + Months::new(u32::from(self.below(2) == 0))),
        };
        let away = before.away.filter(|(_, until)| day <= *until).or_else(|| {
            let form = ["ipe", "itr", "fca"][self.below(3)];
            let until = day + Days::new(self.below(5) as u64);
            (self.below(8) == 0).then_some((form, until))
        });
        Oddities {
            early,
            is_ancient: self.below(10) == 0,
            away,
            withdraws: self.below(6) == 0,
            all_cancelled: self.below(10) == 0,
            events: self.table(),
            registry: self.table(),
        }
    }

    fn table(&mut self) -> TableOddity {
        match self.below(10) {
            0 => TableOddity::Renamed,
            1 => TableOddity::Missing,
            2 => TableOddity::Contradictory,
            3 => TableOddity::Mixed,
            4 => TableOddity::Impossible,
            _ => TableOddity::None,
        }
    }

    /// A number below 1000 for a request.
    fn chance_of(&mut self, target: &str) -> usize {
        let asked = self.asked.entry(target.to_owned()).or_default();
        *asked += 1;
        let digest = Sha256::digest(format!("{} {asked} {target}", self.seed));
        usize::from(u16::from_be_bytes([digest[0], digest[1]])) % 1000
    }

    /// What goes wrong with an answer.
    pub(crate) fn fault(&mut self, target: &str, answer: &Response) -> Option<Fault> {
        if self.is_quiet {
            return None;
        }
        let publisher = target.split('/').nth(1)?;
        let (drawn, is_found) = (self.chance_of(target), answer.status == 200);
        let (mood, fault) = match (publisher, drawn) {
            ("sgs", 0..800) if years_of(target) > 8 => ("a page for a long window", Fault::Page),
            // The server of the bulletins has a page for what is not there.
            ("ptax", 0..900) if !is_found => ("a page instead of a bulletin", Fault::Page),
            ("ptax", 0..100) => ("a page instead of a bulletin", Fault::Page),
            (_, 0..15) => ("a page with status 200", Fault::Page),
            (_, 15..25) => ("an empty body", instead("")),
            ("sgs" | "olinda", 25..35) => ("an empty error", instead(r#"{"erro":{}}"#)),
            ("sgs", 35..50) => ("no values found", instead(r#"{"error":"Value(s) not found"}"#)),
            ("sgs", 50..75) if is_found => ("a part of a window", Fault::FirstRows),
            ("olinda", 50..75) if is_found && target.contains("Periodo") => {
                ("a part of a window", Fault::FirstRows)
            }
            (_, 75..85) => ("a server in trouble", Fault::Status([500, 502, 503, 504][drawn % 4])),
            (_, 85..95) if is_found => ("an answer that breaks off", Fault::Cut),
            (_, 95..115) => {
                let time = TIMES[drawn % TIMES.len()];
                let mood = ALL.iter().find(|mood| mood.ends_with(&format!(": {time}"))).unwrap();
                (*mood, Fault::Limited(time))
            }
            _ => return None,
        };
        self.count(mood);
        Some(fault)
    }
}

fn instead(body: &str) -> Fault {
    Fault::Instead(body.as_bytes().to_vec())
}
