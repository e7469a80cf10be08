//! Finds the filings that meet a condition: a set of each block, newest block first.
use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    ops::Range,
};

use rusqlite::{Connection, OptionalExtension};

use crate::{
    index::{
        Bitmap, Condition, Directory,
        bitmap::{FilingSet, decode},
        directory::{BlockEntry, TermFilings},
        query_plan::{PhrasePlan, QueryPlan, TermLookup},
        terms::{TermId, words_of_level},
        word_runs::{LONGEST_RUN, RARE},
    },
    lexicon::Names,
    store::deadline,
    values::{Error, Invalid, KeyRange, Result, fold, words::words},
};

/// The highest cost of a query, in rows of the index that it reads: some ten milliseconds.
const BUDGET: u32 = 4000;

/// A row costs one more for each of so many bytes.
const BYTES: usize = 2048;

/// The cost of combining two sets, besides reading them.
const OPERATION: u32 = 2;

/// Evaluates the conditions of one query.
pub(crate) struct Executor<'c> {
    connection: &'c Connection,
    directory: &'c Directory,
    lookup: TermLookup<'c>,
    left: Cell<u32>,
    /// The rows that were read for tiers, which share terms.
    row_cache: RefCell<Option<HashMap<i64, Option<Bitmap>>>>,
}

/// One page of keys, and how many there are in all.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct KeyPage {
    pub(crate) keys: Vec<i64>,
    pub(crate) total: u64,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct PageWindow {
    pub(crate) limit: usize,
    pub(crate) offset: u64,
}

impl BlockEntry {
    /// The filings of the block with numbers in a range.
    fn within(&self, numbers: &Range<u32>) -> FilingSet {
        if *numbers == (0..self.block.filings) {
            FilingSet::All
        } else {
            FilingSet::Range(numbers.clone())
        }
    }
}

