//! Shell completions of values that only the data knows.
//!
//! A shell starts this program with `FINSERVE_COMPLETE` set. If anything goes wrong, the shell
//! gets no candidates and no message.
use std::{
    env,
    ffi::{OsStr, OsString},
    path::PathBuf,
    process,
    sync::mpsc,
    thread,
    time::{Duration, SystemTime},
};

use clap::Command;
use clap_complete::{CompleteEnv, engine::CompletionCandidate};
use fincore::{
    Catalogue, Currency, Date, Limit, PageQuery, Plan, Snapshot,
    backup::CATALOGUE,
    filings, fold,
    market::{self, FxPair, FxPairs, SeriesList},
    search::{self, Suggest, Suggestion},
};

use crate::{api_client::bundled_data, cluster::publication::served_file};

/// The environment variable that a shell sets to ask for completions.
pub(crate) const VARIABLE: &str = "FINSERVE_COMPLETE";

/// How long a shell waits: a busy catalogue gives no candidates. Nor does one of an older version, which is left as it is.
/// Builds that are not optimised are those of tests, which run beside compilers.
const TIMEOUT: Duration = Duration::from_secs(if cfg!(debug_assertions) { 60 } else { 1 });

/// If a shell asks for completions, prints them and ends the program.
pub(super) fn answer(command: fn() -> Command) {
    let asked = CompleteEnv::with_factory(command).var(VARIABLE).bin("finserve");
    match asked.try_complete(env::args_os(), env::current_dir().ok().as_deref()) {
        Ok(false) => (),
        Ok(true) => process::exit(0),
        Err(_) => process::exit(1),
    }
}

/// Known series that have figures, by name; all that are known where there is no data to look at.
pub(super) fn series(current: &OsStr) -> Vec<CompletionCandidate> {
    let typed = fold_input(current);
    // Several series are separated by commas: the last one is completed.
    let (before, typed) = match typed.rsplit_once(',') {
        Some((before, last)) => (format!("{before},"), last.to_owned()),
        None => (String::new(), typed),
    };
    let listed = look_up(|snapshot| market::series_list(snapshot, SeriesList::default()));
    let listed = listed.map(|page| page.data.into_vec());
    let is_there =
        |name: &str| listed.as_ref().is_none_or(|all| all.iter().any(|one| one.name == name));
    let known = market::known_series().iter().filter(|known| known.name.starts_with(&typed));
    known
        .filter(|known| is_there(known.name))
        .map(|known| candidate(&format!("{before}{}", known.name), known.title.en))
        .collect()
}

/// Companies by ticker or name: the ticker, or the CVM code of a company without one.
pub(super) fn company(current: &OsStr) -> Vec<CompletionCandidate> {
    suggest(current, |suggestion, before| match suggestion {
        Suggestion::Ticker { text, .. } => Some((text, "ticker".into())),
        // A company whose ticker is a candidate already is not repeated.
        Suggestion::Company { tickers, .. } if tickers.iter().any(|one| before.contains(one)) => {
            None
        }
        Suggestion::Company { text, company_id, tickers, .. } => {
            Some((tickers.into_iter().next().unwrap_or_else(|| company_id.to_string()), text))
        }
        _ => None,
    })
}

/// Companies by name: the name.
pub(super) fn name(current: &OsStr) -> Vec<CompletionCandidate> {
    suggest(current, |suggestion, _| match suggestion {
        Suggestion::Ticker { text, .. } => Some((text, "ticker".into())),
        Suggestion::Company { text, tickers, .. } => Some((text, tickers.join(" "))),
        _ => None,
    })
}

/// Categories of filings, those with most filings first.
pub(super) fn category(current: &OsStr) -> Vec<CompletionCandidate> {
    classes(current, |class| class.category)
}

