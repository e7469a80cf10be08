//! Data directories: the bundled data, with any number of made-up filings added; keys to ask with; what can be asked for.
use std::{
    collections::HashSet,
    fs::{self, OpenOptions},
    hash::{BuildHasherDefault, DefaultHasher},
    io::Write,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use fincore::{
    Accounts, Catalogue, Date, Import, Limit, Offset, Plan, Snapshot, bundle,
    chrono::Utc,
    companies,
    filings::{self, Filing},
    keys::{self, Registration},
    market,
};

use crate::{Outcome, generator};

/// 2,000 requests a minute each: far more than can be sent.
const KEYS: usize = 4_000;

/// Pages of a thousand filings that [`Sample`] looks at, spread over all of them.
const PAGES: u64 = 150;
const PAGE: u32 = 1_000;

/// The directory that was given, or else [`kept`].
pub(crate) fn filings(given: Option<&Path>, rows_a_year: u64) -> Outcome<PathBuf> {
    given.map_or_else(|| kept(rows_a_year), |dir| Ok(dir.to_owned()))
}

/// A data directory of the bundled data and twenty years of made-up filings, `rows_a_year` each. It is made once,
/// and kept among the build's files; one that was left half-way is made anew.
pub(crate) fn kept(rows_a_year: u64) -> Outcome<PathBuf> {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("http-{rows_a_year}"));
    let complete = dir.join("complete");
    if !complete.exists() {
        eprintln!("importing {} filings into {} …", rows_a_year * 20, dir.display());
        if dir.exists() {
            fs::remove_dir_all(&dir)?;
        }
        fs::create_dir_all(&dir)?;
        fill(&dir.join("catalogue.db"), rows_a_year)?;
        fs::write(complete, "")?;
    }
    Ok(dir)
}

fn fill(path: &Path, rows_a_year: u64) -> Outcome<()> {
    let catalogue = Catalogue::open(path)?;
    bundle::fill(&catalogue)?;
    let mut import = Import::begin(&catalogue, Utc::now())?;
    for (name, table) in generator::tables(2005..=2024, rows_a_year) {
        import.file(&name, &table)?;
    }
    import.commit()?;
    Ok(())
}

/// A file of Platinum keys, one a line, in a data directory. They are issued once, and only the owner can read them.
pub(crate) fn keys(dir: &Path) -> Outcome<PathBuf> {
    let file = dir.join("bench-keys.txt");
    if file.exists() {
        return Ok(file);
    }
    eprintln!("issuing {KEYS} keys …");
    let accounts = Accounts::open(dir.join("accounts.db"))?;
    let who = Registration { name: "Bench".parse()?, email: "bench@example.com".parse()? };
    let mut text = String::new();
    for _ in 0..KEYS {
        let key = keys::issue(&accounts, &who, Plan::Platinum, Utc::now())?;
        text.push_str(key.reveal());
        text.push('\n');
    }
    // Under its own name only when it is whole.
    let part = dir.join("bench-keys.part");
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    options.open(&part)?.write_all(text.as_bytes())?;
    fs::rename(part, &file)?;
    Ok(file)
}

/// What a catalogue has, to ask for, in no order that would help: always the same one.
pub(crate) struct Sample {
    /// How many filings there are.
    pub(crate) total: u64,
    /// How many observations the Selic has.
    pub(crate) observations: u64,
    pub(crate) companies: Vec<String>,
    /// Names of companies.
    pub(crate) names: Vec<String>,
    pub(crate) filings: Vec<String>,
    /// Words of descriptions.
    pub(crate) words: Vec<String>,
    /// Two and three words, each from one description.
    pub(crate) pairs: Vec<String>,
    pub(crate) triples: Vec<String>,
}

/// Distinct texts; they come out in the order of their hashes.
type Distinct = HashSet<String, BuildHasherDefault<DefaultHasher>>;

impl Sample {
    /// Reads the catalogue of a data directory.
    pub(crate) fn of(dir: &Path) -> Outcome<Sample> {
        let catalogue = Catalogue::open(dir.join("catalogue.db"))?;
        let snapshot = catalogue.snapshot(Date::MAX)?;
        let [mut ids, mut names, mut filed] = [(); 3].map(|()| Distinct::default());
        let [mut words, mut pairs, mut triples] = [(); 3].map(|()| Distinct::default());
        for company in companies::all(&snapshot)? {
            ids.insert(company.id.to_string());
            names.insert(company.name);
        }
        let total = for_filings(&snapshot, |filing| {
            filed.insert(filing.id.to_string());
            let said = words_of(&filing.description());
            pairs.extend(said.get(..2).map(|words| words.join(" ")));
            triples.extend(said.get(..3).map(|words| words.join(" ")));
            words.extend(said);
        })?;
        Ok(Sample {
            total,
            observations: market::selic(&snapshot, market::History::default())?.total,
            companies: ids.into_iter().collect(),
            names: names.into_iter().collect(),
            filings: filed.into_iter().collect(),
            words: words.into_iter().collect(),
            pairs: pairs.into_iter().collect(),
            triples: triples.into_iter().collect(),
        })
    }
}

/// Visits filings from all over the list; returns how many it has.
fn for_filings(snapshot: &Snapshot, mut visit: impl FnMut(&Filing)) -> Outcome<u64> {
    let total = filings::list(snapshot, filings::List::default())?.total;
    let step = (total / PAGES).max(u64::from(PAGE));
    for page in 0..PAGES.min(total / step) {
        let query = filings::List {
            limit: Limit::new(PAGE)?,
            offset: Offset::new(page * step)?,
            ..Default::default()
        };
        filings::list(snapshot, query)?.data.iter().for_each(&mut visit);
    }
    Ok(total)
}

/// The words of a description, without those of one or two letters.
fn words_of(description: &str) -> Vec<String> {
    let words = description.split(|c: char| !c.is_alphabetic());
    words.filter(|word| word.chars().count() > 2).map(str::to_lowercase).collect()
}