impl<'c> Executor<'c> {
    pub(crate) fn new(
        connection: &'c Connection,
        directory: &'c Directory,
        names: &'c Names,
    ) -> Executor<'c> {
        let lookup = TermLookup::new(connection, directory, names);
        Executor {
            connection,
            directory,
            lookup,
            left: Cell::new(BUDGET),
            row_cache: RefCell::default(),
        }
    }

    /// The filings that meet a condition, with keys from the first to the last, newest first.
    pub(crate) fn find_newest(
        &self,
        condition: &Condition,
        keys: KeyRange,
        page: PageWindow,
    ) -> Result<KeyPage> {
        self.newest(&self.plan(condition)?, keys, page)
    }

    fn newest(&self, plan: &QueryPlan, keys: KeyRange, page: PageWindow) -> Result<KeyPage> {
        let mut found = KeyPage::default();
        if matches!(plan, QueryPlan::Nothing) {
            return Ok(found);
        }
        let mut skip = page.offset;
        for entry in self.directory.blocks.iter().rev() {
            deadline::check()?;
            let Some(numbers) = numbers(entry, keys) else { continue };
            let is_whole = numbers == (0..entry.block.filings);
            // Where no filing of the block is on the page, it is enough to know how many there are.
            let count = if is_whole { self.size(entry, plan)? } else { None };
            match count {
                Some(count) if found.keys.len() >= page.limit || skip >= count => {
                    found.total += count;
                    skip = skip.saturating_sub(count);
                }
                _ => {
                    let set = self
                        .set(entry, plan, &entry.within(&numbers))?
                        .within(&numbers, entry.block.filings);
                    found.total += set.len();
                    append_keys(entry, &set, &mut skip, page.limit, &mut found.keys);
                }
            }
        }
        Ok(found)
    }

    /// How many filings meet a condition.
    pub(crate) fn count(&self, condition: &Condition, keys: KeyRange) -> Result<u64> {
        Ok(self.find_newest(condition, keys, PageWindow { limit: 0, offset: 0 })?.total)
    }

    fn plan(&self, condition: &Condition) -> Result<QueryPlan> {
        QueryPlan::of(&self.lookup, condition)
    }

    /// How many filings of a block meet a condition, if that is known without computing the set.
    fn size(&self, entry: &BlockEntry, plan: &QueryPlan) -> Result<Option<u64>> {
        const SQL: &str = "SELECT count FROM filing_term WHERE id = ?1";
        let QueryPlan::FirstOf(terms) = plan else { return Ok(self.known_size(entry, plan)) };
        for term in terms {
            let count = match self.directory.has(entry, *term) {
                Some(has) => has.count(),
                None => {
                    self.spend(1)?;
                    let mut statement = self.connection.prepare_cached(SQL)?;
                    let row = [entry.block.row(*term)];
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

    /// The size, if it is known without reading the file.
    fn known_size(&self, entry: &BlockEntry, plan: &QueryPlan) -> Option<u64> {
        match plan {
            QueryPlan::Everything => Some(entry.block.filings.into()),
            QueryPlan::Nothing => Some(0),
            QueryPlan::All(plans) => {
                let none = plans.iter().any(|plan| self.known_size(entry, plan) == Some(0));
                none.then_some(0)
            }
            // A filing may meet two conditions, so sizes add up only if at most one of them is not zero.
            QueryPlan::Any(plans) => plans.iter().try_fold(0, |size, plan| {
                let other = self.known_size(entry, plan)?;
                (size == 0 || other == 0).then_some(size + other)
            }),
            QueryPlan::FirstOf(terms) => {
                for term in terms {
                    match self.directory.has(entry, *term)?.count() {
                        0 => (),
                        count => return Some(count),
                    }
                }
                Some(0)
            }
            QueryPlan::Keys(keys) => match numbers(entry, *keys) {
                Some(numbers) => Some(numbers.len() as u64),
                None => Some(0),
            },
            QueryPlan::AtLeast(..) | QueryPlan::Phrase(_) => None,
        }
    }

    /// The key of the filing that has `older` older ones.
    pub(crate) fn nth_oldest(&self, older: u64) -> Option<i64> {
        let mut skip = older;
        for entry in &self.directory.blocks {
            match u32::try_from(skip) {
                Ok(number) if number < entry.block.filings => return entry.keys.get(number),
                _ => skip -= u64::from(entry.block.filings),
            }
        }
        None
    }

    /// The filings of a block that meet a condition. Those outside of `within` may be left out.
    fn set(&self, entry: &BlockEntry, plan: &QueryPlan, within: &FilingSet) -> Result<FilingSet> {
        Ok(match plan {
            QueryPlan::Everything => FilingSet::All,
            QueryPlan::Nothing => FilingSet::Bits(Bitmap::new()),
            QueryPlan::Keys(keys) => FilingSet::Bits(
                numbers(entry, *keys)
                    .map(|numbers| FilingSet::Range(numbers).bits())
                    .unwrap_or_default(),
            ),
            QueryPlan::All(plans) => {
                // The rarest first, and those that may read filings last: they read only what the others leave.
                let size = |plan| self.known_size(entry, plan).unwrap_or(u64::MAX);
                let mut plans: Vec<_> = plans.iter().map(|plan| (plan, size(plan))).collect();
                plans.sort_by_key(|(plan, size)| (plan.may_read_filings(), *size));
                let mut all = within.clone();
                for (plan, _) in plans {
                    let set = self.set(entry, plan, &all)?;
                    all = all.and(set);
                    if all.is_empty() {
                        break;
                    }
                }
                all
            }
            QueryPlan::Any(plans) => {
                let mut any = FilingSet::Bits(Bitmap::new());
                for plan in plans {
                    any.add(&self.set(entry, plan, within)?);
                }
                any
            }
            QueryPlan::AtLeast(least, plans) => self.at_least(entry, *least, plans, within)?,
            QueryPlan::FirstOf(terms) => {
                for term in terms {
                    if let Some(bits) = self.term(entry, *term)? {
                        return Ok(FilingSet::Bits(bits));
                    }
                }
                FilingSet::Bits(Bitmap::new())
            }
            QueryPlan::Phrase(phrase) => self.phrase(entry, phrase, within)?,
        })
    }

    fn at_least(
        &self,
        entry: &BlockEntry,
        least: usize,
        plans: &[QueryPlan],
        within: &FilingSet,
    ) -> Result<FilingSet> {
        // The rarest first: filings that miss several of those need not be looked at again.
        let sizes =
            plans.iter().map(|plan| Ok((self.size(entry, plan)?.unwrap_or(u64::MAX), plan)));
        let mut plans = sizes.collect::<Result<Vec<_>>>()?;
        plans.sort_by_key(|(size, _)| *size);
        // Which filings miss none of the conditions so far, at most one, and so on.
        let mut miss = vec![within.clone(); plans.len().saturating_sub(least) + 1];
        for (_, plan) in plans {
            let Some(most) = miss.last().filter(|most| !most.is_empty()) else { break };
            let set = self.set(entry, plan, most)?;
            for missing in (0..miss.len()).rev() {
                self.spend(OPERATION)?;
                let mut met = miss[missing].intersection(&set);
                if let Some(fewer) = missing.checked_sub(1) {
                    met.add(&miss[fewer]);
                }
                miss[missing] = met;
            }
        }
        Ok(miss.pop().unwrap_or(FilingSet::All))
    }

    /// The filings of a block with a term; `None` if no filing of the block has it.
    fn term(&self, entry: &BlockEntry, term: TermId) -> Result<Option<Bitmap>> {
        if let Some(TermFilings::Few(numbers)) = self.directory.has(entry, term) {
            self.spend(1)?;
            let numbers = numbers.iter().map(|number| u32::from(*number));
            let bits = Bitmap::from_sorted_iter(numbers).unwrap_or_default();
            return Ok((!bits.is_empty()).then_some(bits));
        }
        let row = entry.block.row(term);
        if let Some(known) =
            self.row_cache.borrow().as_ref().and_then(|row_cache| row_cache.get(&row))
        {
            return Ok(known.clone());
        }
        let found = self.read_row(row)?;
        if let Some(row_cache) = self.row_cache.borrow_mut().as_mut() {
            row_cache.insert(row, found.clone());
        }
        Ok(found)
    }

    fn read_row(&self, row: i64) -> Result<Option<Bitmap>> {
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
        let left =
            self.left.get().checked_sub(rows).ok_or(Error::Invalid(Invalid::SearchTooBroad))?;
        self.left.set(left);
        Ok(())
    }
}

/// Appends the keys of a set to a page, after skipping some, up to a limit.
fn append_keys(
    entry: &BlockEntry,
    set: &FilingSet,
    skip: &mut u64,
    limit: usize,
    keys: &mut Vec<i64>,
) {
    if keys.len() >= limit || *skip >= set.len() {
        *skip = skip.saturating_sub(set.len());
        return;
    }
    let numbers = set.largest(std::mem::take(skip), limit - keys.len());
    keys.extend(numbers.into_iter().filter_map(|number| entry.keys.get(number)));
}

/// The numbers of a block's filings with keys from the first to the last; `None` if there are none.
fn numbers(entry: &BlockEntry, keys: KeyRange) -> Option<Range<u32>> {
    let KeyRange { first, last } = keys;
    let filings = entry.block.filings;
    if filings == 0 || last < entry.block.first || first >= entry.end || first > last {
        return None;
    }
    let from = if first <= entry.block.first { 0 } else { before(entry, first) };
    let to = if last >= entry.end - 1 { filings } else { before(entry, last + 1) };
    (from < to).then_some(from..to)
}

/// How many filings of a block have a smaller key.
fn before(entry: &BlockEntry, key: i64) -> u32 {
    let (mut low, mut high) = (0, entry.block.filings);
    while low < high {
        let middle = low + (high - low) / 2;
        match entry.keys.get(middle) {
            Some(found) if found < key => low = middle + 1,
            _ => high = middle,
        }
    }
    low
}

/// A block with filings that meet a search in tiers.
struct RankedBlock<'d> {
    entry: &'d BlockEntry,
    numbers: Range<u32>,
    /// Its filings that no tier so far has, once they are needed.
    left: Option<Bitmap>,
}

impl RankedBlock<'_> {
    fn left(&mut self, executor: &Executor<'_>, all: &QueryPlan) -> Result<&mut Bitmap> {
        if self.left.is_none() {
            let (entry, numbers) = (self.entry, &self.numbers);
            let set = executor.set(entry, all, &entry.within(numbers))?;
            self.left = Some(set.within(numbers, entry.block.filings).bits());
        }
        Ok(self.left.get_or_insert_default())
    }
}

impl Executor<'_> {
    /// The filings that meet the last tier, newest first within each tier. Each filing belongs to the first tier that it
    /// meets.
    pub(crate) fn find_ranked(
        &self,
        tiers: &[Condition],
        keys: KeyRange,
        page: PageWindow,
    ) -> Result<KeyPage> {
        let mut plans =
            tiers.iter().map(|condition| self.plan(condition)).collect::<Result<Vec<_>>>()?;
        let Some(all) = plans.pop() else { return Ok(KeyPage::default()) };
        // Tiers without a filing, or with just those of the one before, would only cost.
        plans.retain(|plan| *plan != QueryPlan::Nothing);
        plans.dedup();
        if plans.last() == Some(&all) {
            plans.pop();
        }
        if plans.is_empty() {
            return self.newest(&all, keys, page);
        }
        let mut found = KeyPage::default();
        let mut blocks: Vec<RankedBlock<'_>> = Vec::new();
        for entry in self.directory.blocks.iter().rev() {
            deadline::check()?;
            let Some(numbers) = numbers(entry, keys) else { continue };
            let is_whole = numbers == (0..entry.block.filings);
            // Most pages are full before the filings of all blocks are known: it is enough to know how many there are.
            let size = if is_whole { self.size(entry, &all)? } else { None };
            let mut block = RankedBlock { entry, numbers, left: None };
            let size = match size {
                Some(size) => size,
                None => block.left(self, &all)?.len(),
            };
            found.total += size;
            if size > 0 {
                blocks.push(block);
            }
        }
        if page.offset >= found.total {
            return Ok(found);
        }
        let mut skip = page.offset;
        self.row_cache.replace(Some(HashMap::new()));
        for tier in plans.iter().chain([&QueryPlan::Everything]) {
            for block in &mut blocks {
                if found.keys.len() == page.limit {
                    return Ok(found);
                }
                let entry = block.entry;
                if self.known_size(entry, tier) == Some(0) {
                    continue;
                }
                deadline::check()?;
                let left = block.left(self, &all)?;
                if left.is_empty() {
                    continue;
                }
                let within = FilingSet::Bits(left.clone());
                let set = self.set(entry, tier, &within)?.and(within);
                append_keys(entry, &set, &mut skip, page.limit, &mut found.keys);
                *left -= set.bits();
            }
        }
        Ok(found)
    }
}

