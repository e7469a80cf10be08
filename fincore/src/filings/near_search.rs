//! Alternatives if nothing meets a search: other spellings, fewer words; but never without the company that is named.
use crate::{
    filings::{MeantCompany, SearchUnit, UnitSense},
    index::Condition,
    lexicon::{Names, names::NearlyMeant},
};

/// A condition to try if nothing meets all units.
#[derive(Debug)]
pub(crate) struct NearSearch {
    /// In tiers, the better ones first.
    pub(crate) tiers: Vec<Condition>,
    /// Words that are taken for others: as given, and what they stand for.
    pub(crate) corrected: Option<(String, String)>,
    /// Only the named company is left of the search.
    pub(crate) is_company_only: bool,
    /// The units that may be left out: their words, and the filings that meet them all the same.
    pub(crate) optional: Vec<(String, Condition)>,
}

/// A longer search means every word of it.
const MOST_UNITS: usize = 10;

/// The words of a search that can be missing.
struct NearWords<'u> {
    /// How many filings meet a condition.
    count: &'u dyn Fn(Condition) -> u64,
    units: &'u [SearchUnit],
    said: Vec<&'u SearchUnit>,
    phrases: Vec<Condition>,
}

/// The conditions to try if nothing meets all units, nearest first. Phrases must be met in any case, and the company that
/// is named.
pub(crate) fn near_searches(
    units: &[SearchUnit],
    company: Option<&MeantCompany<'_>>,
    names: &Names,
    count: &dyn Fn(Condition) -> u64,
) -> Vec<NearSearch> {
    let phrases = units.iter().filter(|unit| unit.sense == UnitSense::Phrase);
    let says = |unit: &&SearchUnit| !matches!(unit.sense, UnitSense::Phrase | UnitSense::Particle);
    let near = NearWords {
        count,
        units,
        said: units.iter().filter(says).collect(),
        phrases: phrases.map(|unit| unit.condition.clone()).collect(),
    };
    let foreign = units.iter().flat_map(|unit| &unit.words).any(|word| !word.is_ascii());
    if foreign || near.said.is_empty() || near.said.len() > MOST_UNITS {
        return Vec::new();
    }
    if let Some(company) = company.filter(|company| company.is_certain) {
        return near.of_named(company);
    }
    let mut tries = near.of_nearly_named(names);
    if near.said.len() + near.phrases.len() < units.len() {
        tries.push(near.search(&near.weighed(&near.said, None), 0, None));
    }
    let most = near.said.len() - 1;
    tries.extend(near.tries(&near.said, most, None));
    tries
}

