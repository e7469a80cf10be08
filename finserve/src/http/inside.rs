//! Questions that come from inside the program: the table of routes without a socket.
use std::time::{Duration, Instant};

use fincore::{Snapshot, deadline, excerpt};
use hyper::Method;

use super::{
    formats,
    params::Params,
    refusal::Refusal,
    render::{Heading, Media},
    routes::{Handler, Match, Route, Routes},
};
use crate::offer::Offer;

/// How long an answer may take to be made, as in a server.
const LONGEST: Duration = Duration::from_secs(10);

/// The queries of the table, for whoever has the data.
pub(crate) struct Inside {
    routes: Routes,
}

impl Inside {
    pub(crate) fn new() -> Inside {
        Inside { routes: Routes::new(Offer::default()) }
    }

    /// What `GET` of this path and query string answers on the snapshot's plan, as JSON. Fails with the error of
    /// the API, as JSON too.
    pub(crate) fn answer(
        &self,
        snapshot: &Snapshot,
        path: &str,
        query: &str,
    ) -> Result<String, String> {
        let until = Instant::now() + LONGEST;
        deadline::within(until, || self.find(snapshot, path, query)).map_err(Refusal::told)
    }

    fn find(&self, snapshot: &Snapshot, path: &str, query: &str) -> Result<String, Refusal> {
        let nothing = || Refusal::NotFound(format!("there is nothing at {:?}", excerpt(path)));
        let params = Params::from_query(query)?;
        let Match::Row(_, route, captures) = self.routes.find(&Method::GET, path)? else {
            return Err(nothing());
        };
        let Handler::Query(run) = &route.handler else { return Err(nothing()) };
        params.only(&names(route), &captures)?;
        let json = run(snapshot, captures.and(params)?)?.render(Media::Json)?;
        String::from_utf8(json).map_err(|_| Refusal::Internal("an answer is not UTF-8".into()))
    }

    /// The columns of the list at this path; none where there is no list.
    pub(crate) fn columns(&self, path: &str) -> &[Heading] {
        match self.routes.find(&Method::GET, path) {
            Ok(Match::Row(_, route, _)) => &route.columns,
            Ok(Match::OtherMethods(..) | Match::Nothing) | Err(_) => &[],
        }
    }

    /// The parameters that the query at this path takes, those in the path included; nothing where there is no query.
    #[cfg(test)]
    pub(crate) fn params(&self, path: &str) -> Option<Vec<&'static str>> {
        match self.routes.find(&Method::GET, path) {
            Ok(Match::Row(_, route, _)) if matches!(route.handler, Handler::Query(_)) => {
                Some(names(route))
            }
            _ => None,
        }
    }
}

/// The parameters of a row, without those that choose a format.
fn names(route: &Route) -> Vec<&'static str> {
    route.params.iter().copied().filter(|name| !formats::PARAMS.contains(name)).collect()
}
