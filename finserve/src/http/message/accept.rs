//! Preferences of a client: lists like `gzip;q=0.8, zstd`, as in all `Accept` headers.
use hyper::header::{ACCEPT, HeaderMap, HeaderName};

/// The most offers that are read. Browsers send fewer than ten.
const MOST_OFFERS: usize = 32;

/// The most parameters of an offer that are read, from its end. Clients send one or two.
const MOST_PARAMETERS: usize = 8;

/// The offers of the header, with their weights, in the order given. An offer whose weight cannot be read is left out,
/// and so is everything after the first 32.
pub(crate) fn offers(headers: &HeaderMap, name: HeaderName) -> impl Iterator<Item = (&str, f32)> {
    let lists = headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok());
    lists.flat_map(|list| list.split(',')).take(MOST_OFFERS).filter_map(|offer| {
        let (what, parameters) = offer.split_once(';').unwrap_or((offer, ""));
        let weight = parameters.rsplit(';').take(MOST_PARAMETERS).find_map(|parameter| {
            let (name, value) = parameter.split_once('=')?;
            name.trim().eq_ignore_ascii_case("q").then(|| value.trim())
        });
        let weight = weight.map_or(Some(1.0), |weight| weight.parse().ok())?;
        Some((what.trim(), weight))
    })
}

/// Whether a page can be answered with, as browsers say.
pub(crate) fn wants_page(headers: &HeaderMap) -> bool {
    offers(headers, ACCEPT).any(|(media, weight)| media == "text/html" && weight > 0.0)
}

/// The media type among `others` that `Accept` prefers to `default`; nothing where it does not.
///
/// It must be named, weigh more than the default if that is named too, and no less than a wildcard that
/// means the default: clients that take anything get what everybody gets.
pub(crate) fn preferred(
    headers: &HeaderMap,
    default: &str,
    others: &[&'static str],
) -> Option<&'static str> {
    let offers: Vec<_> = offers(headers, ACCEPT).collect();
    let weight = |media: &str| {
        let named = offers.iter().find(|(name, _)| name.eq_ignore_ascii_case(media));
        named.map(|(_, weight)| *weight)
    };
    let named = weight(default).unwrap_or(0.0);
    let wildcard = ["*/*", "application/*"].map(|any| weight(any).unwrap_or(0.0));
    let wildcard = wildcard[0].max(wildcard[1]);
    let mut best: Option<(&str, f32)> = None;
    for other in others {
        let Some(weight) = weight(other) else { continue };
        let better = best.is_none_or(|(_, known)| weight > known);
        if weight > named && weight >= wildcard && better {
            best = Some((other, weight));
        }
    }
    best.map(|(media, _)| media)
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;

    #[test]
    fn reads_weights() {
        let cases: [(&str, &[(&str, f32)]); 6] = [
            ("gzip, zstd;q=0.5", &[("gzip", 1.0), ("zstd", 0.5)]),
            ("a;Q=0.1 , b; q=0", &[("a", 0.1), ("b", 0.0)]),
            ("text/html;level=1;q=0.7", &[("text/html", 0.7)]),
            ("text/csv; header=present", &[("text/csv", 1.0)]),
            ("a;q=x, b", &[("b", 1.0)]),
            ("", &[("", 1.0)]),
        ];
        for (list, wanted) in cases {
            let headers = HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static(list))]);
            assert_eq!(offers(&headers, ACCEPT).collect::<Vec<_>>(), wanted, "{list}");
        }
    }

    #[test]
    fn reads_no_more_than_the_first_offers() {
        let list = format!("{}text/csv", "a/b,".repeat(MOST_OFFERS - 1));
        for (list, found) in [(list.clone(), true), (format!("a/b,{list}"), false)] {
            let headers = HeaderMap::from_iter([(ACCEPT, HeaderValue::try_from(&list).unwrap())]);
            assert_eq!(offers(&headers, ACCEPT).count(), MOST_OFFERS);
            assert_eq!(preferred(&headers, "application/json", &["text/csv"]).is_some(), found);
        }
    }

    #[test]
    fn another_media_type_must_be_named_and_preferred() {
        let (json, csv, parquet) = ("application/json", "text/csv", "application/parquet");
        let cases = [
            ("text/csv", Some(csv)),
            ("TEXT/CSV; header=present", Some(csv)),
            ("text/csv;q=0.1", Some(csv)),
            ("text/csv;q=0", None),
            ("text/csv;q=x", None),
            ("text/csv, application/json", None),
            ("text/csv, application/json;q=0.9", Some(csv)),
            ("text/csv;q=0.8, application/json;q=0.9", None),
            ("text/csv, */*", Some(csv)),
            ("text/csv;q=0.9, */*", None),
            ("text/csv;q=0.9, application/*;q=0.95", None),
            ("text/csv;q=0.9, */*;q=0.8", Some(csv)),
            ("*/*", None),
            ("text/*", None),
            ("", None),
            ("application/parquet, text/csv;q=0.5", Some(parquet)),
            ("application/parquet;q=0.5, text/csv;q=0.6", Some(csv)),
        ];
        for (list, wanted) in cases {
            let headers = HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static(list))]);
            assert_eq!(preferred(&headers, json, &[csv, parquet]), wanted, "{list}");
        }
    }
}
