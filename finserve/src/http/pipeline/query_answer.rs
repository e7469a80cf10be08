//! The answer to a query of the data: one thing or a part of a list, as JSON, CSV or a single value.
use fincore::Snapshot;
use hyper::{
    Uri,
    header::{CONTENT_DISPOSITION, HeaderValue, LINK},
    http::request::Parts,
};

use super::{
    answer_cache::CachedAnswer,
    route_table::{Query, Route, RouteId},
};
use crate::{
    http::message::{
        etags::tag,
        header_names::{X_FUZZY, X_TOTAL_COUNT},
        links::{self, Extent, Links},
        parameters::{self, Params},
        refusal::Refusal,
        render::{Answer, Media},
        reply::attachment,
    },
    site::base_path::BasePath,
};

/// The answer of a route's query in this media type; its links begin with the base path.
pub(crate) fn data(
    snapshot: &Snapshot,
    (id, route): (RouteId, &Route),
    (query, params, base): (&Query, Params<'_>, BasePath),
    head: &Parts,
    media: &Media,
) -> Result<CachedAnswer, Refusal> {
    let answer = query(snapshot, params)?;
    let links = page_links(&answer, route, base, &head.uri);
    let (link, next) = links.map(|links| (links.header, links.next)).unzip();
    let body = answer.render(media, next.flatten().as_deref())?;
    let mut headers = Vec::from_iter(link.map(|link| (LINK, link)));
    let ending = match media {
        Media::Json | Media::Value(_) => None,
        Media::Csv(_) => Some("csv"),
        #[cfg(feature = "parquet")]
        Media::Parquet => Some("parquet"),
    };
    if let Some(ending) = ending {
        // JSON says it in the body.
        headers.extend(answer.total().map(|total| (X_TOTAL_COUNT, HeaderValue::from(total))));
        let fuzzy = answer.is_fuzzy().then(|| (X_FUZZY, HeaderValue::from_static("true")));
        headers.extend(fuzzy);
        headers.push((CONTENT_DISPOSITION, attachment(&file_name(&head.uri, ending))));
    }
    Ok(CachedAnswer::new(
        id,
        (snapshot.plan(), media),
        question(snapshot, head, media),
        headers,
        body,
    ))
}

/// Where the other pages are, if the answer is a list with pages.
pub(super) fn page_links(
    answer: &Answer,
    route: &Route,
    base: BasePath,
    uri: &Uri,
) -> Option<Links> {
    let extent = answer.extent()?;
    let offset = extent.offset.filter(|_| route.params.contains(&"offset"));
    links::links(base, uri, Extent { offset, ..extent })
}

/// The tag of the answer, which is known before the answer is.
pub(crate) fn question(snapshot: &Snapshot, head: &Parts, media: &Media) -> HeaderValue {
    let (path, query) = (head.uri.path(), head.uri.query().unwrap_or(""));
    tag(snapshot, &[snapshot.plan().id(), path, query, media.id()])
}

/// The path below the version of the API: `market-selic.csv`.
fn file_name(uri: &Uri, ending: &str) -> String {
    let path = parameters::decode(uri.path()).unwrap_or_default();
    let named = path.strip_prefix("/api/v1/").or_else(|| path.strip_prefix("/market/download/"));
    format!("{}.{ending}", named.unwrap_or(&path).replace('/', "-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_by_their_path() {
        let cases = [
            ("/api/v1/market/selic?from=2024-01-01", "market-selic.csv"),
            ("/api/v1/companies/9512/filings", "companies-9512-filings.csv"),
            ("/api/v1/market/series/a%2Fb", "market-series-a-b.csv"),
            ("/market/download/fx/usd-brl?format=csv", "fx-usd-brl.csv"),
        ];
        for (uri, name) in cases {
            assert_eq!(file_name(&uri.parse().unwrap(), "csv"), name, "{uri}");
        }
    }
}