/// Types of filings, those with most filings first.
pub(super) fn filing_type(current: &OsStr) -> Vec<CompletionCandidate> {
    classes(current, |class| class.r#type)
}

/// Currencies that have quotes, and the real.
pub(super) fn currency(current: &OsStr) -> Vec<CompletionCandidate> {
    let typed = fold_input(current);
    let mut currencies: Vec<(String, String)> = pairs()
        .into_iter()
        .map(|row| (row.pair.base.to_string(), format!("{} days", row.days)))
        .collect();
    if !currencies.is_empty() {
        currencies.push((Currency::BRL.to_string(), "the real".into()));
    }
    let fits = |(code, _): &(String, String)| code.to_lowercase().starts_with(&typed);
    currencies.into_iter().filter(fits).map(|(code, help)| candidate(&code, &help)).collect()
}

/// The sides of a quote.
pub(super) fn side(current: &OsStr) -> Vec<CompletionCandidate> {
    of_few(current, [("buy", "what a bank pays"), ("sell", "what a bank asks; the default")])
}

/// Which months of an index count.
pub(super) fn months(current: &OsStr) -> Vec<CompletionCandidate> {
    of_few(
        current,
        [
            ("inclusive", "those of both days; the default"),
            ("contract", "not that of the last day: from May to May are twelve"),
        ],
    )
}

/// The periods that a rate is quoted for.
pub(super) fn convention(current: &OsStr) -> Vec<CompletionCandidate> {
    of_few(
        current,
        [
            ("day", "a business day"),
            ("month", "21 business days or 30 days"),
            ("year252", "252 business days: Selic, CDI"),
            ("year360", "360 days"),
            ("year365", "365 days"),
        ],
    )
}

/// The plans.
pub(super) fn plan(current: &OsStr) -> Vec<CompletionCandidate> {
    of_few(current, Plan::ALL.map(|plan| (plan.id(), plan.name())))
}

/// The datasets of an export: all series, exchange rates, companies, filings, statements, figures, and each series by name.
pub(super) fn dataset(current: &OsStr) -> Vec<CompletionCandidate> {
    let whole = [
        ("fx", "exchange rates"),
        ("companies", "public companies"),
        ("filings", "what they filed"),
        ("statements", "every line of their financial statements"),
        ("financials", "the figures that compare them"),
        ("series", "every series"),
    ];
    of_few(current, whole).into_iter().chain(series(current)).collect()
}

/// Those of a few fixed values, each with its description, that start as typed.
fn of_few<const N: usize>(current: &OsStr, values: [(&str, &str); N]) -> Vec<CompletionCandidate> {
    let typed = fold_input(current);
    let fits = values.into_iter().filter(|(value, _)| value.starts_with(&typed));
    fits.map(|(value, help)| candidate(value, help)).collect()
}

fn pairs() -> Vec<FxPair> {
    let pairs = look_up(|snapshot| market::fx_pairs(snapshot, FxPairs::default()));
    pairs.map(|page| page.data.into_vec()).unwrap_or_default()
}

/// Currency pairs.
pub(super) fn pair(current: &OsStr) -> Vec<CompletionCandidate> {
    let typed = fold_input(current);
    let pairs = pairs().into_iter().map(|row| (row.pair.to_string(), format!("{} days", row.days)));
    let fits = |(pair, _): &(String, String)| {
        [pair.to_lowercase(), pair.to_lowercase().replace('/', "")]
            .iter()
            .any(|pair| pair.starts_with(&typed))
    };
    pairs.filter(fits).map(|(pair, days)| candidate(&pair, &days)).collect()
}

fn classes(current: &OsStr, of: fn(filings::Category) -> String) -> Vec<CompletionCandidate> {
    let typed = fold_input(current);
    let found = look_up(|snapshot| {
        let limit = Limit::MAX;
        filings::categories(snapshot, PageQuery { limit, ..PageQuery::default() })
    });
    let mut names: Vec<String> = Vec::new();
    for name in found.into_iter().flat_map(|page| page.data.into_vec()).map(of) {
        if !name.is_empty() && fold(&name).starts_with(&typed) && !names.contains(&name) {
            names.push(name);
        }
    }
    names.into_iter().map(CompletionCandidate::new).collect()
}

/// Makes a candidate and its description of a suggestion, given the candidates before it.
type ToCandidate = fn(Suggestion, &[String]) -> Option<(String, String)>;

fn suggest(current: &OsStr, to_candidate: ToCandidate) -> Vec<CompletionCandidate> {
    let typed = fold_input(current);
    let found = look_up(move |snapshot| search::suggest(snapshot, Suggest::new(&typed)?));
    let (mut values, mut candidates) = (Vec::new(), Vec::new());
    for suggestion in found.map(|found| found.data).unwrap_or_default() {
        if let Some((value, help)) = to_candidate(suggestion, &values)
            && !values.contains(&value)
        {
            candidates.push(candidate(&value, &help));
            values.push(value);
        }
    }
    candidates
}

fn candidate(value: &str, help: &str) -> CompletionCandidate {
    CompletionCandidate::new(value).help(Some(help.to_owned().into()))
}

/// Folds the typed text for comparison: a shell may pass on the marks that it quotes spaces with.
fn fold_input(current: &OsStr) -> String {
    let text = current.to_string_lossy();
    let mut folded = fold(&text.replace(['\\', '"', '\''], ""));
    // Folding takes away a space at the end, which ends a word.
    if text.ends_with(' ') && !folded.is_empty() {
        folded.push(' ');
    }
    folded
}

/// Looks something up in the data, if there is any and it does not take long.
fn look_up<T: Send + 'static>(
    query: impl FnOnce(&Snapshot) -> fincore::Result<T> + Send + 'static,
) -> Option<T> {
    let path = catalogue()?;
    let (send, found) = mpsc::channel();
    thread::spawn(move || {
        let today = Date::in_brasilia(SystemTime::now().into());
        let snapshot = Catalogue::open_to_read(path).and_then(|all| all.snapshot(today));
        // The receiver may have timed out.
        let _ = send.send(snapshot.and_then(|snapshot| query(&snapshot)).ok());
    });
    found.recv_timeout(TIMEOUT).ok().flatten()
}

/// The catalogue that the command line means; `None` if it does not exist.
fn catalogue() -> Option<PathBuf> {
    let words: Vec<OsString> = env::args_os().collect();
    let named = words.iter().zip(words.iter().skip(1)).rev().find_map(|(flag, value)| {
        let joined = value.to_str().and_then(|word| word.strip_prefix("--data="));
        joined.map(OsString::from).or_else(|| (flag == "--data").then(|| value.clone()))
    });
    let named = named.or_else(|| env::var_os("FINSERVE_DATA"));
    let usual = named.is_none();
    let data = named.map_or_else(|| PathBuf::from("finserve-data"), PathBuf::from);
    let path = served_file(&data).unwrap_or_else(|| data.join(CATALOGUE));
    Some(path)
        .filter(|path| path.exists())
        .or_else(|| bundled_data::find_cached().filter(|_| usual))
}
