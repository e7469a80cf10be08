//! What each dataset needs, and from whom.
use std::{collections::BTreeMap, io::Read};

use fincore::{
    Currency, Date,
    downloads::{self, Validators},
    market::{self, Known},
};

use super::{
    cvm,
    fault::{Fault, Kind},
    lane::Lane,
    olinda, ptax,
    request::Request,
    response::Answer,
    run::{Job, Outcome, note},
    selection::{Content, Dataset},
    sgs,
};

impl Lane<'_> {
    /// Brings a dataset up to date, and notes how that went.
    pub(super) fn dataset(&mut self, dataset: &Dataset) -> Outcome {
        let mut outcome = Outcome::of(dataset.name);
        let done = match &dataset.content {
            Content::Series(series) => series.iter().try_for_each(|known| {
                let part = self.series(known)?;
                outcome.add(part);
                Ok(())
            }),
            Content::Fx => self.fx(&mut outcome),
            Content::Companies => self.companies(&mut outcome),
            Content::Filings => self.filings(&mut outcome),
        };
        if let Err(fault) = done {
            outcome.fail(fault);
        }
        note(self.job, dataset.name, &outcome);
        outcome.asked = std::mem::take(&mut self.asked);
        outcome
    }

    /// One series of SGS, noted under its own name.
    fn series(&mut self, known: &Known) -> Result<Outcome, Fault> {
        let Job { today, config, .. } = self.job;
        let newest = market::newest_day(&self.snapshot()?, known.number)?;
        let requests = sgs::requests(&config.bases.sgs, known, newest, config.since, *today);
        let mut outcome = Outcome::of(known.name);
        self.in_order(&requests, &mut outcome);
        note(self.job, known.name, &outcome);
        Ok(outcome)
    }

    fn fx(&mut self, outcome: &mut Outcome) -> Result<(), Fault> {
        let Job { today, config, .. } = self.job;
        for known in market::known_series().iter().filter(|known| known.is_exchange_rate()) {
            let part = self.series(known)?;
            outcome.add(part);
        }
        let newest = self.newest_quotes()?;
        let list = olinda::currencies(&config.bases.olinda);
        let (currencies, listed) = self.currencies(&list, &newest)?;
        let failures = outcome.faults.len();
        for currency in currencies {
            let newest = newest.get(&currency).copied();
            let base = &config.bases.olinda;
            let requests = olinda::requests(base, currency, newest, config.since, *today);
            self.in_order(&requests, outcome);
        }
        if let (Some(validators), true) = (listed, outcome.faults.len() == failures) {
            self.remember(&list, &validators)?;
        }
        let have = market::days_with_currencies(&self.snapshot()?, ptax::WHOLE_DAY)?;
        let requests = ptax::requests(&config.bases.ptax, &have, config.since, *today);
        self.each(&requests, outcome);
        Ok(())
    }

    /// The newest day of every currency.
    fn newest_quotes(&self) -> Result<BTreeMap<Currency, Date>, Fault> {
        let pairs = market::fx_pairs(&self.snapshot()?, market::FxPairs::default())?.data;
        Ok(pairs.into_iter().map(|pair| (pair.pair.base, pair.to)).collect())
    }

    /// The currencies that Olinda has. If it does not say, those that it had before.
    ///
    /// The list is remembered by its validators only, and only once all its currencies are there: so an unchanged
    /// list is the one that was asked for then.
    fn currencies(
        &mut self,
        list: &Request,
        newest: &BTreeMap<Currency, Date>,
    ) -> Result<(Vec<Currency>, Option<Validators>), Fault> {
        let base = &self.job.config.bases.olinda;
        let known = downloads::known(&self.snapshot()?, &list.url)?;
        let answer = self.ask(list, known.as_ref());
        match answer {
            Ok(Answer::File { mut file, validators }) => {
                let mut body = Vec::new();
                file.read_to_end(&mut body)?;
                if let Some(currencies) = olinda::listed(&body) {
                    return Ok((currencies, Some(validators)));
                }
            }
            Ok(Answer::Unchanged) => {
                let asked = downloads::addresses(&self.snapshot()?, &olinda::start(base))?;
                let asked = asked.iter().filter_map(|url| olinda::currency_of(base, url));
                let mut asked: Vec<Currency> = asked.collect();
                asked.sort();
                asked.dedup();
                return Ok((asked, None));
            }
            Err(fault) if fault.kind == Kind::Stopped => return Err(fault),
            Ok(Answer::Nothing) | Err(_) => (),
        }
        Ok((newest.keys().copied().filter(|currency| olinda::is_major(*currency)).collect(), None))
    }

    fn companies(&mut self, outcome: &mut Outcome) -> Result<(), Fault> {
        let Job { today, config, .. } = self.job;
        self.each(&[cvm::registry(&config.bases.cvm)], outcome);
        self.each(&cvm::tickers(&config.bases.cvm, *today), outcome);
        Ok(())
    }

    fn filings(&mut self, outcome: &mut Outcome) -> Result<(), Fault> {
        let Job { today, config, .. } = self.job;
        let requests = cvm::filings(&config.bases.cvm, config.since, *today);
        let found = self.each(&requests, outcome);
        if found == 0 && outcome.faults.is_empty() {
            let words =
                format!("{} has none of the files: is the address right?", config.bases.cvm);
            return Err(Fault::lasting(words));
        }
        Ok(())
    }
}
