//! A request as it arrives: what was sent, from where, and when.
use std::{net::IpAddr, sync::Arc};

use fincore::sessions::Holder;
use hyper::{
    Method, Uri,
    body::Bytes,
    header::{CONTENT_TYPE, HOST, HeaderName, ORIGIN, REFERER},
    http::{request::Parts, uri::Authority},
};

use super::{
    header_names::{SEC_FETCH_SITE, X_FORWARDED_PROTO},
    link_parameter::LinkCredential,
    parameters::Params,
    refusal::Refusal,
};
use crate::{
    coordination::clock::Now,
    errors::BadRequest,
    http::transport::turns::Turn,
    mcp::{self, Reaction},
    site::{host_header, local_host::is_local, upgrade_contact::UpgradeContact},
};

/// The longest body, in bytes. Arguments of agents may be longer than forms.
const MAX_UPLOAD: usize = 16 * 1024;

/// The longest body of a request with this path, in bytes. What comes before the path of ours is not known here.
pub(crate) fn max_upload(path: &str) -> usize {
    if path.ends_with(mcp::PATH) { mcp::LONGEST } else { MAX_UPLOAD }
}

/// A request that has arrived. It may hold a key, so it cannot be printed.
pub(crate) struct Request {
    pub(crate) head: Parts,
    pub(crate) upload: Upload,
    pub(crate) peer: IpAddr,
    pub(crate) is_encrypted: bool,
    pub(crate) now: Now,
    /// The session of a browser, where one counts.
    pub(crate) session: Session,
    /// The link that its address carried.
    pub(crate) link: LinkCredential,
    /// The reaction to the message of an agent, once that has been parsed.
    pub(crate) reaction: Option<Reaction>,
    /// In whose turn its connection is served.
    pub(crate) turn: Arc<Turn>,
}

/// The session that the cookie of a browser names.
#[derive(Default)]
pub(crate) enum Session {
    #[default]
    None,
    /// The browser should forget it.
    Expired,
    SignedIn(Holder),
}

impl Session {
    /// The key that is signed in.
    pub(crate) fn holder(&self) -> Option<&Holder> {
        match self {
            Session::SignedIn(holder) => Some(holder),
            Session::None | Session::Expired => None,
        }
    }
}

/// The body of a request, as far as it is wanted.
pub(crate) enum Upload {
    Whole(Bytes),
    /// It has more bytes than this.
    TooLarge(usize),
    /// It did not arrive in time.
    TooSlow,
    /// It ended before it was complete.
    Broken,
}

impl Default for Upload {
    /// That of a request without one.
    fn default() -> Upload {
        Upload::Whole(Bytes::new())
    }
}

impl Request {
    /// The body, if it arrived complete and `Content-Type` is this media type.
    pub(crate) fn body(&self, wanted: &'static str) -> Result<&Bytes, Refusal> {
        let media = self.head.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let media = media.unwrap_or_default().split(';').next().unwrap_or_default();
        if !media.trim().eq_ignore_ascii_case(wanted) {
            return Err(Refusal::WrongMedia(wanted));
        }
        match &self.upload {
            Upload::Whole(bytes) => Ok(bytes),
            Upload::TooLarge(most) => Err(Refusal::TooLarge { most: *most }),
            Upload::TooSlow => Err(Refusal::TooSlow),
            Upload::Broken => Err(BadRequest::BrokenBody.into()),
        }
    }

    /// Whether it carries a call of an agent that is refused.
    pub(crate) fn is_refused_call(&self) -> bool {
        matches!(&self.reaction, Some(Reaction::Reply(reply)) if reply.refuses_call)
    }

    /// The fields of a form, as browsers send them.
    pub(crate) fn form(&self) -> Result<Params<'_>, Refusal> {
        let body = self.body("application/x-www-form-urlencoded")?;
        let text = str::from_utf8(body).map_err(|_| BadRequest::FormNotUtf8)?;
        Params::from_query(text)
    }

    /// One field of a form, if the request carries one.
    pub(crate) fn form_field(&self, name: &str) -> Option<String> {
        let form = (self.head.method == Method::POST).then(|| self.form())?;
        form.ok()?.get(name).map(str::to_owned)
    }

    /// The address of the service: the one that the operator gives it, or else as the client calls it, such as
    /// `http://localhost:8080`. Nothing where neither says it.
    pub(crate) fn origin(&self, operator: UpgradeContact) -> Option<String> {
        operator.public_url().map(|url| url.as_str().to_owned()).or_else(|| self.named_origin())
    }

    /// The address that the client calls. A `Host` header that is something else than a host writes into no document.
    pub(crate) fn named_origin(&self) -> Option<String> {
        let host = self.text(HOST).filter(|text| host_header::host(text).is_some())?;
        let scheme = if self.is_https() { "https" } else { "http" };
        Some(format!("{scheme}://{host}"))
    }

    /// Whether the client calls the machine that it is on.
    pub(crate) fn calls_own_machine(&self) -> bool {
        self.text(HOST).is_some_and(is_local)
    }

    /// Whether the client came by TLS. A proxy that ends it says so, which only changes what its own client is given.
    pub(crate) fn is_https(&self) -> bool {
        self.is_encrypted || self.text(X_FORWARDED_PROTO) == Some("https")
    }

    /// Whether the client came by TLS to a machine that is not its own: then it should always come so.
    pub(crate) fn is_https_elsewhere(&self) -> bool {
        self.is_https() && !self.calls_own_machine()
    }

    /// Fails where a browser sent this for a page of another site, which must not get keys in the name of its visitors.
    ///
    /// Ports and schemes are not compared, because proxies change them. Where none of the three headers is sent, no browser
    /// is at work that knows sessions: those that keep cookies from other sites' forms name the origin of every form.
    pub(crate) fn check_site(&self) -> Result<(), Refusal> {
        // A host and a port, or only a host: `a:80.example` is neither.
        let is_whole = |there: &Authority| there.port().is_some() || there.as_str() == there.host();
        let is_here = |address: &str| {
            let there = address.parse::<Uri>().ok().and_then(|uri| uri.into_parts().authority);
            let there = there.filter(is_whole);
            let here = self.text(HOST).and_then(|host| host.parse::<Authority>().ok());
            here.zip(there)
                .is_some_and(|(here, there)| here.host().eq_ignore_ascii_case(there.host()))
        };
        let names = [SEC_FETCH_SITE, ORIGIN, REFERER];
        let own = match names.map(|name| self.head.headers.get(&name).map(|_| self.text(name))) {
            // Browsers that know better than we where they were.
            [Some(site), _, _] => matches!(site, Some("same-origin" | "none")),
            [None, Some(address), _] | [None, None, Some(address)] => address.is_some_and(is_here),
            [None, None, None] => true,
        };
        if own { Ok(()) } else { Err(Refusal::OtherSite) }
    }

    fn text(&self, name: HeaderName) -> Option<&str> {
        self.head.headers.get(name).and_then(|value| value.to_str().ok())
    }
}
