//! The order of what a search finds: tiers of filings, the better ones first, and the newest first within each.
use crate::{
    filings::{Order, SearchUnit, UnitSense},
    index::Condition,
    lexicon::{CompanyNames, Names},
};

/// The company that a search is about.
pub(crate) struct MeantCompany<'n> {
    /// Its filings; or those of all companies that are named.
    pub(crate) filings: Condition,
    /// The filings of each, in the order in which they are named or meant.
    pub(crate) each: Vec<Condition>,
    /// The filings of all companies whose names start with the words that name it.
    family: Condition,
    /// Whether it is named for certain: then its filings come before all others.
    pub(crate) is_certain: bool,
    names: Option<&'n CompanyNames>,
}

impl<'n> MeantCompany<'n> {
    /// The companies that units name; or else the one whose name the words have.
    pub(crate) fn of(units: &[SearchUnit], names: &'n Names) -> Option<MeantCompany<'n>> {
        let named = units.iter().filter(|unit| unit.sense == UnitSense::Company);
        let each: Vec<Condition> = named.clone().flat_map(SearchUnit::companies).collect();
        if !each.is_empty() {
            let filings = Condition::any(each.iter().cloned());
            let family = Condition::any(named.map(SearchUnit::family));
            return Some(MeantCompany { filings, each, family, is_certain: true, names: None });
        }
        let unknown = units.iter().filter(|unit| !unit.is_known);
        let words: Vec<&str> = unknown.flat_map(|unit| &unit.words).map(String::as_str).collect();
        let company = names.get(names.meant_company(&words)?)?;
        let filings = Condition::company(company.code);
        let (each, family) = (vec![filings.clone()], Condition::nothing());
        Some(MeantCompany { filings, each, family, is_certain: false, names: Some(company) })
    }

    /// Adds all companies whose names start alike: the rest of the search says which of them is meant.
    pub(crate) fn with_family(&self) -> MeantCompany<'n> {
        let (filings, family) = (self.family.clone(), Condition::nothing());
        MeantCompany { each: vec![filings.clone()], filings, family, ..*self }
    }

    /// Whether the words of a unit only say which company is meant.
    fn is_named_by(&self, unit: &SearchUnit) -> bool {
        let has = |word: &String| {
            self.names.is_some_and(|names| names.words().any(|known| known == word))
        };
        unit.sense == UnitSense::Company || unit.words.iter().all(has)
    }
}

/// The words of the units that count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Strictness {
    /// Those of the class and of the head of the subject.
    Head,
    /// Those of class and subject.
    Full,
    /// Any, the beginnings of words and the names of companies too.
    Any,
    /// Linked expressions as well.
    Linked,
}

impl SearchUnit {
    fn meeting(&self, strictness: Strictness) -> Condition {
        match strictness {
            Strictness::Head => self.head.clone(),
            Strictness::Full => self.full.clone(),
            Strictness::Any => self.condition.clone(),
            Strictness::Linked => self.loosely(),
        }
    }
}

/// The filings that meet all units, linked expressions included.
pub(crate) fn all(units: &[SearchUnit]) -> Condition {
    Condition::all(units.iter().map(SearchUnit::loosely))
}

/// The filings that meet all units by words that mean the same.
pub(crate) fn without_links(units: &[SearchUnit]) -> Condition {
    Condition::all(units.iter().map(|unit| unit.condition.clone()))
}

/// Tiers of the filings that meet all units, the better ones first. By date, those that meet the search fully come before
/// those that meet it loosely; by relevance, those about the words come before those that only mention them.
pub(crate) fn tiers(
    units: &[SearchUnit],
    company: Option<&MeantCompany<'_>>,
    order: Order,
) -> Vec<Condition> {
    let company = company.filter(|company| company.is_certain || order == Order::Relevance);
    let mut tiers = Vec::new();
    if let Some(company) = company {
        let of_company = |condition: Condition| {
            let each = company.each.clone().into_iter();
            each.map(move |own| Condition::all([own, condition.clone()].into_iter()))
        };
        // The words of the company's name need not stand in the text.
        let meeting = |unit: &SearchUnit, strictness| {
            if company.is_named_by(unit) {
                unit.meeting(Strictness::Any)
            } else {
                unit.meeting(strictness)
            }
        };
        let topic = topic(units, |unit| company.is_named_by(unit));
        tiers.extend(by_strictness(units, meeting, topic, order).into_iter().flat_map(of_company));
    }
    let topic = topic(units, |unit| unit.sense == UnitSense::Company);
    tiers.extend(by_strictness(units, SearchUnit::meeting, topic, order));
    // Each must be different from the one before, or it only costs.
    tiers.dedup();
    tiers
}

fn by_strictness(
    units: &[SearchUnit],
    meeting: impl Fn(&SearchUnit, Strictness) -> Condition,
    topic: Option<Vec<String>>,
    order: Order,
) -> Vec<Condition> {
    let all = |strictness| Condition::all(units.iter().map(|unit| meeting(unit, strictness)));
    let classes: Vec<&Condition> = units.iter().filter_map(|unit| unit.class.as_ref()).collect();
    let mut fully = Vec::new();
    if order == Order::Relevance {
        let about = all(Strictness::Head);
        let phrase = topic.map(Condition::TextPhrase);
        fully.extend(phrase.map(|phrase| Condition::All(vec![about.clone(), phrase])));
        fully.push(about);
    }
    fully.push(all(Strictness::Full));
    let of_class = |condition: &Condition| {
        let classes = classes.iter().map(|class| (*class).clone());
        Condition::all(classes.chain([condition.clone()]))
    };
    let mut tiers: Vec<Condition> = Vec::new();
    if !classes.is_empty() {
        tiers.extend(fully.iter().map(of_class));
    }
    tiers.extend(fully);
    tiers.push(all(Strictness::Any));
    if units.iter().any(|unit| unit.linked.is_some()) {
        tiers.push(all(Strictness::Linked));
    }
    tiers
}

/// The longest run of words that name neither the company nor a year, if it has more than one word.
fn topic(units: &[SearchUnit], names_company: impl Fn(&SearchUnit) -> bool) -> Option<Vec<String>> {
    let mut runs = units.split(|unit| names_company(unit) || unit.sense == UnitSense::Year);
    let longest = runs.by_ref().max_by_key(|run| run.len())?;
    let words: Vec<String> = longest.iter().flat_map(|unit| unit.words.clone()).collect();
    (words.len() > 1).then_some(words)
}
