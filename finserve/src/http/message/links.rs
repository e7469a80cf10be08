//! The `Link` header of lists: where the first, the previous, the next and the last page are.
use fincore::Key;
use hyper::{Uri, header::HeaderValue};

use super::{parameters, render::Extent};
use crate::site::base_path::BasePath;

/// The links from one page of a list to others. Every other parameter stays as the request had it.
pub(crate) fn links(base: BasePath, uri: &Uri, extent: Extent) -> Option<HeaderValue> {
    let Extent { total, limit, offset } = extent;
    let step = u64::from(limit);
    let last = offset.map(|_| total.saturating_sub(1) / step * step);
    let mut pages = vec![("first", offset.map(|_| 0))];
    if let (Some(offset @ 1..), Some(last)) = (offset, last) {
        pages.push(("prev", Some(offset.saturating_sub(step).min(last))));
    }
    if let Some(next) = offset.map(|offset| offset + step).filter(|next| *next < total) {
        pages.push(("next", Some(next)));
    }
    pages.push(("last", last));
    // What all of them begin with. A key that was sent as a parameter by mistake is not repeated.
    let start = base.link(&start(uri, limit));
    if Key::redact(&start) != start {
        return None;
    }
    let mut links = String::with_capacity(pages.len() * (start.len() + 48));
    for (rel, offset) in pages {
        links.push_str(if links.is_empty() { "<" } else { ", <" });
        links.push_str(&start);
        if let Some(offset) = offset {
            links.push_str("&offset=");
            links.push_str(itoa::Buffer::new().format(offset));
        }
        links.extend([">; rel=\"", rel, "\""]);
    }
    HeaderValue::try_from(links).ok()
}

/// The address of a list up to its limit, with all parameters but those that turn pages.
fn start(uri: &Uri, limit: u32) -> String {
    let turns = |piece: &str| {
        let name = piece.split('=').next().unwrap_or_default();
        parameters::decode(name).is_ok_and(|name| name == "limit" || name == "offset")
    };
    let pieces = uri.query().unwrap_or_default().split('&');
    let mut start = String::from(uri.path());
    start.push('?');
    for piece in pieces.filter(|piece| !piece.is_empty() && !turns(piece)) {
        start.extend([piece, "&"]);
    }
    start.extend(["limit=", itoa::Buffer::new().format(limit)]);
    start
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(uri: &str, (total, limit, offset): (u64, u32, u64)) -> String {
        let uri: Uri = uri.parse().unwrap();
        let header =
            links(BasePath::default(), &uri, Extent { total, limit, offset: Some(offset) })
                .unwrap();
        header.to_str().unwrap().to_owned()
    }

    #[test]
    fn leads_to_every_page_and_keeps_the_filters() {
        assert_eq!(
            check("/a?q=S%C3%A3o+Paulo&offset=20&limit=10", (35, 10, 20)),
            "</a?q=S%C3%A3o+Paulo&limit=10&offset=0>; rel=\"first\", \
             </a?q=S%C3%A3o+Paulo&limit=10&offset=10>; rel=\"prev\", \
             </a?q=S%C3%A3o+Paulo&limit=10&offset=30>; rel=\"next\", \
             </a?q=S%C3%A3o+Paulo&limit=10&offset=30>; rel=\"last\""
        );
    }

    #[test]
    fn ends_where_the_list_does() {
        let first_and_last =
            "</a?limit=10&offset=0>; rel=\"first\", </a?limit=10&offset=0>; rel=\"last\"";
        assert_eq!(check("/a", (10, 10, 0)), first_and_last);
        assert_eq!(check("/a", (0, 10, 0)), first_and_last);
        let beyond = check("/a?offset=500", (11, 10, 500));
        assert!(beyond.contains("offset=10>; rel=\"prev\""), "{beyond}");
        assert!(beyond.contains("offset=10>; rel=\"last\""), "{beyond}");
        assert!(!beyond.contains("next"), "{beyond}");
        let near_the_start = check("/a?offset=5", (11, 10, 5));
        assert!(near_the_start.contains("offset=0>; rel=\"prev\""), "{near_the_start}");
    }

    #[test]
    fn no_link_repeats_a_key() {
        let key = Key::generate().unwrap();
        let uri: Uri = format!("/a?q={}", key.reveal()).parse().unwrap();
        let extent = Extent { total: 3, limit: 3, offset: Some(0) };
        assert_eq!(links(BasePath::default(), &uri, extent), None);
    }

    #[test]
    fn a_list_without_pages_is_one() {
        let (uri, extent) =
            ("/a?limit=3".parse().unwrap(), Extent { total: 3, limit: 3, offset: None });
        let header = links(BasePath::new("/data"), &uri, extent);
        assert_eq!(
            header.unwrap(),
            "</data/a?limit=3>; rel=\"first\", </data/a?limit=3>; rel=\"last\""
        );
    }
}
