//! The sitemap and robots.txt: which pages there are, and which paths are not for search engines.
use fincore::{
    Date, Result, Snapshot, companies, filings,
    market::{self, FxPair, FxPairs, ListedSeries, SeriesList},
};
use maud::{Markup, PreEscaped, html};

use super::{context::Context, openapi_document::address};
use crate::{
    http::message::{
        parameters::Params,
        refusal::Refusal,
        reply::{Body, Caching, Reply},
    },
    pages::{GuidePage, Language, has_few_days},
};

/// Paths that are not for search engines: for programs, or about the visitor. Those that end with a slash are folders.
const NOT_LISTED: [&str; 6] =
    ["/api/", "/mcp", "/companies/suggest", "/sign-in", "/sign-out", "/usage"];

/// The values for the part in braces of a page's path.
type Names = fn(&Snapshot) -> Result<Vec<Listed>>;

/// A page by its name or path, and the day of the newest data on it.
type Listed = (String, Option<Date>);

/// Pages of which there are many, one line each: the path as it is in the table of routes, and the names of the pages.
/// Those that are not in the table are left out. A sitemap may have 50,000 addresses: what is more needs a file of its own.
/// Filings are too many, and are found from their companies.
const MANY: [(&str, Names); 4] = [
    ("/docs/guide/{page}", guide_pages),
    ("/market/{series}", series),
    ("/market/fx/{pair}", pairs),
    ("/companies/{id}", listed_companies),
];

fn guide_pages(_: &Snapshot) -> Result<Vec<Listed>> {
    Ok(GuidePage::names().map(|name| (name.to_owned(), None)).collect())
}

/// Those whose securities trade: others are found by searching.
fn listed_companies(snapshot: &Snapshot) -> Result<Vec<Listed>> {
    let companies = companies::all(snapshot)?;
    let listed = companies.iter().filter(|company| !company.tickers.is_empty());
    Ok(listed.map(|company| (company.id.to_string(), None)).collect())
}

fn series(snapshot: &Snapshot) -> Result<Vec<Listed>> {
    let list = market::series_list(snapshot, SeriesList::default())?;
    let listed = |series: ListedSeries| (series.name.into_owned(), series.last);
    Ok(list.data.into_iter().map(listed).collect())
}

/// As in addresses: `eur-brl`. Those with a few days are left out.
fn pairs(snapshot: &Snapshot) -> Result<Vec<Listed>> {
    let list = market::fx_pairs(snapshot, FxPairs::default())?;
    let name = |pair: &FxPair| pair.pair.to_string().replace('/', "-").to_ascii_lowercase();
    let many = list.data.into_iter().filter(|pair| !has_few_days(pair));
    Ok(many.map(|pair| (name(&pair), Some(pair.to))).collect())
}

/// `GET /robots.txt`
pub(crate) fn robots(context: &Context<'_>, _: Params<'_>) -> Result<Reply, Refusal> {
    let mut text = String::from("User-agent: *\n");
    for path in NOT_LISTED {
        text.extend(["Disallow: ", &context.base.link(path), "\n"]);
    }
    text.extend(["Sitemap: ", &start(context), "/sitemap.xml\n"]);
    Ok(served("text/plain; charset=utf-8", text))
}

/// `GET /sitemap.xml`: every page in every language.
pub(crate) fn sitemap(context: &Context<'_>, _: Params<'_>) -> Result<Reply, Refusal> {
    let snapshot = context.catalogue.snapshot(context.request.now.today())?;
    let start = start(context);
    let sitemap = html! {
        (PreEscaped("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"))
        urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml" {
            @for (path, newest) in paths(context.pages, &snapshot)? { (entries(&format!("{start}{path}"), newest)) }
        }
    };
    Ok(served("application/xml", sitemap.into_string()))
}

