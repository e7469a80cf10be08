//! The search index of filings, inside the data file.
//!
//! Filings are cut into [`Block`](block::Block)s in the order of their keys. For each term, a block stores the set of
//! its filings that have the term: words, runs of words and prefixes; companies, categories, types, classes and years.
//! A query combines the sets of one block at a time, newest first, so that totals are exact and any page is found by
//! counting. A block is a function of its filings and of the names of companies: it is rebuilt whenever one of them
//! changes.
mod bitmap;
mod block;
mod block_contents;
mod block_packer;
mod block_summary;
mod block_writer;
mod class_words;
mod condition;
mod directory;
mod executor;
mod filing_set;
mod metadata;
mod query_plan;
mod rebuild;
mod term_kind;
mod terms;
// Only the bundle and imports write.
#[cfg(any(feature = "bundle", feature = "import"))]
mod update;
mod word_runs;

#[cfg(any(feature = "bundle", feature = "import"))]
pub(crate) use block::BlockSizes;
pub(crate) use condition::Condition;
pub(crate) use directory::DirectoryCache;
pub(crate) use executor::{Executor, KeyPage, PageWindow};
pub(crate) use metadata::is_outdated;
pub(crate) use rebuild::rebuild;
#[cfg(any(feature = "bundle", feature = "import"))]
pub(crate) use rebuild::rebuild_with_same_blocks;
pub(crate) use term_kind::TermKind;
#[cfg(any(feature = "bundle", feature = "import"))]
pub(crate) use update::{ChangedBlocks, IndexProgress, update};
