//! Finds the filings that meet a condition in tiers: those of the first tier, then those of the second, and so on.
use std::{collections::HashMap, ops::Range};

use super::{Executor, KeyPage, PageWindow, append_keys, numbers};
use crate::{
    deadline,
    error::Result,
    index::{
        bitmap::Bitmap, condition::Condition, directory::BlockEntry, filing_set::FilingSet,
        query_plan::QueryPlan,
    },
};

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
        keys: (i64, i64),
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
                let within = FilingSet::Some(left.clone());
                let set = self.set(entry, tier, &within)?.and(within);
                append_keys(entry, &set, &mut skip, page.limit, &mut found.keys);
                *left -= set.bits();
            }
        }
        Ok(found)
    }
}
