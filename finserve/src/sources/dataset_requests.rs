//! The requests that each dataset needs, and the publishers they go to.
use std::{
    collections::{BTreeMap, BTreeSet},
    io::Read,
};

use fincore::{
    Currency, Date, Form, Span,
    downloads::{self, Validators},
    market::{self, Figures},
};

use super::{
    client::Answer,
    copom, cvm,
    dataset_selection::{Content, Dataset, SyncedSeries},
    date_windows::year_start,
    failure::{Fault, FaultKind},
    olinda, ptax,
    publisher_queue::PublisherQueue,
    request::Request,
    sgs,
    sync_job::{Job, Outcome, record_attempt, record_outcome},
};

/// Adds the requests for days that no other request asks for.
fn add_missing(requests: &mut Vec<Request>, more: Vec<Request>) {
    for request in more {
        let is_asked = |other: &Request| match (&other.days, &request.days) {
            (Some(wide), Some(narrow)) => wide.window.includes(narrow.window),
            _ => false,
        };
        if !requests.iter().any(is_asked) {
            requests.push(request);
        }
    }
}

impl PublisherQueue<'_> {
    /// Brings a dataset up to date, and records the outcome.
    pub(super) fn sync(&mut self, dataset: &Dataset) -> Outcome {
        let mut outcome = Outcome::new(dataset.name.clone());
        let done = match &dataset.content {
            Content::Series(series) => series.iter().try_for_each(|known| {
                let part = self.series(known)?;
                outcome.add(part);
                Ok(())
            }),
            Content::Fx => self.fx(&mut outcome),
            Content::Meetings => {
                let calendar = copom::calendar(&self.job.config.urls.site);
                self.fetch_in_order(&[calendar], &mut outcome);
                Ok(())
            }
            Content::Companies => self.companies(&mut outcome),
            Content::Filings(forms) => self.filings(forms, &mut outcome),
        };
        if let Err(fault) = done {
            outcome.fail(fault);
        }
        // Each form was recorded under its own name.
        if !matches!(dataset.content, Content::Filings(_)) {
            record_outcome(self.job, &dataset.name, &outcome);
        }
        outcome.asked = std::mem::take(&mut self.asked);
        outcome.notes = std::mem::take(&mut self.notes);
        outcome
    }

    /// One series of SGS, recorded under its own name.
    fn series(&mut self, known: &SyncedSeries) -> Result<Outcome, Fault> {
        let Job { today, config, .. } = self.job;
        let snapshot = self.snapshot()?;
        let newest = market::newest_day(&snapshot, known.number)?;
        let mut requests = sgs::requests(&config.urls.sgs, known, newest, config.since, *today);
        let holes = market::holes(&snapshot, Figures::Series(known.number))?;
        add_missing(
            &mut requests,
            sgs::requests_for_holes(&config.urls.sgs, known, &holes, *today),
        );
        // A commit waits for those who read.
        drop(snapshot);
        let mut outcome = Outcome::new(known.name.clone());
        self.fetch_in_order(&requests, &mut outcome);
        if known.on_demand && newest.is_none() && outcome.is_empty() {
            let message = format!("SGS {} has no figures: is the number right?", known.number);
            outcome.fail(Fault::permanent(message));
        }
        record_outcome(self.job, &known.name, &outcome);
        Ok(outcome)
    }

    fn fx(&mut self, outcome: &mut Outcome) -> Result<(), Fault> {
        let sides = || {
            let known = market::known_series().iter().filter(|known| known.is_exchange_rate());
            known.map(SyncedSeries::from)
        };
        let mut parts = sides().map(|side| self.series(&side)).collect::<Result<Vec<_>, _>>()?;
        // A revised price may be on the wrong side of the other one until that is revised, too.
        self.forget_refused();
        for (side, part) in sides().zip(&mut parts).filter(|(_, part)| part.is_refused) {
            let first_tally = part.tally;
            *part = self.series(&side)?;
            part.tally += first_tally;
        }
        parts.into_iter().for_each(|part| outcome.add(part));
        self.quotes(outcome)?;
        let Job { today, config, .. } = self.job;
        let have = market::days_with_currencies(&self.snapshot()?, ptax::WHOLE_DAY)?;
        let base = &config.urls.ptax;
        let downloaded = downloads::addresses(&self.snapshot()?, &ptax::url_prefix(base))?;
        let downloaded = downloaded.iter().filter_map(|url| ptax::day_of(base, url)).min();
        self.fetch_all(&ptax::requests(base, &have, downloaded, config.since, *today), outcome);
        Ok(())
    }

    /// The quotes of Olinda, currency by currency.
    fn quotes(&mut self, outcome: &mut Outcome) -> Result<(), Fault> {
        let Job { today, config, .. } = self.job;
        let newest = self.newest_quotes()?;
        let list = olinda::currencies(&config.urls.olinda);
        let (currencies, listed) = self.currencies(&list, &newest, outcome)?;
        let asked = self.asked_currencies()?;
        for currency in &currencies {
            // The first time from the start of the year: single days of bulletins may lie after a gap.
            let start = if asked.contains(currency) { Date::MAX } else { year_start(*today) };
            let newest = newest.get(currency).map(|newest| (*newest).min(start));
            let base = &config.urls.olinda;
            let mut requests = olinda::requests(base, *currency, newest, config.since, *today);
            let holes = self.quote_holes(*currency)?;
            add_missing(&mut requests, olinda::requests_for_holes(base, *currency, &holes, *today));
            self.fetch_in_order(&requests, outcome);
        }
        // An unchanged list comes without its content, so it is only remembered once all its currencies were asked for.
        if let Some(validators) = listed {
            let asked = self.asked_currencies()?;
            if currencies.iter().all(|currency| asked.contains(currency)) {
                self.remember(&list, &validators)?;
            }
        }
        Ok(())
    }

    /// The holes in the quotes of a currency since the first day that was ever downloaded of it: the bundled data has single
    /// days of years before.
    fn quote_holes(&self, currency: Currency) -> Result<Vec<Span>, Fault> {
        let (snapshot, base) = (self.snapshot()?, &self.job.config.urls.olinda);
        let asked = downloads::addresses(&snapshot, &olinda::url_prefix(base))?;
        let first = asked.iter().filter(|url| olinda::currency_of(base, url) == Some(currency));
        let Some(first) = first.filter_map(|url| olinda::first_day_of(url)).min() else {
            return Ok(Vec::new());
        };
        let mut holes = market::holes(&snapshot, Figures::Quotes(currency))?;
        holes.retain(|hole| hole.to >= first);
        Ok(holes)
    }

    /// The currencies that were downloaded from Olinda before.
    fn asked_currencies(&self) -> Result<BTreeSet<Currency>, Fault> {
        let base = &self.job.config.urls.olinda;
        let asked = downloads::addresses(&self.snapshot()?, &olinda::url_prefix(base))?;
        Ok(asked.iter().filter_map(|url| olinda::currency_of(base, url)).collect())
    }

    /// The newest day of every currency.
    fn newest_quotes(&self) -> Result<BTreeMap<Currency, Date>, Fault> {
        let pairs = market::fx_pairs(&self.snapshot()?, market::FxPairs::default())?.data;
        Ok(pairs.into_iter().map(|pair| (pair.pair.base, pair.to)).collect())
    }

    /// The currencies that Olinda has, with the validators of the list if it is new. If Olinda sends no list,
    /// the major currencies that have quotes.
    fn currencies(
        &mut self,
        list: &Request,
        newest: &BTreeMap<Currency, Date>,
        outcome: &mut Outcome,
    ) -> Result<(BTreeSet<Currency>, Option<Validators>), Fault> {
        let known = downloads::validators(&self.snapshot()?, &list.url)?;
        match self.ask(list, known.as_ref()) {
            Ok(Answer::File { mut file, validators }) => {
                let mut body = Vec::new();
                file.read_to_end(&mut body)?;
                if let Some(currencies) = olinda::parse_currencies(&body) {
                    let new = known.as_ref() != Some(&validators);
                    return Ok((currencies, Some(validators).filter(|_| new)));
                }
                outcome.fail(
                    Fault::permanent("the answer is no list of currencies").about(&list.what, ""),
                );
            }
            Ok(Answer::Unchanged) => return Ok((self.asked_currencies()?, None)),
            Err(fault) if fault.kind == FaultKind::Stopped => return Err(fault),
            Err(fault) => outcome.fail(fault.about(&list.what, list.host())),
            Ok(Answer::Nothing) => (),
        }
        let stored = newest.keys().copied();
        Ok((stored.filter(|currency| olinda::is_major(*currency)).collect(), None))
    }

    fn companies(&mut self, outcome: &mut Outcome) -> Result<(), Fault> {
        let Job { today, config, .. } = self.job;
        self.fetch_all(&[cvm::registry(&config.urls.cvm)], outcome);
        self.fetch_all(&cvm::tickers(&config.urls.cvm, *today), outcome);
        Ok(())
    }

    /// The filings of these forms, each recorded under its own name.
    fn filings(&mut self, forms: &[Form], outcome: &mut Outcome) -> Result<(), Fault> {
        let Job { today, config, .. } = self.job;
        let mut parts = Vec::with_capacity(forms.len());
        for form in forms {
            let requests = cvm::filings(&config.urls.cvm, *form, config.since, *today);
            let mut part = Outcome::new(form.dataset());
            let found = self.fetch_all(&requests, &mut part);
            parts.push((found, part));
        }
        let is_elsewhere = parts.iter().all(|(found, part)| *found == 0 && part.faults.is_empty());
        for (found, mut part) in parts {
            if is_elsewhere && !part.stopped {
                let base = &config.urls.cvm;
                let message = format!("{base} has none of the files: is the address right?");
                part.fail(Fault::permanent(message));
            }
            if found > 0 || !part.faults.is_empty() {
                record_outcome(self.job, &part.dataset, &part);
            } else if !part.stopped {
                // Without a file nothing is known to be current.
                record_attempt(self.job, &part.dataset);
            }
            outcome.add(part);
        }
        Ok(())
    }
}
