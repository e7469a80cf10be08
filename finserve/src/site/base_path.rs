//! The path under which a proxy serves everything.
use hyper::{Uri, http::uri::PathAndQuery};

/// A path such as `/data`: requests may begin with it, and all links do. By default there is none.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BasePath(&'static str);

impl BasePath {
    /// A path that begins with a slash and does not end with one, or nothing. It is leaked, because it lasts as long as the
    /// program.
    pub(crate) fn new(path: &str) -> BasePath {
        BasePath(path.to_owned().leak())
    }

    /// The path that clients see for this path of the server.
    pub(crate) fn link(self, path: &str) -> String {
        [self.0, path].concat()
    }

    /// Strips it from the target of a request, so that nothing else needs to know it. Some proxies have done so already.
    pub(crate) fn strip(self, uri: &mut Uri) {
        if let Some(target) = self.rest(uri) {
            let mut parts = std::mem::take(uri).into_parts();
            parts.path_and_query = Some(target);
            // Only the path has changed, and it is still one.
            *uri = Uri::from_parts(parts).unwrap_or_default();
        }
    }

    /// The rest of a target that begins with it.
    fn rest(self, uri: &Uri) -> Option<PathAndQuery> {
        let rest = uri.path_and_query()?.as_str().strip_prefix(self.0)?;
        match rest.chars().next() {
            _ if self.0.is_empty() => None,
            Some('/') => rest.parse().ok(),
            None | Some('?') => format!("/{rest}").parse().ok(),
            Some(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_taken_off_whole_and_once() {
        let cases = [
            ("", "/data/health", "/data/health"),
            ("/data", "/data/health?x=/data/", "/health?x=/data/"),
            ("/data", "/data/data/health", "/data/health"),
            ("/data", "/data/", "/"),
            ("/data", "/data", "/"),
            ("/data", "/data?lang=pt", "/?lang=pt"),
            ("/data", "/database", "/database"),
            ("/data", "/health", "/health"),
            ("/data", "*", "*"),
            ("/data", "http://a/data/health", "http://a/health"),
            ("/a/b", "/a/b/c", "/c"),
        ];
        for (base, asked, found) in cases {
            let mut uri: Uri = asked.parse().unwrap();
            BasePath::new(base).strip(&mut uri);
            assert_eq!(uri, found, "{base} {asked}");
        }
    }
}
