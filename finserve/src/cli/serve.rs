//! The flags of `serve`.
use std::{net::IpAddr, path::PathBuf};

use clap::{Args, ValueEnum, builder::FalseyValueParser};
use fincore::{events::EventWindow, webhooks::Targets};
use ipnet::IpNet;
use tracing::Level;

use super::Sources;
use super::redacted::Redacted;
use crate::{
    cluster::publication::TypedTarget,
    coordination::directory_lock::Sharing,
    observe::log::{Requests, Settings, Style},
    site::{
        base_path::BasePath,
        public_url::PublicUrl,
        upgrade_contact::{Address, UpgradeContact},
    },
};

/// The flags of [`Serve`], which may be given without the command.
pub(super) const FLAGS: [&str; 38] = [
    "listen",
    "max_connections",
    "tls_cert",
    "tls_key",
    "public_url",
    "base_path",
    "trusted_proxy",
    "max_connections_per_address",
    "registrations_per_hour",
    "contact",
    "upgrade_url",
    "legal_url",
    "webhook_allow_private",
    "webhook_port",
    "event_window",
    "forget_unused_keys",
    "keep_daily_usage",
    "shared",
    "limits",
    "catalogue_from",
    "admin",
    "log",
    "log_level",
    "no_access_log",
    "sync",
    "only",
    "since",
    "sgs_url",
    "olinda_url",
    "ptax_url",
    "bcb_url",
    "cvm_url",
    "budget",
    "timeout",
    "retry_delay",
    "pace",
    "user_agent",
    "keep_changes",
];

/// The socket of a server, which `doctor` looks at too.
#[derive(Debug, Args)]
pub(crate) struct Socket {
    /// Host and port to listen on, such as localhost:8080; port 0 picks a free one
    #[arg(
        long,
        value_name = "ADDRESS",
        env = "FINSERVE_LISTEN",
        default_value = "127.0.0.1:8080",
        value_parser = host_and_port
    )]
    pub(crate) listen: String,
    /// Maximum number of open connections; fewer if the limit on open files is lower
    #[arg(
        long,
        value_name = "NUMBER",
        env = "FINSERVE_MAX_CONNECTIONS",
        default_value_t = 4096,
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    pub(crate) max_connections: u32,
}

