//! Files that pages refer to, under names that change with their content.
use std::sync::LazyLock;

use sha2::{Digest, Sha256};

/// A file inside the program.
pub(crate) struct Asset {
    name: &'static str,
    extension: &'static str,
    pub(crate) media: &'static str,
    pub(crate) content: Content,
    path: LazyLock<String>,
}

/// How a file is kept.
pub(crate) enum Content {
    Plain(&'static [u8]),
    /// Compressed when the program was built, because doing it for each request would take too long.
    Gzip(Packed),
}

/// A file that is kept compressed by gzip.
#[derive(Clone, Copy)]
pub(crate) struct Packed {
    pub(crate) bytes: &'static [u8],
    /// How many bytes it holds.
    pub(crate) length: u64,
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
// Drawn by Chromium from `share.svg`, for those who show links to pages.
asset!(SHARE, "share", "png", "image/png", own!("share.png"));
asset!(REFERENCE, "reference", "js", JAVASCRIPT, own!("reference.js"));
asset!(REFERENCE_STYLE, "reference", "css", CSS, own!("reference.css"));
asset!(SCALAR, "scalar", "js", JAVASCRIPT, Content::Gzip(SCALAR_PACKED));

const SCALAR_PACKED: Packed = Packed {
    bytes: include_bytes!(concat!(env!("OUT_DIR"), "/scalar.js.gz")),
    length: include!(concat!(env!("OUT_DIR"), "/scalar.length")),
};

const ALL: [&Asset; 7] = [&STYLE, &SCRIPT, &ICON, &SHARE, &REFERENCE, &REFERENCE_STYLE, &SCALAR];

impl Asset {
    /// Where pages find it.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    fn hashed(&self) -> String {
        let (Content::Plain(bytes) | Content::Gzip(Packed { bytes, .. })) = &self.content;
        let digest = Sha256::digest(bytes);
        let hash: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        format!("/assets/{}.{hash}.{}", self.name, self.extension)
    }
}

/// The asset of this name: what follows `/assets/` in its path.
pub(crate) fn find(name: &str) -> Option<&'static Asset> {
    ALL.into_iter().find(|asset| asset.path().strip_prefix("/assets/") == Some(name))
}