/// The cost of reading one filing, in rows of the index.
const FILING: u32 = 6;

impl Executor<'_> {
    /// The filings of a block with these words side by side in a text: see `word_runs`.
    pub(crate) fn phrase(
        &self,
        entry: &BlockEntry,
        phrase: &PhrasePlan,
        within: &FilingSet,
    ) -> Result<FilingSet> {
        let whole = phrase.words.len();
        let (bits, is_exact) = self.run(entry, phrase, 0..whole, &mut HashMap::new())?;
        if is_exact || bits.is_empty() {
            return Ok(FilingSet::Bits(bits));
        }
        let mut found = self.set(entry, &phrase.classes, within)?.bits();
        let left = FilingSet::Bits(bits - &found).and(within.clone());
        for number in left.bits() {
            if self.has_phrase(entry, number, &phrase.words)? {
                found.insert(number);
            }
        }
        Ok(FilingSet::Bits(found))
    }

    /// The filings of a block with a run of a phrase, and whether that is exact. If not, they are the filings that may have
    /// it.
    fn run(
        &self,
        entry: &BlockEntry,
        phrase: &PhrasePlan,
        run: Range<usize>,
        known: &mut HashMap<Range<usize>, (Bitmap, bool)>,
    ) -> Result<(Bitmap, bool)> {
        if let Some(known) = known.get(&run) {
            return Ok(known.clone());
        }
        let noted = phrase.runs.get(run.len() - 1).and_then(|runs| runs[run.start]);
        let noted = noted.map(|term| self.term(entry, term)).transpose()?.flatten();
        let found = match noted {
            Some(bits) => (bits, true),
            None if run.len() == 1 => (Bitmap::new(), true),
            None => {
                let (left, is_exact) = self.run(entry, phrase, run.start..run.end - 1, known)?;
                let is_left_rare = left.len() <= RARE;
                let (right, exact) = if left.is_empty() {
                    (Bitmap::new(), true)
                } else {
                    self.run(entry, phrase, run.start + 1..run.end, known)?
                };
                let is_noted_where_it_is = is_exact
                    && exact
                    && !is_left_rare
                    && right.len() > RARE
                    && run.len() <= LONGEST_RUN;
                if is_noted_where_it_is { (Bitmap::new(), true) } else { (left & right, false) }
            }
        };
        known.insert(run, found.clone());
        Ok(found)
    }

    fn has_phrase(&self, entry: &BlockEntry, number: u32, phrase: &[String]) -> Result<bool> {
        const SQL: &str = "SELECT category, type, species, subject FROM filing_place
            JOIN (SELECT key, class.category, type, species, subject FROM filing JOIN class ON class.id = class)
            USING (key) WHERE place = ?1";
        self.spend(FILING)?;
        let mut statement = self.connection.prepare_cached(SQL)?;
        let mut rows = statement.query([entry.block.place(number)])?;
        let Some(row) = rows.next()? else { return Ok(false) };
        let text = |column| -> Result<String> {
            Ok(fold(row.get_ref(column)?.as_str().unwrap_or_default()))
        };
        for level in 0..3 {
            if words_of_level(&text(level)?).windows(phrase.len()).any(|run| run == phrase) {
                return Ok(true);
            }
        }
        let subject = text(3)?;
        let subject: Vec<&str> = words(&subject).filter(|word| word.is_ascii()).collect();
        Ok(subject.windows(phrase.len()).any(|run| run == phrase))
    }
}