impl NearWords<'_> {
    /// The filings of a company that is named for certain, with as many of the other words as there are. Of several
    /// companies, first the filings of each that name the others.
    fn of_named(&self, company: &MeantCompany<'_>) -> Vec<NearSearch> {
        let is_name = |unit: &&&SearchUnit| unit.sense == UnitSense::Company;
        let (names, rest): (Vec<&SearchUnit>, Vec<&SearchUnit>) =
            self.said.iter().partition(|unit| is_name(unit));
        let of_any = self.tries(&rest, rest.len(), Some(&company.filings)).into_iter();
        if names.len() < 2 {
            return of_any.collect();
        }
        let of_all = Condition::all(names.iter().map(|unit| unit.condition.clone()));
        let of_all = self.tries(&rest, rest.len(), Some(&of_all)).into_iter();
        let of_all = of_all.map(|near| NearSearch { is_company_only: false, ..near });
        let by_company = of_any.map(|mut near| {
            // The first one counts more.
            let of_each = |tier: &Condition| {
                let tier = tier.clone();
                let each = company.each.iter().cloned();
                each.map(move |own| Condition::all([own, tier.clone()].into_iter()))
                    .collect::<Vec<_>>()
            };
            let last = near.tiers.last().cloned();
            near.tiers = near.tiers.iter().flat_map(of_each).chain(last).collect();
            let optional = names.iter().map(|unit| (unit.words.join(" "), unit.condition.clone()));
            near.optional.extend(optional);
            near
        });
        of_all.chain(by_company).collect()
    }

    /// The filings that meet all of some units, then all with the words of expressions on their own, then all but one,
    /// and so on.
    fn tries(
        &self,
        units: &[&SearchUnit],
        most: usize,
        company: Option<&Condition>,
    ) -> Vec<NearSearch> {
        let whole = self.weighed(units, company);
        let parts = |unit: &'_ SearchUnit| !unit.parts.is_empty();
        let mut split: Vec<&SearchUnit> = Vec::new();
        for unit in units {
            if parts(unit) { split.extend(&unit.parts) } else { split.push(unit) }
        }
        let has_parts = units.iter().any(|unit| parts(unit)) && split.len() <= MOST_UNITS;
        let split = if has_parts { self.weighed(&split, company) } else { Vec::new() };
        let mut tries = Vec::new();
        for missing in 0..=most {
            if missing < units.len() {
                tries.push(self.search(&whole, missing, company));
            }
            if missing < split.len() {
                tries.push(self.search(&split, missing, company));
            }
        }
        if most == units.len() {
            tries.extend(
                (most + 1..split.len()).map(|missing| self.search(&split, missing, company)),
            );
            tries.push(self.search(&whole, units.len(), company));
        }
        tries
    }

    /// Units with what they say about a search: rare words say more than common ones, expressions of the market and years
    /// more than other words, and words that no filing has say nothing.
    #[allow(clippy::cast_precision_loss, reason = "an order of magnitude is enough")]
    fn weighed<'w>(
        &self,
        units: &[&'w SearchUnit],
        company: Option<&Condition>,
    ) -> Vec<WeighedUnit<'w>> {
        const KNOWN: f64 = 4.0;
        const YEAR: f64 = 1.0;
        let of = |condition: Option<Condition>| {
            let all = self.phrases.iter().chain(company).cloned().chain(condition);
            (self.count)(Condition::all(all)) as f64
        };
        let all = of(None);
        let weigh = |unit: &&'w SearchUnit| {
            let having = of(Some(unit.condition.clone()));
            let having = if having == 0.0 { of(Some(unit.loosely())) } else { having };
            let known = if unit.is_known { KNOWN } else { 0.0 };
            let year = if unit.sense == UnitSense::Year { YEAR } else { 0.0 };
            let weight =
                if having == 0.0 { 0.0 } else { (all / having).ln().max(0.0) + known + year + 0.1 };
            WeighedUnit { unit, weight }
        };
        units.iter().map(weigh).collect()
    }

    /// Tries a company whose name nearly matches: a typing error, or a name that is joined or split otherwise.
    fn of_nearly_named(&self, names: &Names) -> Vec<NearSearch> {
        const FREQUENT: u64 = 5;
        let words = self.said.iter().filter(|unit| !unit.is_known);
        let words: Vec<&str> = words.flat_map(|unit| &unit.words).map(String::as_str).collect();
        // A word of several filings is no typing error.
        let is_frequent = |word: &str| (self.count)(Condition::Text(word.to_owned())) >= FREQUENT;
        let Some(NearlyMeant { code, words: taken, meant }) =
            names.nearly_meant_company(&words, &is_frequent)
        else {
            return Vec::new();
        };
        let is_taken = |unit: &SearchUnit| {
            !unit.is_known && unit.words.iter().all(|word| taken.contains(&word.as_str()))
        };
        let rest: Vec<&SearchUnit> =
            self.said.iter().filter(|unit| !is_taken(unit)).copied().collect();
        if rest.len() == self.said.len() {
            return Vec::new();
        }
        let corrected = meant.map(|meant| (taken.join(" "), meant));
        // A word that only occurs in a name may mean something else.
        let most = match corrected {
            Some(_) => rest.len(),
            None if rest.len() == 1 => 1,
            None => (rest.len() / 2).min(2),
        };
        let company = Condition::company(code);
        let of = |near: NearSearch| NearSearch {
            optional: self.optional(is_taken),
            corrected: corrected.clone(),
            ..near
        };
        self.tries(&rest, most, Some(&company)).into_iter().map(of).collect()
    }

    /// The filings that meet all of some units but so many; first those that meet what says most.
    fn search(
        &self,
        units: &[WeighedUnit<'_>],
        missing: usize,
        company: Option<&Condition>,
    ) -> NearSearch {
        let must = || self.phrases.iter().chain(company).cloned();
        let chosen = choices(units, missing);
        let meeting = |kept: &Vec<&SearchUnit>, full: bool| {
            let meet = |unit: &&SearchUnit| if full { unit.full.clone() } else { unit.loosely() };
            Condition::all(must().chain(kept.iter().map(meet)))
        };
        let mut tiers: Vec<Condition> = chosen.iter().map(|kept| meeting(kept, true)).collect();
        tiers.extend(chosen.iter().map(|kept| meeting(kept, false)));
        let loosely = units.iter().map(|one| one.unit.loosely());
        let rest = match units.len() - missing {
            0 => Condition::everything(),
            _ if missing == 0 => Condition::all(loosely),
            least => Condition::AtLeast(least, loosely.collect()),
        };
        tiers.push(Condition::all(must().chain([rest])));
        tiers.dedup();
        NearSearch {
            tiers,
            corrected: None,
            is_company_only: company.is_some() && missing == units.len(),
            optional: self.optional(|_| false),
        }
    }

    fn optional(&self, is_taken: impl Fn(&SearchUnit) -> bool) -> Vec<(String, Condition)> {
        let says = |unit: &&SearchUnit| {
            !matches!(unit.sense, UnitSense::Phrase | UnitSense::Company) && !is_taken(unit)
        };
        let free = self.units.iter().filter(says);
        free.map(|unit| (unit.words.join(" "), unit.loosely())).collect()
    }
}

/// A unit with what it says about a search.
struct WeighedUnit<'u> {
    unit: &'u SearchUnit,
    weight: f64,
}

/// The best choices of so many missing units, and not too many of them.
fn choices<'u>(units: &[WeighedUnit<'u>], missing: usize) -> Vec<Vec<&'u SearchUnit>> {
    const MOST: usize = 12;
    // There are at most ten units, so that all choices are few.
    let choices = (0..1_u32 << units.len())
        .filter(|kept| usize::try_from(kept.count_ones()) == Ok(units.len() - missing));
    let kept_in = |choice: u32| {
        units.iter().enumerate().filter(move |(at, _)| choice >> at & 1 == 1).map(|(_, one)| one)
    };
    let weight = |choice: u32| kept_in(choice).map(|one| one.weight).sum::<f64>();
    let mut weighed: Vec<(f64, u32)> = choices.map(|choice| (weight(choice), choice)).collect();
    weighed.sort_by(|(a, one), (b, other)| b.total_cmp(a).then(other.cmp(one)));
    weighed.truncate(MOST);
    weighed.into_iter().map(|(_, choice)| kept_in(choice).map(|one| one.unit).collect()).collect()
}
