//! Preferences of a client: lists like `gzip;q=0.8, zstd`, as in all `Accept` headers.
use hyper::header::{ACCEPT, HeaderMap, HeaderName};

/// What the header offers, with its weights, in the order given. An offer whose weight cannot be read is left
/// out.
pub(crate) fn offers(headers: &HeaderMap, name: HeaderName) -> impl Iterator<Item = (&str, f32)> {
    let lists = headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok());
    lists.flat_map(|list| list.split(',')).filter_map(|offer| {
        let (what, parameters) = offer.split_once(';').unwrap_or((offer, ""));
        let mut weights = parameters.split(';').filter_map(|parameter| {
            let (name, value) = parameter.split_once('=')?;
            name.trim().eq_ignore_ascii_case("q").then(|| value.trim())
        });
        let weight = weights.next_back().map_or(Some(1.0), |weight| weight.parse().ok())?;
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
    let weight = |media: &str| {
        let named = |(name, _): &(&str, f32)| name.eq_ignore_ascii_case(media);
        offers(headers, ACCEPT).find(named).map(|(_, weight)| weight)
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
