//! Finds companies by what identifies them: a CVM code, a CNPJ, a ticker or an ISIN.
use std::cmp::Reverse;

use super::{Names, company_names::CompanyNames};
use crate::types::{CNPJ_ROOT, Cnpj, Identifier, TICKER_ROOT, is_ticker};

/// The companies that an identifier stands for.
#[derive(Debug)]
pub(super) struct IdentifiedCompanies {
    /// Their positions, in order.
    pub(super) positions: Vec<u32>,
    /// Whether they have this very identifier: not if only its beginning is theirs, as in `PETR99`.
    pub(super) is_theirs: bool,
}

/// Words that only say what the next one is: `cvm 9512`, `ticker PETR4`.
pub(super) const LABELS: [&str; 9] =
    ["cvm", "codigo", "cod", "cnpj", "ticker", "tickers", "numero", "no", "isin"];

/// The numbers that the exchange gives to shares and units of a company itself. One that has tickers may have others of them
/// that no form lists.
const CLASSES: [&str; 8] = ["3", "4", "5", "6", "7", "8", "11", "12"];

impl Names {
    /// The companies that an identifier stands for; none if it is unknown.
    pub(super) fn identify(&self, identifier: &Identifier) -> IdentifiedCompanies {
        let theirs = |positions| IdentifiedCompanies { positions, is_theirs: true };
        match identifier {
            Identifier::Code(code) => {
                let at = self.by_code.get(&code.get());
                theirs(at.and_then(|at| u32::try_from(*at).ok()).into_iter().collect())
            }
            Identifier::Cnpj(cnpj) => self.with_cnpj(cnpj),
            Identifier::Ticker(ticker) => match self.find_by_ticker(ticker) {
                [] => {
                    let by_root = self.by_ticker.get(&ticker[..TICKER_ROOT.min(ticker.len())]);
                    let positions = by_root.cloned().unwrap_or_default();
                    IdentifiedCompanies { positions, is_theirs: false }
                }
                known => theirs(known.to_vec()),
            },
            Identifier::Isin(_) => {
                let by_root = identifier.ticker_root().and_then(|root| self.by_ticker.get(root));
                theirs(by_root.cloned().unwrap_or_default())
            }
        }
    }

    /// The companies with this CNPJ or this beginning of one; or else the company of whose branches it is one.
    fn with_cnpj(&self, cnpj: &str) -> IdentifiedCompanies {
        let beginning_with = |text: &str| -> Vec<u32> {
            let companies = (0..).zip(&self.companies);
            let with_cnpj = companies.filter(|(_, company)| company.cnpj.starts_with(text));
            with_cnpj.map(|(at, _)| at).collect()
        };
        let positions = beginning_with(cnpj);
        if !positions.is_empty() || cnpj.len() <= CNPJ_ROOT {
            return IdentifiedCompanies { positions, is_theirs: true };
        }
        let is_theirs = cnpj.parse::<Cnpj>().is_ok();
        IdentifiedCompanies { positions: beginning_with(&cnpj[..CNPJ_ROOT]), is_theirs }
    }

    /// The positions of companies that these words identify: by code, CNPJ, ticker or ISIN.
    pub(super) fn find_identified(&self, words: &[&str]) -> Vec<u32> {
        let words: Vec<&str> =
            words.iter().copied().filter(|word| !LABELS.contains(word)).collect();
        let ticker;
        let word = match words[..] {
            [word] => word,
            [ticker, "sa"] if is_ticker(ticker) => ticker,
            // `PETR 4`
            [root, number] if root.len() == TICKER_ROOT && CLASSES.contains(&number) => {
                ticker = [root, number].concat();
                &ticker
            }
            _ => return Vec::new(),
        };
        self.find_identified_by(word)
    }

    /// The positions of companies that a word identifies; four letters may be those that tickers begin with.
    fn find_identified_by(&self, word: &str) -> Vec<u32> {
        let identifier = Identifier::of_word(word);
        let found = identifier.map(|identifier| self.identify(&identifier));
        match found.filter(|found| found.is_theirs && !found.positions.is_empty()) {
            Some(found) => found.positions,
            None => match self.find_by_ticker(word) {
                [] => self.find_by_root(word),
                known => known.to_vec(),
            },
        }
    }

