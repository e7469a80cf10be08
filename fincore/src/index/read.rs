//! Finds the filings that are wanted: a set of each block, newest block first.
use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    ops::Range,
};

use rusqlite::{Connection, OptionalExtension};

use super::{
    Block, TermId, Want,
    bits::{Bits, decode},
    blocks,
    plan::{Lookup, Plan},
    set::Set,
};
use crate::{
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

/// All blocks of a catalogue, oldest first.
#[derive(Debug)]
pub(crate) struct Blocks(Vec<Block>);

impl Blocks {
    pub(crate) fn read(connection: &Connection) -> Result<Blocks> {
        Ok(Blocks(blocks(connection)?))
    }
}

/// The index of a catalogue, for one query.
pub(crate) struct Index<'c> {
    connection: &'c Connection,
    blocks: &'c Blocks,
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

impl Block {
    /// The filings of the block with numbers in a range.
    fn within(&self, numbers: &Range<u32>) -> Set {
        if *numbers == (0..self.filings) { Set::All } else { Set::Range(numbers.clone()) }
    }
}

impl<'c> Index<'c> {
    pub(crate) fn new(
        connection: &'c Connection,
        blocks: &'c Blocks,
        names: &'c Names,
    ) -> Index<'c> {
        let lookup = Lookup::new(connection, names);
        Index { connection, blocks, lookup, left: Cell::new(BUDGET), kept: RefCell::default() }
    }

    /// The filings that are wanted, with keys from the first to the last, newest first.
    pub(crate) fn newest(&self, want: &Want, keys: (i64, i64), part: Window) -> Result<Found> {
        let want = &self.plan(want)?;
        let mut found = Found::default();
        if matches!(want, Plan::Nothing) {
            return Ok(found);
        }
        let mut skip = part.offset;
        for block in self.blocks.0.iter().rev() {
            let Some(numbers) = self.numbers(block, keys)? else { continue };
            let is_whole = numbers == (0..block.filings);
            // Where nothing of the block is shown, it is enough to know how many there are.
            let count = if is_whole { self.size(block, want)? } else { None };
            match count {
                Some(count) if found.keys.len() >= part.limit || skip >= count => {
                    found.total += count;
                    skip = skip.saturating_sub(count);
                }
                _ => {
                    let set = self
                        .set(block, want, &block.within(&numbers))?
                        .within(&numbers, block.filings);
                    found.total += set.len();
                    self.show(block, &set, &mut skip, part.limit, &mut found.keys)?;
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
    pub(crate) fn ranked(&self, tiers: &[Want], keys: (i64, i64), part: Window) -> Result<Found> {
        if let [want] = tiers {
            return self.newest(want, keys, part);
        }
        let tiers = tiers.iter().map(|want| self.plan(want)).collect::<Result<Vec<_>>>()?;
        let Some((all, better)) = tiers.split_last() else { return Ok(Found::default()) };
        let mut found = Found::default();
        let mut left: Vec<(&Block, Bits)> = Vec::new();
        for block in self.blocks.0.iter().rev() {
            let Some(numbers) = self.numbers(block, keys)? else { continue };
            let bits = self
                .set(block, all, &block.within(&numbers))?
                .within(&numbers, block.filings)
                .bits();
            found.total += bits.len();
            left.push((block, bits));
        }
        // Most pages are full before all tiers of all blocks are known.
        let mut skip = part.offset;
        self.kept.replace(Some(HashMap::new()));
        for tier in better.iter().chain([&Plan::Everything]) {
            for (block, left) in &mut left {
                if found.keys.len() == part.limit {
                    return Ok(found);
                }
                if left.is_empty() {
                    continue;
                }
                let within = Set::Some(left.clone());
                let set = self.set(block, tier, &within)?.and(within);
                self.show(block, &set, &mut skip, part.limit, &mut found.keys)?;
                *left -= set.bits();
            }
        }
        Ok(found)
    }

    /// Adds the keys of a set to those that are shown, after skipping some, up to a limit.
    fn show(
        &self,
        block: &Block,
        set: &Set,
        skip: &mut u64,
        limit: usize,
        keys: &mut Vec<i64>,
    ) -> Result<()> {
        if keys.len() >= limit || *skip >= set.len() {
            *skip = skip.saturating_sub(set.len());
            return Ok(());
        }
        for number in set.newest(std::mem::take(skip), limit - keys.len()) {
            keys.extend(self.key(block, number)?);
        }
        Ok(())
    }

    fn plan(&self, want: &Want) -> Result<Plan> {
        Plan::of(&self.lookup, want)
    }

    /// How many filings of a block are wanted, if that can be known without looking for them.
    fn size(&self, block: &Block, plan: &Plan) -> Result<Option<u64>> {
        const SQL: &str = "SELECT count FROM filing_term WHERE id = ?1";
        Ok(match plan {
            Plan::Everything => Some(block.filings.into()),
            Plan::Nothing => Some(0),
            Plan::FirstOf(terms) => {
                let mut statement = self.connection.prepare_cached(SQL)?;
                for term in terms {
                    self.spend(1)?;
                    let count = statement.query_row([block.row(*term)], |row| row.get::<_, i64>(0));
                    if let Some(count) = count.optional()? {
                        return Ok(Some(count.unsigned_abs()));
                    }
                }
                Some(0)
            }
            Plan::All(_) | Plan::Any(_) | Plan::AtLeast(..) | Plan::Phrase(_) => None,
        })
    }

    /// The key of the filing that has so many older ones.
    pub(crate) fn nth_oldest(&self, older: u64) -> Result<Option<i64>> {
        let mut skip = older;
        for block in &self.blocks.0 {
            match u32::try_from(skip) {
                Ok(number) if number < block.filings => return self.key(block, number),
                _ => skip -= u64::from(block.filings),
            }
        }
        Ok(None)
    }

    /// The numbers of a block's filings with keys from the first to the last; `None` if there are none.
    fn numbers(&self, block: &Block, (first, last): (i64, i64)) -> Result<Option<Range<u32>>> {
        let at = self.blocks.0.partition_point(|other| other.first <= block.first);
        let end = self.blocks.0.get(at).map_or(i64::MAX, |next| next.first);
        if block.filings == 0 || last < block.first || first >= end || first > last {
            return Ok(None);
        }
        let from = if first <= block.first { 0 } else { self.before(block, first)? };
        let to = if last >= end - 1 { block.filings } else { self.before(block, last + 1)? };
        Ok((from < to).then_some(from..to))
    }

    /// How many filings of a block have a smaller key.
    fn before(&self, block: &Block, key: i64) -> Result<u32> {
        let (mut low, mut high) = (0, block.filings);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.key(block, middle)? {
                Some(found) if found < key => low = middle + 1,
                _ => high = middle,
            }
        }
        Ok(low)
    }

    fn key(&self, block: &Block, number: u32) -> Result<Option<i64>> {
        const SQL: &str = "SELECT key FROM filing_place WHERE place = ?1";
        let mut statement = self.connection.prepare_cached(SQL)?;
        Ok(statement.query_row([block.place(number)], |row| row.get(0)).optional()?)
    }

    /// The filings of a block that are wanted. What is not in `within` need not be found.
    fn set(&self, block: &Block, plan: &Plan, within: &Set) -> Result<Set> {
        Ok(match plan {
            Plan::Everything => Set::All,
            Plan::Nothing => Set::Some(Bits::new()),
            Plan::All(plans) => {
                let mut all = within.clone();
                for plan in plans {
                    let set = self.set(block, plan, &all)?;
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
                    any.add(&self.set(block, plan, within)?);
                }
                any
            }
            Plan::AtLeast(least, plans) => self.at_least(block, *least, plans, within)?,
            Plan::FirstOf(terms) => {
                for term in terms {
                    if let Some(bits) = self.term(block, *term)? {
                        return Ok(Set::Some(bits));
                    }
                }
                Set::Some(Bits::new())
            }
            Plan::Phrase(phrase) => self.phrase(block, phrase, within)?,
        })
    }

    fn at_least(&self, block: &Block, least: usize, plans: &[Plan], within: &Set) -> Result<Set> {
        // The rarest first: what misses several of those can be left alone.
        let sizes =
            plans.iter().map(|plan| Ok((self.size(block, plan)?.unwrap_or(u64::MAX), plan)));
        let mut plans = sizes.collect::<Result<Vec<_>>>()?;
        plans.sort_by_key(|(size, _)| *size);
        // Which filings miss none of the conditions so far, at most one, and so on.
        let mut miss = vec![within.clone(); plans.len().saturating_sub(least) + 1];
        for (_, plan) in plans {
            let Some(most) = miss.last().filter(|most| !most.is_empty()) else { break };
            let set = self.set(block, plan, most)?;
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
    fn term(&self, block: &Block, term: TermId) -> Result<Option<Bits>> {
        let row = block.row(term);
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
