//! What each dataset needs, and from whom.
use std::{
    collections::{BTreeMap, BTreeSet},
    io::Read,
};

use fincore::{
    Currency, Date,
    downloads::{self, Validators},
    market::{self, Known},
};

use super::{
    cvm,
    days::year_start,
    fault::{Fault, Kind},
    job::{Job, Outcome, note},
    lane::Lane,
    olinda, ptax,
    request::Request,
    response::Answer,
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
        for known in market::known_series().iter().filter(|known| known.is_exchange_rate()) {
            let part = self.series(known)?;
            outcome.add(part);
        }
        self.quotes(outcome)?;
        let Job { today, config, .. } = self.job;
        let have = market::days_with_currencies(&self.snapshot()?, ptax::WHOLE_DAY)?;
        let base = &config.bases.ptax;
        let downloaded = downloads::addresses(&self.snapshot()?, &ptax::start(base))?;
        let downloaded = downloaded.iter().filter_map(|url| ptax::day_of(base, url)).min();
        self.each(&ptax::requests(base, &have, downloaded, config.since, *today), outcome);
        Ok(())
    }

    /// The currencies of Olinda.
    fn quotes(&mut self, outcome: &mut Outcome) -> Result<(), Fault> {
        let Job { today, config, .. } = self.job;
        let newest = self.newest_quotes()?;
        let list = olinda::currencies(&config.bases.olinda);
        let (currencies, listed) = self.currencies(&list, &newest, outcome)?;
        let asked = self.asked_currencies()?;
        for currency in &currencies {
            // The first time from the start of the year: single days of bulletins may lie after a gap.
            let start = if asked.contains(currency) { Date::MAX } else { year_start(*today) };
            let newest = newest.get(currency).map(|newest| (*newest).min(start));
            let base = &config.bases.olinda;
            self.in_order(
                &olinda::requests(base, *currency, newest, config.since, *today),
                outcome,
            );
        }
        // An unchanged list comes without its content: it is the one whose currencies were asked for before.
        if let Some(validators) = listed {
            let asked = self.asked_currencies()?;
            if currencies.iter().all(|currency| asked.contains(currency)) {
                self.remember(&list, &validators)?;
            }
        }
        Ok(())
    }

    /// The currencies of which Olinda has brought something.
    fn asked_currencies(&self) -> Result<BTreeSet<Currency>, Fault> {
        let base = &self.job.config.bases.olinda;
        let asked = downloads::addresses(&self.snapshot()?, &olinda::start(base))?;
        Ok(asked.iter().filter_map(|url| olinda::currency_of(base, url)).collect())
    }

    /// The newest day of every currency.
    fn newest_quotes(&self) -> Result<BTreeMap<Currency, Date>, Fault> {
        let pairs = market::fx_pairs(&self.snapshot()?, market::FxPairs::default())?.data;
        Ok(pairs.into_iter().map(|pair| (pair.pair.base, pair.to)).collect())
    }

    /// The currencies that Olinda has, with the validators of the list if it is new. If Olinda does not say, those
    /// that it had before.
    fn currencies(
        &mut self,
        list: &Request,
        newest: &BTreeMap<Currency, Date>,
        outcome: &mut Outcome,
    ) -> Result<(BTreeSet<Currency>, Option<Validators>), Fault> {
        let known = downloads::known(&self.snapshot()?, &list.url)?;
        match self.ask(list, known.as_ref()) {
            Ok(Answer::File { mut file, validators }) => {
                let mut body = Vec::new();
                file.read_to_end(&mut body)?;
                if let Some(currencies) = olinda::listed(&body) {
                    let new = known.as_ref() != Some(&validators);
                    return Ok((currencies, Some(validators).filter(|_| new)));
                }
                outcome.fail(
                    Fault::lasting("the answer is no list of currencies").about(&list.what, ""),
                );
            }
            Ok(Answer::Unchanged) => return Ok((self.asked_currencies()?, None)),
            Err(fault) if fault.kind == Kind::Stopped => return Err(fault),
            Err(fault) => outcome.fail(fault.about(&list.what, list.host())),
            Ok(Answer::Nothing) => (),
        }
        let stored = newest.keys().copied();
        Ok((stored.filter(|currency| olinda::is_major(*currency)).collect(), None))
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