/// The paths of all pages that are listed.
fn paths(pages: &[&str], snapshot: &Snapshot) -> Result<Vec<Listed>> {
    let is_listed = |path: &&&str| !path.contains('{') && !NOT_LISTED.contains(path);
    let newest = series(snapshot)?.into_iter().filter_map(|(_, newest)| newest).max();
    let of_filings = filings::coverage(snapshot)?.into_iter().filter_map(|held| held.span);
    let filed = of_filings.map(|span| span.to).max();
    let page = |path: &&str| {
        let newest = match *path {
            "/" | "/market" => newest.max(filed.filter(|_| *path == "/")),
            "/filings" => filed,
            _ => None,
        };
        ((*path).to_owned(), newest)
    };
    let mut paths: Vec<Listed> = pages.iter().filter(is_listed).map(page).collect();
    for (path, names) in MANY.iter().filter(|(path, _)| pages.contains(path)) {
        let (before, after) = path.split_once('{').unwrap_or((path, ""));
        let after = after.split_once('}').map_or("", |(_, after)| after);
        let named = |(name, newest): Listed| ([before, &name, after].concat(), newest);
        paths.extend(names(snapshot)?.into_iter().map(named));
    }
    Ok(paths)
}

/// A page as its visitor prefers it, and in each language; each of them names all.
fn entries(page: &str, newest: Option<Date>) -> Markup {
    let languages = [Language::English, Language::Portuguese];
    let languages =
        languages.map(|language| (language.tag(), format!("{page}?lang={}", language.code())));
    let others = html! {
        (alternate("x-default", page))
        @for (tag, address) in &languages { (alternate(tag, address)) }
    };
    html! {
        @for address in [page].into_iter().chain(languages.iter().map(|(_, address)| address.as_str())) {
            url { loc { (address) } @if let Some(newest) = newest { lastmod { (newest) } } (others) }
        }
    }
}

/// Written out, because an element of XML without content must say so.
fn alternate(tag: &str, address: &str) -> Markup {
    html! { (PreEscaped("<xhtml:link rel=\"alternate\" hreflang=\"")) (tag) (PreEscaped("\" href=\"")) (address) (PreEscaped("\"/>")) }
}

/// The prefix of all addresses.
fn start(context: &Context<'_>) -> String {
    address(context.origin.as_deref(), context.base)
}

fn served(media: &'static str, text: String) -> Reply {
    let vary = "Host, X-Forwarded-Proto, Accept-Encoding";
    Reply::ok(Body::new(media, text), Caching::Refetched(vary))
}

#[cfg(test)]
mod tests {
    use fincore::{Catalogue, Import};

    use super::*;

    #[test]
    fn lists_pages_of_the_table_and_what_the_data_has_of_those_with_names() {
        let dir = tempfile::tempdir().unwrap();
        let catalogue = Catalogue::open(dir.path().join("catalogue.db")).unwrap();
        let mut import =
            Import::begin(&catalogue, "2026-11-16T12:00:00Z".parse().unwrap()).unwrap();
        import.file("bcdata.sgs.433.json", br#"[{"data":"01/08/2026","valor":"-0.11"}]"#).unwrap();
        import.commit().unwrap();
        let snapshot = catalogue.snapshot("2026-11-16".parse().unwrap()).unwrap();
        let listed = |pages: &[&str]| -> Vec<String> {
            let paths = paths(pages, &snapshot).unwrap().into_iter();
            let day =
                |newest: Option<Date>| newest.map(|day| format!(" {day}")).unwrap_or_default();
            paths.map(|(path, newest)| path + &day(newest)).collect()
        };
        let pages = ["/", "/usage", "/market/{series}", "/companies/{id}", "/market/fx/{pair}"];
        assert_eq!(listed(&pages), ["/ 2026-08-01", "/market/ipca 2026-08-01"]);
        assert_eq!(listed(&["/sign-in", "/docs"]), ["/docs"]);
    }

    #[test]
    fn an_entry_names_its_languages_in_good_xml() {
        let entries = entries("http://a/b&c", "2026-08-01".parse().ok()).into_string();
        let address = "http://a/b&amp;c";
        let wanted = format!(
            "<url><loc>{address}?lang=pt</loc><lastmod>2026-08-01</lastmod><xhtml:link rel=\"alternate\" hreflang=\"x-default\" href=\"{address}\"/>"
        );
        assert!(entries.contains(&wanted), "{entries}");
        assert_eq!(entries.matches("hreflang=\"pt-BR\"").count(), 3);
    }
}