#[derive(Debug, Args)]
pub(crate) struct Serve {
    #[command(flatten)]
    pub(crate) socket: Socket,
    /// Serve HTTPS with this certificate chain (PEM); it is read again when the file changes
    #[arg(long, value_name = "FILE", env = "FINSERVE_TLS_CERT", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// The private key of the certificate (PEM)
    #[arg(long, value_name = "FILE", env = "FINSERVE_TLS_KEY", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// Address under which clients know the service, such as https://data.example.com: for links in pages, documents and
    /// formulas; by default what each client calls it
    #[arg(long, value_name = "URL", env = "FINSERVE_PUBLIC_URL")]
    public_url: Option<PublicUrl>,
    /// Path under which a proxy serves everything, such as /data; all links begin with it
    #[arg(
        long,
        value_name = "PATH",
        env = "FINSERVE_BASE_PATH",
        default_value = "",
        hide_default_value = true,
        value_parser = base_path
    )]
    pub(crate) base_path: String,
    /// Networks of proxies whose X-Forwarded-For is trusted, separated by commas; can be given several times
    #[arg(long, value_name = "CIDR", env = "FINSERVE_TRUSTED_PROXY", value_parser = networks)]
    trusted_proxy: Vec<Networks>,
    /// Maximum number of connections from one address or one IPv6 /64 network; by default a quarter of all connections
    #[arg(
        long,
        value_name = "NUMBER",
        env = "FINSERVE_MAX_CONNECTIONS_PER_ADDRESS",
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    pub(crate) max_connections_per_address: Option<u32>,
    /// Number of keys that one address may register per hour
    #[arg(
        long,
        value_name = "NUMBER",
        env = "FINSERVE_REGISTRATIONS_PER_HOUR",
        default_value_t = 20
    )]
    pub(crate) registrations_per_hour: u32,
    /// Where customers can ask for a larger plan: an e-mail address or a URL
    #[arg(long, value_name = "ADDRESS", env = "FINSERVE_CONTACT")]
    contact: Option<Address>,
    /// Where to send callers whose plan does not include something: an http, https or mailto URL; by default /pricing
    #[arg(long, value_name = "URL", env = "FINSERVE_UPGRADE_URL")]
    upgrade_url: Option<Address>,
    /// Your own page of privacy and terms, in the place of /legal: an http or https URL
    #[arg(long, value_name = "URL", env = "FINSERVE_LEGAL_URL", value_parser = Address::of_page)]
    legal_url: Option<Address>,
    /// Let webhooks call any address, even without TLS; for tests and intranets
    #[arg(
        long,
        env = "FINSERVE_WEBHOOK_ALLOW_PRIVATE",
        value_parser = FalseyValueParser::new()
    )]
    webhook_allow_private: bool,
    /// Let webhooks call these ports too, besides 443, 8443 and those above 1023; separated by commas; can be given several
    /// times
    #[arg(long, value_name = "PORT", env = "FINSERVE_WEBHOOK_PORT", value_parser = ports)]
    webhook_port: Vec<PortList>,
    /// Events and webhook calls only for what was published within this many days before it came in, so that an import of
    /// old data is silent; 0 for everything
    #[arg(
        long,
        value_name = "DAYS",
        env = "FINSERVE_EVENT_WINDOW",
        default_value_t = 30,
        value_parser = clap::value_parser!(u32).range(..=36_500)
    )]
    event_window: u32,
    /// Revoke registered keys that were never used after this many days, and remove them a day later; 0 for never
    #[arg(
        long,
        value_name = "DAYS",
        env = "FINSERVE_FORGET_UNUSED_KEYS",
        default_value_t = 90,
        value_parser = clap::value_parser!(u32).range(..=36_500)
    )]
    forget_unused_keys: u32,
    /// Sum the usage of keys by month after this many days; 0 for never
    #[arg(
        long,
        value_name = "DAYS",
        env = "FINSERVE_KEEP_DAILY_USAGE",
        default_value_t = 400,
        value_parser = clap::value_parser!(u32).range(..=36_500)
    )]
    keep_daily_usage: u32,
    /// Share the data directory with other servers that have this flag; each counts limits on its own
    #[arg(long, env = "FINSERVE_SHARED", value_parser = FalseyValueParser::new())]
    shared: bool,
    /// Count limits across all replicas in Valkey or Redis: redis://user:password@host:port/database, or rediss:// for
    /// TLS; only the host is required; needs a build with the feature `cluster`
    #[arg(long, value_name = "URL", env = "FINSERVE_LIMITS", hide_env_values = true)]
    pub(crate) limits: Option<Redacted>,
    /// Serve a published catalogue and follow it: a directory, https://host/path/ or, in a build with the feature `cluster`,
    /// s3://bucket/prefix; with --sync, one of the servers that follow it synchronises and publishes
    #[arg(long, value_name = "TARGET", env = "FINSERVE_CATALOGUE_FROM", hide_env_values = true)]
    pub(crate) catalogue_from: Option<TypedTarget>,
    /// Host and port for /metrics, /ready and /live; by default they are not served
    #[arg(long, value_name = "ADDRESS", env = "FINSERVE_ADMIN", value_parser = host_and_port)]
    pub(crate) admin: Option<String>,
    /// Format of the log; by default human on a terminal and json elsewhere
    #[arg(long, value_name = "FORMAT", env = "FINSERVE_LOG")]
    log: Option<LogFormat>,
    /// Lowest level of messages to log
    #[arg(long, value_name = "LEVEL", env = "FINSERVE_LOG_LEVEL", default_value = "info")]
    log_level: LogLevel,
    /// Do not log requests
    #[arg(long, env = "FINSERVE_NO_ACCESS_LOG", value_parser = FalseyValueParser::new())]
    no_access_log: bool,
    /// Keep the data fresh: download new data from the central bank and CVM, each on its own schedule
    #[arg(long, env = "FINSERVE_SYNC", value_parser = FalseyValueParser::new())]
    pub(crate) sync: bool,
    #[command(flatten)]
    pub(crate) sources: Sources,
}

/// For how many days something is kept; `None` for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Retention {
    /// Keys that were registered and never used.
    pub(crate) unused_keys: Option<u32>,
    /// The usage of single days, which is then summed by month.
    pub(crate) daily_usage: Option<u32>,
}

/// How the log is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum LogFormat {
    /// Text for people
    Human,
    /// One JSON object per line
    Json,
}

/// How important a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum LogLevel {
    /// The operator must do something
    Error,
    /// Something is wrong, but the service goes on
    Warn,
    /// Normal events, requests included
    Info,
    /// Details for debugging
    Debug,
}

impl Serve {
    /// All networks of trusted proxies.
    pub(crate) fn proxies(&self) -> Vec<IpNet> {
        self.trusted_proxy.iter().flat_map(|networks| networks.0.clone()).collect()
    }

