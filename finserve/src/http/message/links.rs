//! Where the other pages of a list are: the `Link` header, and `next` in the body.
use fincore::Key;
use hyper::{Uri, header::HeaderValue};

use super::parameters;
use crate::site::base_path::BasePath;

/// How long a list is, and which part of it is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) total: u64,
    pub(crate) limit: u32,
    /// Nothing where the endpoint takes no offset, and the part is the whole list.
    pub(crate) offset: Option<u64>,
    /// Whether the total is that of the whole list. Otherwise it only says whether rows follow, and no link leads to the last
    /// page.
    pub(crate) is_counted: bool,
}

impl Extent {
    /// A part of a list whose rows have been counted.
    pub(crate) fn of(total: u64, limit: u32, offset: u64) -> Extent {
        Extent { total, limit, offset: Some(offset), is_counted: true }
    }
}

/// Where the other pages of a list are.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Links {
    /// The value of `Link`: the first, the previous, the next and the last page.
    pub(crate) header: HeaderValue,
    /// The address of the next page, the same as in the header; nothing on the last one.
    pub(crate) next: Option<String>,
}

/// The links from one page of a list to others. Every other parameter stays as the request had it.
pub(crate) fn links(base: BasePath, uri: &Uri, extent: Extent) -> Option<Links> {
    let Extent { total, limit, offset, is_counted } = extent;
    let step = u64::from(limit);
    let last = offset.map(|_| total.saturating_sub(1) / step * step);
    let mut pages = vec![("first", offset.map(|_| 0))];
    if let (Some(offset @ 1..), Some(last)) = (offset, last) {
        let last = if is_counted { last } else { offset };
        pages.push(("prev", Some(offset.saturating_sub(step).min(last))));
    }
    if let Some(next) = offset.map(|offset| offset + step).filter(|next| *next < total) {
        pages.push(("next", Some(next)));
    }
    if is_counted {
        pages.push(("last", last));
    }
    // The prefix of all links. A key that was sent as a parameter by mistake is not repeated.
    let start = base.link(&start(uri, limit));
    if Key::redact(&start) != start {
        return None;
    }
    let mut links = String::with_capacity(pages.len() * (start.len() + 48));
    let mut next = None;
    for (rel, offset) in pages {
        links.push_str(if links.is_empty() { "<" } else { ", <" });
        let at = links.len();
        links.push_str(&start);
        if let Some(offset) = offset {
            links.push_str("&offset=");
            links.push_str(itoa::Buffer::new().format(offset));
        }
        if rel == "next" {
            next = Some(links[at..].to_owned());
        }
        links.extend([">; rel=\"", rel, "\""]);
    }
    Some(Links { header: HeaderValue::try_from(links).ok()?, next })
}

/// The JSON of a list, which is an object, with the address of its next page as its last member: programs that read bodies
/// follow it. The library, which makes the rest, has no addresses.
pub(crate) fn with_next(mut json: Vec<u8>, next: Option<&str>) -> Vec<u8> {
    debug_assert!(json.ends_with(b"}"), "a list is an object");
    json.pop();
    json.extend_from_slice(b",\"next\":");
    match next {
        // An address has neither quotes nor control characters, but a path can have what JSON escapes.
        Some(next) => json.extend_from_slice(serde_json::json!(next).to_string().as_bytes()),
        None => json.extend_from_slice(b"null"),
    }
    json.push(b'}');
    json
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
        let extent = Extent::of(total, limit, offset);
        let Links { header, next } = links(BasePath::default(), &uri, extent).unwrap();
        let header = header.to_str().unwrap().to_owned();
        let in_header = header.split(", ").find(|link| link.ends_with("; rel=\"next\""));
        let in_header = in_header.map(|link| link[1..].split('>').next().unwrap().to_owned());
        assert_eq!(next, in_header, "{uri}");
        header
    }

    #[test]
    fn the_body_of_a_list_has_the_address_of_its_next_page() {
        let with = |next| String::from_utf8(with_next(b"{\"total\":3}".to_vec(), next)).unwrap();
        assert_eq!(with(None), r#"{"total":3,"next":null}"#);
        let next = r#"/a"\b?q=S%C3%A3o&limit=1&offset=1"#;
        let read: serde_json::Value = serde_json::from_str(&with(Some(next))).unwrap();
        assert_eq!(read["next"], next);
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
    fn a_list_that_is_not_counted_has_no_last_page() {
        let link = |total, offset| {
            let extent = Extent { is_counted: false, ..Extent::of(total, 2, offset) };
            links(BasePath::default(), &"/a".parse().unwrap(), extent).unwrap()
        };
        let middle = link(5, 2);
        assert_eq!(middle.next.as_deref(), Some("/a?limit=2&offset=4"));
        assert_eq!(
            middle.header,
            "</a?limit=2&offset=0>; rel=\"first\", </a?limit=2&offset=0>; rel=\"prev\", \
             </a?limit=2&offset=4>; rel=\"next\""
        );
        assert_eq!(link(3, 2).next, None);
    }

    #[test]
    fn no_link_repeats_a_key() {
        let key = Key::generate().unwrap();
        let uri: Uri = format!("/a?q={}", key.reveal()).parse().unwrap();
        let extent = Extent::of(3, 3, 0);
        assert_eq!(links(BasePath::default(), &uri, extent), None);
    }

    #[test]
    fn a_list_without_pages_is_one() {
        let (uri, extent) =
            ("/a?limit=3".parse().unwrap(), Extent { offset: None, ..Extent::of(3, 3, 0) });
        let header = links(BasePath::new("/data"), &uri, extent);
        assert_eq!(
            header.unwrap().header,
            "</data/a?limit=3>; rel=\"first\", </data/a?limit=3>; rel=\"last\""
        );
    }
}
