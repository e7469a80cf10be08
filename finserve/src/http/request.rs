//! A request as it arrives: what was sent, from where, and when.
use std::net::IpAddr;

use hyper::{
    Method,
    body::Bytes,
    header::{CONTENT_TYPE, HOST},
    http::request::Parts,
};

use super::{headers::X_FORWARDED_PROTO, params::Params, refusal::Refusal};
use crate::now::Now;

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

impl Request {
    /// The body, if it arrived complete and `Content-Type` is this media type.
    pub(crate) fn body(&self, wanted: &'static str) -> Result<&[u8], Refusal> {
        let media = self.head.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let media = media.unwrap_or_default().split(';').next().unwrap_or_default();
        if !media.trim().eq_ignore_ascii_case(wanted) {
            return Err(Refusal::WrongMedia(wanted));
        }
        match &self.upload {
            Upload::Whole(bytes) => Ok(bytes),
            Upload::TooLarge => Err(Refusal::TooLarge { most: MAX_UPLOAD }),
            Upload::Broken(why) => Err(Refusal::BadRequest((*why).into())),
        }
    }

    /// The fields of a form, as browsers send them.
    pub(crate) fn form(&self) -> Result<Params<'_>, Refusal> {
        let body = self.body("application/x-www-form-urlencoded")?;
        let text = str::from_utf8(body)
            .map_err(|_| Refusal::BadRequest("the form is not UTF-8".into()))?;
        Params::from_query(text)
    }

    /// One field of a form, if the request carries one.
    pub(crate) fn form_field(&self, name: &str) -> Option<String> {
        let form = (self.head.method == Method::POST).then(|| self.form())?;
        form.ok()?.get(name).map(str::to_owned)
    }

    /// The address of the service as the client knows it: `http://localhost:8080`.
    pub(crate) fn origin(&self) -> String {
        let text = |name| self.head.headers.get(name).and_then(|value| value.to_str().ok());
        // A proxy that ends TLS says so. It only changes what its own client is shown.
        let scheme = if text(X_FORWARDED_PROTO) == Some("https") { "https" } else { "http" };
        format!("{scheme}://{}", text(HOST).unwrap_or_default())
    }
}