    /// Where customers ask for a larger plan.
    pub(crate) fn upgrade_contact(&self) -> UpgradeContact {
        let base = BasePath::new(&self.base_path);
        UpgradeContact::new(base, self.contact.clone(), self.upgrade_url.clone())
            .with_legal(self.legal_url.clone())
            .with_public_url(self.public_url)
    }

    /// Which addresses webhooks may call.
    pub(crate) fn targets(&self) -> Targets {
        if self.webhook_allow_private {
            return Targets::Any;
        }
        let mut ports = self.webhook_port.iter().flat_map(|ports| ports.0.clone()).peekable();
        match ports.peek() {
            Some(_) => Targets::PublicAndPorts(ports.collect()),
            None => Targets::Public,
        }
    }

    /// How old what comes in may be and still be an event.
    pub(crate) fn event_window(&self) -> EventWindow {
        EventWindow::days(self.event_window)
    }

    /// For how long unused keys and the usage of single days are kept.
    pub(crate) fn retention(&self) -> Retention {
        let days = |days: u32| (days > 0).then_some(days);
        Retention {
            unused_keys: days(self.forget_unused_keys),
            daily_usage: days(self.keep_daily_usage),
        }
    }

    /// The log settings.
    pub(super) fn log(&self) -> Settings {
        let style = self.log.map(|format| match format {
            LogFormat::Human => Style::Human,
            LogFormat::Json => Style::Json,
        });
        let level = match self.log_level {
            LogLevel::Error => Level::ERROR,
            LogLevel::Warn => Level::WARN,
            LogLevel::Info => Level::INFO,
            LogLevel::Debug => Level::DEBUG,
        };
        let requests = if self.no_access_log { Requests::NotLogged } else { Requests::Logged };
        Settings { style, level, requests }
    }

    /// Whether other servers may serve the same data directory.
    pub(crate) fn sharing(&self) -> Sharing {
        if self.shared { Sharing::Shared } else { Sharing::Alone }
    }

    /// The files of the certificate and of its key, to serve HTTPS.
    pub(crate) fn tls(&self) -> Option<(PathBuf, PathBuf)> {
        self.tls_cert.clone().zip(self.tls_key.clone())
    }
}

/// A host and a port; whether the host exists shows when the server listens on it.
pub(super) fn host_and_port(text: &str) -> Result<String, String> {
    match text.rsplit_once(':') {
        Some((host, port)) if !host.is_empty() && port.parse::<u16>().is_ok() => {
            Ok(text.to_owned())
        }
        _ => {
            Err("expected a host and port, such as 127.0.0.1:8080, [::1]:8080 or localhost:8080"
                .into())
        }
    }
}

/// Prefixes of the service's own paths.
const OWN_PATHS: [&str; 10] = [
    "api",
    "assets",
    "docs",
    "health",
    "pricing",
    "robots.txt",
    "sign-in",
    "sign-out",
    "sitemap.xml",
    "usage",
];

/// A path that begins with a slash and does not end with one; empty for no base path.
fn base_path(text: &str) -> Result<String, String> {
    let path = text.trim_end_matches('/');
    let plain = |c: char| c.is_ascii_alphanumeric() || "-._~/".contains(c);
    let is_path = path.starts_with('/') && !path.contains("//") && path.chars().all(plain);
    // Below one of these, the server could not tell whether a proxy has stripped the base path.
    let first = path.split('/').nth(1).unwrap_or_default();
    if OWN_PATHS.contains(&first) {
        return Err(format!("/{first} is a path of the service itself"));
    }
    if path.is_empty() || is_path {
        return Ok(path.to_owned());
    }
    Err("expected a path such as /data, of letters, digits and -._~".into())
}

/// A list of ports; an empty one, as environments often have it, is none.
#[derive(Clone, Debug)]
struct PortList(Vec<u16>);

fn ports(text: &str) -> Result<PortList, String> {
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    let ports: Result<Vec<u16>, _> = parts.map(str::parse).collect();
    let ports = ports.ok().filter(|ports| !ports.contains(&0)).map(PortList);
    ports.ok_or_else(|| "expected a port from 1 to 65535, such as 444".into())
}

/// A list of networks; an empty one, as environments often have it, is none.
#[derive(Clone, Debug)]
struct Networks(Vec<IpNet>);

fn networks(text: &str) -> Result<Networks, String> {
    // One address is a network of its own.
    let network = |text: &str| text.parse().or_else(|_| text.parse::<IpAddr>().map(IpNet::from));
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    let networks = parts.map(network).collect::<Result<_, _>>();
    networks.map(Networks).map_err(|_| "expected a network such as 10.0.0.0/8 or fd00::/8".into())
}
