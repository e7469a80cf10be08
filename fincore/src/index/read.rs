//! Finds the filings that are wanted: a set of each block, newest block first.
use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    ops::Range,
};

use rusqlite::{Connection, OptionalExtension};

use super::{
    Directory, TermId, Want,
    bits::{Bits, decode},
    directory::{Has, Part},
    plan::{Lookup, Plan},
    set::Set,
};
use crate::{
    deadline,
    error::{Error, Result},
    names::Names,
};

mod phrase;

/// What a query may cost, in rows of the index that it reads: some ten milliseconds.
const BUDGET: u32 = 4000;

/// A row costs one more for so many bytes.
const BYTES: usize = 2048;

/// How many rows it is worth to put two sets together, besides reading them.
const OPERATION: u32 = 2;

/// The index of a catalogue, for one query.
pub(crate) struct Index<'c> {
    connection: &'c Connection,
    directory: &'c Directory,
    lookup: Lookup<'c>,
    left: Cell<u32>,
    /// The rows that were read, while tiers are looked for that share terms.
    kept: RefCell<Option<HashMap<i64, Option<Bits>>>>,
}

/// One page of keys, and how many there are in all.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) keys: Vec<i64>,
    pub(crate) total: u64,
}

/// Which part of the filings is shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    pub(crate) limit: usize,
    pub(crate) offset: u64,
}

impl Part {
    /// The filings of the block with numbers in a range.
    fn within(&self, numbers: &Range<u32>) -> Set {
        if *numbers == (0..self.block.filings) { Set::All } else { Set::Range(numbers.clone()) }
    }
}

