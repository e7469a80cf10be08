//! The rows of the table: what is asked, what the answer must hold, and how near to the bare server it should come.
use std::io::Read;

use flate2::read::GzDecoder;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use crate::{
    Outcome,
    data::Sample,
    server::{Answer, Server},
};

/// One kind of request.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    /// The requests a second it should reach, as a part of the bare server's.
    pub(crate) goal: Option<f64>,
    /// Asked for in turn.
    pub(crate) targets: Vec<String>,
    /// Lines such as `Accept: text/csv`.
    pub(crate) headers: Vec<String>,
    status: u16,
    /// A part of every body.
    holds: &'static str,
}

/// Where the Selic of today is.
pub(crate) const CURRENT: &str = "/api/v1/market/selic/current";
const SELIC: &str = "/api/v1/market/selic";
const FILINGS: &str = "/api/v1/filings";

/// A series is asked for up to here: the day of the run decides on the last few observations.
const MARGIN: u64 = 100;

/// All rows. `key` is one of the keys.
pub(crate) fn rows(sample: &Sample, server: &Server, key: &str) -> Outcome<Vec<Row>> {
    let selic = |limit: u64| format!("{SELIC}?limit={limit}");
    let offsets = |limit: u64| {
        let end = sample.observations.saturating_sub(limit + MARGIN).max(1);
        scattered(end).map(move |offset| format!("{SELIC}?limit={limit}&offset={offset}")).collect()
    };
    let each =
        |before: &str, ids: &[String]| ids.iter().map(|id| format!("{before}{id}")).collect();
    let one = |target: &str| vec![target.to_owned()];
    let word = sample.words.first().ok_or("no filing has a word")?;
    let names: Vec<String> = sample.names.iter().take(400).map(|name| beginning(name)).collect();
    let tag = server.get(CURRENT, &[format!("X-API-Key: {key}")])?;
    let tag = tag.header("etag").ok_or("the current rate has no tag")?;
    let category = format!("{FILINGS}?category={}", escape("Fato Relevante"));
    let series = r#"{"data":[{"date":""#;
    let found = r#""company_id":"#;

    Ok(vec![
        row("health", 0.90, one("/health"), r#"{"status":"ok""#),
        row("current rate", 0.90, one(CURRENT), r#""value":"#),
        row("overview", 0.90, one("/api/v1/market/overview"), r#""selic":{"#),
        row("company by id", 0.90, each("/api/v1/companies/", &sample.companies), r#""cnpj":"#),
        row("plans", 0.85, one("/api/v1/plans"), r#"{"plans":["#),
        row("20 rows of a series", 0.80, one(&selic(20)), series),
        row("20 rows, ever other offset", 0.80, offsets(20), series),
        row("1,000 rows of a series", 0.80, one(&selic(1000)), series),
        row("1,000 rows, ever other offset", 0.80, offsets(1000), series),
        row("filing by id", 0.65, each("/api/v1/filings/", &sample.filings), found),
        row("filings of a category, repeated", 0.80, one(&category), found),
        row("search, one word, first time", 0.25, searches(&sample.words), r#""total":"#),
        row("search, one word, repeated", 0.80, one(&search(word, 20)), found),
        row("search, two words, first time", 0.05, searches(&sample.pairs), r#""total":"#),
        row(
            "company search",
            0.40,
            names.iter().map(|q| company_search(q)).collect(),
            r#""total":"#,
        ),
        Row {
            goal: None,
            status: 304,
            headers: vec![format!("If-None-Match: {tag}")],
            ..row("current rate, not changed (304)", 0.0, one(CURRENT), "")
        },
        Row {
            goal: None,
            headers: vec!["Accept-Encoding: gzip".into()],
            ..row("1,000 rows of a series, gzip", 0.0, one(&selic(1000)), series)
        },
    ])
}

/// The dearest requests there are, none of them asked twice in a row.
pub(crate) fn dear(sample: &Sample) -> Vec<Row> {
    let by_relevance = |target: String| format!("{target}&order=relevance");
    let offsets = |target: &str, end: u64| -> Vec<String> {
        scattered(end).map(|offset| format!("{target}&offset={offset}")).collect()
    };
    let category = format!("{FILINGS}?category={}", escape("Assembleia"));
    let found = r#""total":"#;
    let words = searches(&sample.triples).into_iter().map(by_relevance).collect();
    let history = offsets(&format!("{SELIC}?limit=10000"), sample.observations);
    let table = offsets(&format!("{FILINGS}?limit=1000&format=csv"), sample.total);
    let mut rows = vec![
        row("search, three words, by relevance, first time", 0.0, words, found),
        row("10,000 rows of a series, ever other offset", 0.0, history, found),
        row("1,000 filings as CSV, ever other offset", 0.0, table, "company_id"),
        row(
            "filings of a category, deep offsets",
            0.0,
            offsets(&category, sample.total / 10),
            found,
        ),
    ];
    let most = rows.iter().map(|row| row.targets.len()).min().unwrap_or_default();
    let mixed = (0..most).flat_map(|at| rows.iter().map(move |row| row.targets[at].clone()));
    rows.push(row("all of these in turn", 0.0, mixed.collect(), ""));
    rows
}

fn row(name: &'static str, goal: f64, targets: Vec<String>, holds: &'static str) -> Row {
    Row { name, goal: Some(goal), targets, headers: Vec::new(), status: 200, holds }
}

impl Row {
    /// The one of a few dozen answers whose size is nearest to their mean.
    ///
    /// Fails if one of them is not what it should be.
    pub(crate) fn typical(&self, server: &Server, keys: &[String]) -> Outcome<Answer> {
        const ANSWERS: usize = 50;
        let mut answers = Vec::new();
        // From the end, so that what is to be asked for the first time has not been asked for.
        for (target, key) in
            self.targets.iter().rev().cycle().zip(keys.iter().cycle()).take(ANSWERS)
        {
            // Each by another key: those of a load are near their limits.
            let headers = [self.headers.clone(), vec![format!("X-API-Key: {key}")]].concat();
            let answer = server.get(target, &headers)?;
            self.check(&answer).map_err(|wrong| format!("{target}: {wrong}"))?;
            answers.push(answer);
        }
        let mean = answers.iter().map(|answer| answer.body.len()).sum::<usize>() / ANSWERS;
        let typical = answers.into_iter().min_by_key(|answer| answer.body.len().abs_diff(mean));
        typical.ok_or_else(|| "nothing is asked".into())
    }

    fn check(&self, answer: &Answer) -> Outcome<()> {
        if answer.status != self.status {
            return Err(format!("status {}, wanted {}", answer.status, self.status).into());
        }
        let mut text = String::new();
        match answer.header("content-encoding") {
            Some("gzip") => GzDecoder::new(&answer.body[..]).read_to_string(&mut text)?,
            Some(other) => return Err(format!("{other} was not asked for").into()),
            None => (&answer.body[..]).read_to_string(&mut text)?,
        };
        let is_json = text.starts_with('{') && text.ends_with('}');
        let says_json = answer.header("content-type") == Some("application/json");
        if !text.contains(self.holds) || (says_json && !is_json) {
            return Err(format!("wanted {} in {text:.200}", self.holds).into());
        }
        Ok(())
    }
}

/// Searches for each text, then again with other limits: more than are asked in a run, and no two alike.
pub(crate) fn searches(texts: &[String]) -> Vec<String> {
    (15..=25).flat_map(|limit| texts.iter().map(move |text| search(text, limit))).collect()
}

fn search(text: &str, limit: u64) -> String {
    format!("{FILINGS}/search?q={}&limit={limit}", escape(text))
}

fn company_search(text: &str) -> String {
    format!("/api/v1/companies/search?q={}", escape(text))
}

/// The first two words of a name.
fn beginning(name: &str) -> String {
    name.split_whitespace().take(2).collect::<Vec<_>>().join(" ")
}

fn escape(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}

/// All numbers below `end`, in no order that would help.
pub(crate) fn scattered(end: u64) -> impl Iterator<Item = u64> {
    // A prime, so that every number comes once; larger than any list of ours.
    const STEP: u64 = 1_000_003;
    (0..end).map(move |n| n * STEP % end)
}
