//! Files that pages refer to, under names that change with their content.
use std::{
    hash::{DefaultHasher, Hash, Hasher},
    sync::LazyLock,
};

/// A file inside the program.
pub(crate) struct Asset {
    name: &'static str,
    extension: &'static str,
    pub(crate) media: &'static str,
    pub(crate) content: Content,
    path: LazyLock<String>,
}

/// How a file is kept.
#[derive(Clone, Copy, Hash)]
pub(crate) enum Content {
    Plain(&'static [u8]),
    /// Compressed when the program was built, because doing it for each request would take too long.
    Gzip(&'static [u8]),
}

macro_rules! asset {
    ($static:ident, $name:literal, $extension:literal, $media:expr, $content:expr) => {
        pub(crate) static $static: Asset = Asset {
            name: $name,
            extension: $extension,
            media: $media,
            content: $content,
            path: LazyLock::new(|| $static.hashed()),
        };
    };
}

macro_rules! own {
    ($name:literal) => {
        Content::Plain(include_bytes!(concat!("../../assets/", $name)))
    };
}

const CSS: &str = "text/css; charset=utf-8";
const JAVASCRIPT: &str = "text/javascript; charset=utf-8";

asset!(STYLE, "style", "css", CSS, own!("style.css"));
asset!(SCRIPT, "script", "js", JAVASCRIPT, own!("script.js"));
asset!(ICON, "icon", "svg", "image/svg+xml", own!("icon.svg"));
asset!(REFERENCE, "reference", "js", JAVASCRIPT, own!("reference.js"));
asset!(REFERENCE_STYLE, "reference", "css", CSS, own!("reference.css"));
asset!(
    SCALAR,
    "scalar",
    "js",
    JAVASCRIPT,
    Content::Gzip(include_bytes!(concat!(env!("OUT_DIR"), "/scalar.js.gz")))
);

const ALL: [&Asset; 6] = [&STYLE, &SCRIPT, &ICON, &REFERENCE, &REFERENCE_STYLE, &SCALAR];

impl Asset {
    /// Where pages find it.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    fn hashed(&self) -> String {
        let mut hasher = DefaultHasher::new();
        self.content.hash(&mut hasher);
        format!("/assets/{}.{:016x}.{}", self.name, hasher.finish(), self.extension)
    }
}

/// The asset of this name, as it stands after `/assets/`.
pub(crate) fn find(name: &str) -> Option<&'static Asset> {
    ALL.into_iter().find(|asset| asset.path().strip_prefix("/assets/") == Some(name))
}