impl<'c> Index<'c> {
    pub(crate) fn new(
        connection: &'c Connection,
        directory: &'c Directory,
        names: &'c Names,
    ) -> Index<'c> {
        let lookup = Lookup::new(connection, directory, names);
        Index { connection, directory, lookup, left: Cell::new(BUDGET), kept: RefCell::default() }
    }

    /// The filings that are wanted, with keys from the first to the last, newest first.
    pub(crate) fn newest(&self, want: &Want, keys: (i64, i64), shown: Window) -> Result<Found> {
        let want = &self.plan(want)?;
        let mut found = Found::default();
        if matches!(want, Plan::Nothing) {
            return Ok(found);
        }
        let mut skip = shown.offset;
        for part in self.directory.parts.iter().rev() {
            deadline::check()?;
            let Some(numbers) = numbers(part, keys) else { continue };
            let is_whole = numbers == (0..part.block.filings);
            // Where nothing of the block is shown, it is enough to know how many there are.
            let count = if is_whole { self.size(part, want)? } else { None };
            match count {
                Some(count) if found.keys.len() >= shown.limit || skip >= count => {
                    found.total += count;
                    skip = skip.saturating_sub(count);
                }
                _ => {
                    let set = self
                        .set(part, want, &part.within(&numbers))?
                        .within(&numbers, part.block.filings);
                    found.total += set.len();
                    show(part, &set, &mut skip, shown.limit, &mut found.keys);
                }
            }
        }
        Ok(found)
    }

    /// How many filings are wanted.
    pub(crate) fn count(&self, want: &Want, keys: (i64, i64)) -> Result<u64> {
        Ok(self.newest(want, keys, Window { limit: 0, offset: 0 })?.total)
    }

    /// The filings that are wanted, those of the first tier first, and newest first within each. The last tier says
    /// which are wanted; each of them counts for the first tier that it meets.
    pub(crate) fn ranked(&self, tiers: &[Want], keys: (i64, i64), shown: Window) -> Result<Found> {
        if let [want] = tiers {
            return self.newest(want, keys, shown);
        }
        let tiers = tiers.iter().map(|want| self.plan(want)).collect::<Result<Vec<_>>>()?;
        let Some((all, better)) = tiers.split_last() else { return Ok(Found::default()) };
        let mut found = Found::default();
        let mut left: Vec<(&Part, Bits)> = Vec::new();
        for part in self.directory.parts.iter().rev() {
            deadline::check()?;
            let Some(numbers) = numbers(part, keys) else { continue };
            let bits = self
                .set(part, all, &part.within(&numbers))?
                .within(&numbers, part.block.filings)
                .bits();
            found.total += bits.len();
            left.push((part, bits));
        }
        if shown.offset >= found.total {
            return Ok(found);
        }
        // Most pages are full before all tiers of all blocks are known.
        let mut skip = shown.offset;
        self.kept.replace(Some(HashMap::new()));
        for tier in better.iter().chain([&Plan::Everything]) {
            for (part, left) in &mut left {
                if found.keys.len() == shown.limit {
                    return Ok(found);
                }
                if left.is_empty() {
                    continue;
                }
                deadline::check()?;
                let within = Set::Some(left.clone());
                let set = self.set(part, tier, &within)?.and(within);
                show(part, &set, &mut skip, shown.limit, &mut found.keys);
                *left -= set.bits();
            }
        }
        Ok(found)
    }

    fn plan(&self, want: &Want) -> Result<Plan> {
        Plan::of(&self.lookup, want)
    }

    /// How many filings of a block are wanted, if that can be known without looking for them.
    fn size(&self, part: &Part, plan: &Plan) -> Result<Option<u64>> {
        const SQL: &str = "SELECT count FROM filing_term WHERE id = ?1";
        let Plan::FirstOf(terms) = plan else { return Ok(self.known_size(part, plan)) };
        for term in terms {
            let count = match self.directory.has(part, *term) {
                Some(has) => has.count(),
                None => {
                    self.spend(1)?;
                    let mut statement = self.connection.prepare_cached(SQL)?;
                    let row = [part.block.row(*term)];
                    let count = statement.query_row(row, |row| row.get::<_, i64>(0));
                    count.optional()?.unwrap_or_default().unsigned_abs()
                }
            };
            if count > 0 {
                return Ok(Some(count));
            }
        }
        Ok(Some(0))
    }

    /// How many filings of a block are wanted, if that can be known without the file.
    fn known_size(&self, part: &Part, plan: &Plan) -> Option<u64> {
        match plan {
            Plan::Everything => Some(part.block.filings.into()),
            Plan::Nothing => Some(0),
            Plan::All(plans) => {
                let none = plans.iter().any(|plan| self.known_size(part, plan) == Some(0));
                none.then_some(0)
            }
            // Those with one condition may be those with another, unless only one of them is met.
            Plan::Any(plans) => plans.iter().try_fold(0, |size, plan| {
                let other = self.known_size(part, plan)?;
                (size == 0 || other == 0).then_some(size + other)
            }),
            Plan::FirstOf(terms) => {
                for term in terms {
                    match self.directory.has(part, *term)?.count() {
                        0 => (),
                        count => return Some(count),
                    }
                }
                Some(0)
            }
            Plan::AtLeast(..) | Plan::Phrase(_) => None,
        }
    }

    /// The key of the filing that has so many older ones.
    pub(crate) fn nth_oldest(&self, older: u64) -> Option<i64> {
        let mut skip = older;
        for part in &self.directory.parts {
            match u32::try_from(skip) {
                Ok(number) if number < part.block.filings => return part.keys.get(number),
                _ => skip -= u64::from(part.block.filings),
            }
        }
        None
    }

    /// The filings of a block that are wanted. What is not in `within` need not be found.
    fn set(&self, part: &Part, plan: &Plan, within: &Set) -> Result<Set> {
        Ok(match plan {
            Plan::Everything => Set::All,
            Plan::Nothing => Set::Some(Bits::new()),
            Plan::All(plans) => {
                // The rarest first, and those that may read filings last: they read only what the others leave.
                let size = |plan| self.known_size(part, plan).unwrap_or(u64::MAX);
                let mut plans: Vec<_> = plans.iter().map(|plan| (plan, size(plan))).collect();
                plans.sort_by_key(|(plan, size)| (plan.may_read(), *size));
                let mut all = within.clone();
                for (plan, _) in plans {
                    let set = self.set(part, plan, &all)?;
                    all = all.and(set);
                    if all.is_empty() {
                        break;
                    }
                }
                all
            }
            Plan::Any(plans) => {
                let mut any = Set::Some(Bits::new());
                for plan in plans {
                    any.add(&self.set(part, plan, within)?);
                }
                any
            }
            Plan::AtLeast(least, plans) => self.at_least(part, *least, plans, within)?,
            Plan::FirstOf(terms) => {
                for term in terms {
                    if let Some(bits) = self.term(part, *term)? {
                        return Ok(Set::Some(bits));
                    }
                }
                Set::Some(Bits::new())
            }
            Plan::Phrase(phrase) => self.phrase(part, phrase, within)?,
        })
    }

    fn at_least(&self, part: &Part, least: usize, plans: &[Plan], within: &Set) -> Result<Set> {
        // The rarest first: what misses several of those can be left alone.
        let sizes = plans.iter().map(|plan| Ok((self.size(part, plan)?.unwrap_or(u64::MAX), plan)));
        let mut plans = sizes.collect::<Result<Vec<_>>>()?;
        plans.sort_by_key(|(size, _)| *size);
        // Which filings miss none of the conditions so far, at most one, and so on.
        let mut miss = vec![within.clone(); plans.len().saturating_sub(least) + 1];
        for (_, plan) in plans {
            let Some(most) = miss.last().filter(|most| !most.is_empty()) else { break };
            let set = self.set(part, plan, most)?;
            for missing in (0..miss.len()).rev() {
                self.spend(OPERATION)?;
                let mut met = miss[missing].shared(&set);
                if let Some(fewer) = missing.checked_sub(1) {
                    met.add(&miss[fewer]);
                }
                miss[missing] = met;
            }
        }
        Ok(miss.pop().unwrap_or(Set::All))
    }

    /// The filings of a block with a term; `None` if no filing of the block has it.
    fn term(&self, part: &Part, term: TermId) -> Result<Option<Bits>> {
        if let Some(Has::Few(numbers)) = self.directory.has(part, term) {
            self.spend(1)?;
            let numbers = numbers.iter().map(|number| u32::from(*number));
            let bits = Bits::from_sorted_iter(numbers).unwrap_or_default();
            return Ok((!bits.is_empty()).then_some(bits));
        }
        let row = part.block.row(term);
        if let Some(known) = self.kept.borrow().as_ref().and_then(|kept| kept.get(&row)) {
            return Ok(known.clone());
        }
        let found = self.read_row(row)?;
        if let Some(kept) = self.kept.borrow_mut().as_mut() {
            kept.insert(row, found.clone());
        }
        Ok(found)
    }

    fn read_row(&self, row: i64) -> Result<Option<Bits>> {
        const SQL: &str = "SELECT bits FROM filing_term WHERE id = ?1";
        self.spend(1)?;
        let mut statement = self.connection.prepare_cached(SQL)?;
        let mut rows = statement.query([row])?;
        match rows.next()? {
            Some(row) => {
                let bits = row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?;
                self.spend(u32::try_from(bits.len() / BYTES).unwrap_or(u32::MAX))?;
                Ok(Some(decode(bits)?))
            }
            None => Ok(None),
        }
    }

    /// Fails if the query has become too expensive.
    fn spend(&self, rows: u32) -> Result<()> {
        let left = self.left.get().checked_sub(rows).ok_or_else(Error::too_broad)?;
        self.left.set(left);
        Ok(())
    }
}

