//! The categories of filings by their words.
use rusqlite::Connection;

use crate::{
    error::Result,
    language::{for_each_extra_word, forms, meanings},
    types::{fold, words},
};

/// The categories of filings with their words, those with most filings first.
#[derive(Debug)]
pub(super) struct CategoryWords(Vec<CategoryName>);

#[derive(Debug)]
struct CategoryName {
    name: String,
    words: Vec<String>,
    /// Words that stand for its expressions.
    meanings: Vec<String>,
}

impl CategoryWords {
    pub(super) fn read(connection: &Connection) -> Result<CategoryWords> {
        const SQL: &str = "SELECT category FROM class_total JOIN class ON class.id = class
            GROUP BY category ORDER BY SUM(filings) DESC, category";
        let mut statement = connection.prepare_cached(SQL)?;
        let mut rows = statement.query([])?;
        let mut all = Vec::new();
        while let Some(row) = rows.next()? {
            let Ok(name) = row.get_ref(0)?.as_str() else { continue };
            let words: Vec<String> = words(&fold(name)).map(str::to_owned).collect();
            let texts: Vec<&str> = words.iter().map(String::as_str).collect();
            let mut meanings = Vec::new();
            for_each_extra_word(&texts, |word| meanings.push(word.to_owned()));
            all.push(CategoryName { name: name.to_owned(), words, meanings });
        }
        Ok(CategoryWords(all))
    }

    /// The categories that have all the words in one of their forms, or expressions that mean the same; the last one as a
    /// prefix.
    pub(super) fn matching<'c>(
        &'c self,
        wanted: &'c [&str],
    ) -> impl Iterator<Item = &'c str> + use<'c> {
        let meanings = meanings(wanted);
        let fits = move |category: &&CategoryName| {
            let has = |word: &str| forms(word).iter().any(|form| category.words.contains(form));
            let means = |at: usize| {
                let meaning = meanings.iter().find(|meaning| meaning.at.contains(&at));
                meaning.is_some_and(|meaning| category.meanings.contains(&meaning.word))
            };
            let begins = |word: &str| category.words.iter().any(|known| known.starts_with(word));
            !wanted.is_empty()
                && wanted.iter().enumerate().all(|(at, word)| {
                    let is_last = at + 1 == wanted.len();
                    has(word)
                        || means(at)
                        || is_last
                            && (begins(word) || category.meanings.iter().any(|own| own == word))
                        || !is_last && category.meanings.iter().any(|own| own == word)
                })
        };
        self.0.iter().filter(fits).map(|category| category.name.as_str())
    }
}
