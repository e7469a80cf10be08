//! The answer to a query of the data: one thing or a part of a list, as JSON or CSV.
use fincore::Snapshot;
use hyper::{
    Uri,
    header::{CONTENT_DISPOSITION, HeaderName, HeaderValue, LINK},
    http::request::Parts,
};

use super::{
    context::Context,
    headers::X_TOTAL_COUNT,
    links,
    params::{self, Params},
    refusal::Refusal,
    render::{Answer, Extent, Media},
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
        Media::Csv(_) => reply.with_headers(file(&answer, &request.head.uri)),
    })
}

fn question(snapshot: &Snapshot, head: &Parts, media: Media) -> String {
    let (path, query) = (head.uri.path(), head.uri.query().unwrap_or(""));
    tag(snapshot, &[snapshot.plan().id(), path, query, media.id()])
}

/// What a table says of itself in headers, having no room for it in the body.
fn file(answer: &Answer, uri: &Uri) -> Vec<(HeaderName, HeaderValue)> {
    let total = answer.total().map(|total| (X_TOTAL_COUNT, HeaderValue::from(total)));
    let disposition = (CONTENT_DISPOSITION, attachment(&format!("{}.csv", file_name(uri))));
    total.into_iter().chain([disposition]).collect()
}

/// The value of `Content-Disposition` for a file of this name; what may not stand in one is left out.
pub(crate) fn attachment(name: &str) -> HeaderValue {
    let plain = |c: &char| c.is_ascii_alphanumeric() || "._-".contains(*c);
    let name: String = name.chars().filter(plain).collect();
    let value = HeaderValue::try_from(format!("attachment; filename=\"{name}\""));
    value.expect("letters, digits and marks are plain ASCII")
}

/// The path below the version of the API: `market-selic`.
fn file_name(uri: &Uri) -> String {
    let path = params::decode(uri.path()).unwrap_or_default();
    path.strip_prefix("/api/v1/").unwrap_or(&path).replace('/', "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_by_their_path() {
        let cases = [
            ("/api/v1/market/selic?from=2024-01-01", "market-selic.csv"),
            ("/api/v1/companies/9512/filings", "companies-9512-filings.csv"),
            ("/api/v1/market/series/selic%22%0D%0A%C3%A7", "market-series-selic.csv"),
            ("/api/v1/market/series/a%2Fb", "market-series-a-b.csv"),
        ];
        for (uri, name) in cases {
            let name = format!("attachment; filename=\"{name}\"");
            let given = attachment(&format!("{}.csv", file_name(&uri.parse().unwrap())));
            assert_eq!(given, name.as_str(), "{uri}");
        }
    }
}