/// Adds the keys of a set to those that are shown, after skipping some, up to a limit.
fn show(part: &Part, set: &Set, skip: &mut u64, limit: usize, keys: &mut Vec<i64>) {
    if keys.len() >= limit || *skip >= set.len() {
        *skip = skip.saturating_sub(set.len());
        return;
    }
    let numbers = set.newest(std::mem::take(skip), limit - keys.len());
    keys.extend(numbers.into_iter().filter_map(|number| part.keys.get(number)));
}

/// The numbers of a block's filings with keys from the first to the last; `None` if there are none.
fn numbers(part: &Part, (first, last): (i64, i64)) -> Option<Range<u32>> {
    let filings = part.block.filings;
    if filings == 0 || last < part.block.first || first >= part.end || first > last {
        return None;
    }
    let from = if first <= part.block.first { 0 } else { before(part, first) };
    let to = if last >= part.end - 1 { filings } else { before(part, last + 1) };
    (from < to).then_some(from..to)
}

/// How many filings of a block have a smaller key.
fn before(part: &Part, key: i64) -> u32 {
    let (mut low, mut high) = (0, part.block.filings);
    while low < high {
        let middle = low + (high - low) / 2;
        match part.keys.get(middle) {
            Some(found) if found < key => low = middle + 1,
            _ => high = middle,
        }
    }
    low
}
