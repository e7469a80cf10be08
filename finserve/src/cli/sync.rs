//! The flags of `sync`, which `serve --sync` shares.
use std::time::Duration;

use clap::Args;
use fincore::Date;

use super::Changes;
use crate::sources::{
    BaseUrl, Config, PublisherUrls, Selection, SeriesNumbers, Timeouts, UserAgent,
};

#[derive(Debug, Args)]
pub(crate) struct Sync {
    /// Download and show what is new, but change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Accept an implausible registry and implausible figures, and remove withdrawn filings and figures, however many
    #[arg(long)]
    pub(crate) force: bool,
    /// Series of SGS to synchronise, by number or name, separated by commas, such as 13522,28655; in place of all datasets, or besides those of --only
    #[arg(long, value_name = "SERIES")]
    series: Option<SeriesNumbers>,
    #[command(flatten)]
    pub(crate) sources: Sources,
}

impl Sync {
    pub(crate) fn config(&self) -> Config {
        let config = Config { force: self.force, ..self.sources.config() };
        match &self.series {
            None => config,
            Some(series) => {
                let only = Selection::and_series(self.sources.only.clone(), series.clone());
                Config { only, ..config }
            }
        }
    }
}

/// Where the data comes from, and how much of it.
#[derive(Debug, Args)]
pub(crate) struct Sources {
    /// Datasets to synchronise, separated by commas, such as selic,fx,filings; by default all
    #[arg(long, value_name = "DATASETS", env = "FINSERVE_ONLY")]
    only: Option<Selection>,
    /// First day to download, YYYY-MM-DD; by default everything since the newest stored day
    #[arg(long, value_name = "DATE", env = "FINSERVE_SINCE")]
    since: Option<Date>,
    #[command(flatten)]
    addresses: Addresses,
    /// Seconds allowed for each publisher in one run, retries included
    #[arg(long, value_name = "SECONDS", env = "FINSERVE_BUDGET", default_value_t = 600)]
    budget: u32,
    /// Seconds to wait for a publisher's server that sends nothing
    #[arg(long, value_name = "SECONDS", env = "FINSERVE_TIMEOUT", default_value_t = 30)]
    timeout: u32,
    /// Milliseconds before the first retry of a failed request; doubled for each further retry
    #[arg(long, value_name = "MILLISECONDS", env = "FINSERVE_RETRY_DELAY", default_value_t = 500)]
    retry_delay: u32,
    /// Least milliseconds between two requests to one publisher; they count against --budget
    #[arg(long, value_name = "MILLISECONDS", env = "FINSERVE_PACE", default_value_t = 300)]
    pace: u32,
    /// Name of this program in requests to publishers
    #[arg(long, value_name = "TEXT", env = "FINSERVE_USER_AGENT", default_value_t)]
    user_agent: UserAgent,
    #[command(flatten)]
    changes: Changes,
}

/// Where the publishers are.
#[derive(Debug, Args)]
pub(crate) struct Addresses {
    /// Address of the central bank's time series (SGS)
    #[arg(
        long,
        value_name = "URL",
        env = "FINSERVE_SGS_URL",
        default_value = "https://api.bcb.gov.br"
    )]
    sgs_url: BaseUrl,
    /// Address of the central bank's PTAX service (Olinda)
    #[arg(
        long,
        value_name = "URL",
        env = "FINSERVE_OLINDA_URL",
        default_value = "https://olinda.bcb.gov.br"
    )]
    olinda_url: BaseUrl,
    /// Address of the central bank's PTAX bulletins
    #[arg(
        long,
        value_name = "URL",
        env = "FINSERVE_PTAX_URL",
        default_value = "https://www4.bcb.gov.br"
    )]
    ptax_url: BaseUrl,
    /// Address of the central bank's site, which has the calendar of Copom meetings
    #[arg(
        long,
        value_name = "URL",
        env = "FINSERVE_BCB_URL",
        default_value = "https://www.bcb.gov.br"
    )]
    bcb_url: BaseUrl,
    /// Address of CVM's open data
    #[arg(
        long,
        value_name = "URL",
        env = "FINSERVE_CVM_URL",
        default_value = "https://dados.cvm.gov.br"
    )]
    cvm_url: BaseUrl,
}

impl Addresses {
    pub(crate) fn urls(&self) -> PublisherUrls {
        PublisherUrls {
            sgs: self.sgs_url.clone(),
            olinda: self.olinda_url.clone(),
            ptax: self.ptax_url.clone(),
            site: self.bcb_url.clone(),
            cvm: self.cvm_url.clone(),
        }
    }
}

impl Sources {
    pub(crate) fn config(&self) -> Config {
        let seconds = |seconds: u32| Duration::from_secs(seconds.max(1).into());
        Config {
            urls: self.addresses.urls(),
            only: self.only.clone().unwrap_or_default(),
            since: self.since,
            keep_changes: self.changes.keep(),
            force: false,
            timeouts: Timeouts {
                budget: seconds(self.budget),
                timeout: seconds(self.timeout),
                retry_delay: Duration::from_millis(self.retry_delay.into()),
                pace: Duration::from_millis(self.pace.into()),
            },
            user_agent: self.user_agent.clone(),
        }
    }
}
