//! A request as it arrives: what was sent, from where, and when.
use std::{net::IpAddr, time::Instant};

use fincore::{
    Date,
    chrono::{DateTime, TimeDelta, Utc},
};
use hyper::{
    body::Bytes,
    header::{CONTENT_TYPE, HOST},
    http::request::Parts,
};

use super::{headers::X_FORWARDED_PROTO, refusal::Refusal};

/// The longest body, in bytes.
pub(crate) const MAX_UPLOAD: usize = 16 * 1024;

/// A request that has arrived. It may hold a key, so it cannot be printed.
pub(crate) struct Request {
    pub(crate) head: Parts,
    pub(crate) upload: Upload,
    pub(crate) peer: IpAddr,
    pub(crate) now: Now,
}

/// The body of a request, as far as it is wanted.
pub(crate) enum Upload {
    Whole(Bytes),
    TooLarge,
    /// It did not arrive; the text says why.
    Broken(&'static str),
}

/// A moment by both clocks: one that never jumps, one that people read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Now {
    pub(crate) instant: Instant,
    pub(crate) utc: DateTime<Utc>,
}

impl Now {
    /// The day in Brasília, which has kept UTC−3 all year since 2019.
    pub(crate) fn today(self) -> Date {
        Date::try_from((self.utc - TimeDelta::hours(3)).date_naive()).unwrap_or(Date::MAX)
    }

    /// The day in UTC, by which usage is counted.
    pub(crate) fn utc_day(self) -> Date {
        Date::try_from(self.utc.date_naive()).unwrap_or(Date::MAX)
    }
}

impl Request {
    /// The body, if it has arrived whole and is said to be of this media type.
    pub(crate) fn body(&self, wanted: &'static str) -> Result<&[u8], Refusal> {
        let media = self.head.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let media = media.unwrap_or_default().split(';').next().unwrap_or_default();
        if !media.trim().eq_ignore_ascii_case(wanted) {
            return Err(Refusal::WrongMedia(wanted));
        }
        match &self.upload {
            Upload::Whole(bytes) => Ok(bytes),
            Upload::TooLarge => Err(Refusal::TooLarge),
            Upload::Broken(why) => Err(Refusal::BadRequest((*why).into())),
        }
    }

    /// The address of the service as the client knows it: `http://localhost:8080`.
    pub(crate) fn origin(&self) -> String {
        let text = |name| self.head.headers.get(name).and_then(|value| value.to_str().ok());
        // A proxy that ends TLS says so. It only changes what its own client is shown.
        let scheme = if text(X_FORWARDED_PROTO) == Some("https") { "https" } else { "http" };
        format!("{scheme}://{}", text(HOST).unwrap_or_default())
    }
}
