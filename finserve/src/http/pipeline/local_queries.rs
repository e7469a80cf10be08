//! Questions that come from inside the program: the table of routes without a socket.
use std::time::Instant;

use fincore::{Snapshot, deadline, truncate};
use hyper::{Method, Uri};

use super::{
    answer::LONGEST,
    query_answer::page_links,
    route_table::{Handler, Match, Route, Routes},
};
use crate::{
    errors::NotFound,
    http::message::{
        formats,
        parameters::Params,
        refusal::Refusal,
        render::{Heading, Media},
    },
    site::upgrade_contact::UpgradeContact,
};

/// The queries of the route table, answered from a snapshot in this process.
pub(crate) struct LocalQueries {
    routes: Routes,
}

impl LocalQueries {
    pub(crate) fn new() -> LocalQueries {
        LocalQueries { routes: Routes::new(UpgradeContact::default()) }
    }

    /// Answers `GET` of this path and query string on the snapshot's plan, as JSON. Fails with the error of the API, as
    /// JSON too.
    pub(crate) fn answer(
        &self,
        snapshot: &Snapshot,
        path: &str,
        query: &str,
    ) -> Result<String, String> {
        let until = Instant::now() + LONGEST;
        deadline::within(until, || self.find(snapshot, path, query))
            .map_err(|refusal| refusal.operator_json())
    }

    fn find(&self, snapshot: &Snapshot, path: &str, query: &str) -> Result<String, Refusal> {
        let nothing = || NotFound::Query { path: truncate(path).into_owned() };
        let params = Params::from_query(query)?;
        let Match::Row(_, route, captures) = self.routes.find(&Method::GET, path)? else {
            return Err(nothing().into());
        };
        let Handler::Query(run) = &route.handler else { return Err(nothing().into()) };
        params.only(&names(route), &captures)?;
        let answer = run(snapshot, captures.and(params)?)?;
        // As the server would be asked.
        let uri = format!("{path}?{query}").parse::<Uri>().ok();
        let links = uri.and_then(|uri| page_links(&answer, route, self.routes.base, &uri));
        let json = answer.render(&Media::Json, links.and_then(|links| links.next).as_deref())?;
        String::from_utf8(json).map_err(|_| Refusal::Internal("an answer is not UTF-8".into()))
    }

    /// The columns of the list at this path; none where there is no list. Parameters may choose another list.
    pub(crate) fn columns(&self, path: &str, query: &[(&str, String)]) -> &[Heading] {
        match self.routes.find(&Method::GET, path) {
            Ok(Match::Row(_, route, _)) => {
                let (choosing, columns) = &route.other_columns;
                let is_other = query.iter().any(|(name, _)| choosing.contains(name));
                if is_other { columns } else { &route.columns }
            }
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
    route.params.iter().copied().filter(|name| !formats::is_of_format(name)).collect()
}
