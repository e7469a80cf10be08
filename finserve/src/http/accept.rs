//! Preferences of a client: lists like `gzip;q=0.8, zstd`, as in all `Accept` headers.
use hyper::header::{HeaderMap, HeaderName};

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

#[cfg(test)]
mod tests {
    use hyper::header::{ACCEPT, HeaderValue};

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
}