    /// The codes of the companies that a word identifies.
    pub(crate) fn codes_identified_by(&self, word: &str) -> Vec<u32> {
        self.codes_of(&self.find_identified_by(word))
    }

    /// The codes of the companies that trade under a ticker in two words: `PETR 4`, `PETR4.SA`.
    pub(crate) fn codes_of_split_ticker(&self, first: &str, second: &str) -> Vec<u32> {
        let ticker = match second {
            "sa" => first.to_owned(),
            _ if first.len() == TICKER_ROOT => [first, second].concat(),
            _ => return Vec::new(),
        };
        if is_ticker(&ticker) { self.codes_identified_by(&ticker) } else { Vec::new() }
    }

    fn codes_of(&self, positions: &[u32]) -> Vec<u32> {
        positions.iter().map(|at| self.companies[*at as usize].code).collect()
    }

    /// The code of the company that trades under a ticker, in one of its forms, or that may have such shares.
    pub(crate) fn code_of_ticker(&self, ticker: &str) -> Option<u32> {
        let found = match self.find_by_ticker(ticker) {
            [] => {
                let (root, class) = ticker.split_at_checked(TICKER_ROOT)?;
                let class = class.strip_suffix('f').unwrap_or(class);
                let is_plausible = class.is_empty() || CLASSES.contains(&class);
                self.by_ticker.get(root).filter(|_| is_plausible).map_or(&[][..], Vec::as_slice)
            }
            found => found,
        };
        let found = found.iter().map(|at| &self.companies[*at as usize]);
        // The active one, then the one registered last, as with companies that share a CNPJ.
        let best = found.min_by_key(|company| (company.standing, Reverse(company.code)));
        best.map(|company| company.code)
    }

    /// Companies by a ticker, or its fractional form (`PETR4F`).
    fn find_by_ticker(&self, word: &str) -> &[u32] {
        let whole = word.strip_suffix('f').filter(|_| is_ticker(word));
        let trading = [Some(word), whole].into_iter().flatten();
        let trading = trading.filter(|word| word.len() != TICKER_ROOT);
        trading.filter_map(|ticker| self.by_ticker.get(ticker)).next().map_or(&[], Vec::as_slice)
    }

    /// Companies whose tickers begin with these four letters. Of tickers that have ended, only if the letters are no word of a
    /// name.
    fn find_by_root(&self, word: &str) -> Vec<u32> {
        let all = self.by_ticker.get(word).filter(|_| word.len() == TICKER_ROOT);
        let all = all.map_or(&[][..], Vec::as_slice);
        let trades = |at: &&u32| {
            let company = &self.companies[**at as usize];
            company.tickers.iter().any(|ticker| ticker.starts_with(word))
        };
        let current: Vec<u32> = all.iter().filter(trades).copied().collect();
        match current.is_empty() && self.vocabulary.companies_with(word).is_empty() {
            true => all.to_vec(),
            false => current,
        }
    }

    /// The known tickers that begin with the same letters, in capital letters.
    pub(super) fn tickers_of_root(&self, root: &str) -> Vec<String> {
        let companies = self.by_ticker.get(root).into_iter().flatten();
        let all = companies.flat_map(|at| &self.companies[*at as usize].tickers);
        let mut all: Vec<String> = all.map(|ticker| ticker.to_ascii_uppercase()).collect();
        all.retain(|ticker| ticker.to_ascii_lowercase().starts_with(root));
        all.dedup();
        all
    }

    /// The known ticker that two letters side by side were swapped in: `PERT4`.
    pub(super) fn swapped_ticker(&self, ticker: &str) -> Option<(&str, &CompanyNames)> {
        (0..TICKER_ROOT - 1).find_map(|at| {
            let mut bytes = ticker.as_bytes().to_vec();
            bytes.swap(at, at + 1);
            let swapped = String::from_utf8(bytes).ok()?;
            let (known, positions) = self.by_ticker.get_key_value(&swapped)?;
            let company = &self.companies[*positions.first()? as usize];
            Some((known.as_str(), company))
        })
    }
}
