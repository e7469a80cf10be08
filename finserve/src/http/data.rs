//! The answer to a query of the data: one thing or a part of a list, as JSON or CSV.
use fincore::Snapshot;
use hyper::{
    Uri,
    header::{HeaderValue, LINK},
    http::request::Parts,
};

use super::{
    context::Context,
    headers::{X_FUZZY, X_TOTAL_COUNT},
    links,
    params::{self, Params},
    refusal::Refusal,
    render::{Extent, Media},
    reply::{Caching, Reply},
    routes::{Query, Route},
    tag::tag,
};

/// What the query of a row of the table gives, in this media type.
pub(crate) fn data(
    context: &Context<'_>,
    route: &Route,
    query: &Query,
    params: Params<'_>,
    media: Media,
) -> Result<Reply, Refusal> {
    let Context { catalogue, request, caller, .. } = context;
    let snapshot = catalogue.snapshot(request.now.today())?.for_plan(caller.plan);
    let answer = query(&snapshot, params)?;
    let body = answer.render(media)?;
    let reply = Reply::ok(body, Caching::Tagged(question(&snapshot, &request.head, media)));
    let paged = route.params.contains(&"offset");
    let link = answer.extent().and_then(|extent| {
        let offset = extent.offset.filter(|_| paged);
        links::links(&request.head.uri, Extent { offset, ..extent })
    });
    let reply = reply.with_headers(link.map(|link| (LINK, link)));
    Ok(match media {
        Media::Json => reply,
        Media::Csv(_) => {
            // JSON says it in the body.
            let total = answer.total().map(|total| (X_TOTAL_COUNT, HeaderValue::from(total)));
            let fuzzy = answer.is_fuzzy().then(|| (X_FUZZY, HeaderValue::from_static("true")));
            reply.with_headers(total).with_headers(fuzzy).saved_as(&file_name(&request.head.uri))
        }
    })
}

fn question(snapshot: &Snapshot, head: &Parts, media: Media) -> String {
    let (path, query) = (head.uri.path(), head.uri.query().unwrap_or(""));
    tag(snapshot, &[snapshot.plan().id(), path, query, media.id()])
}

/// The path below the version of the API: `market-selic.csv`.
fn file_name(uri: &Uri) -> String {
    let path = params::decode(uri.path()).unwrap_or_default();
    format!("{}.csv", path.strip_prefix("/api/v1/").unwrap_or(&path).replace('/', "-"))
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
        ];
        for (uri, name) in cases {
            assert_eq!(file_name(&uri.parse().unwrap()), name, "{uri}");
        }
    }
}
