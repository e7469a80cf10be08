//! Files that pages refer to, under names that change with their content.
use std::{io::Read, sync::LazyLock};

use flate2::read::GzDecoder;
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
    /// Compressed when the program was built, because doing it for each request would take too long; and
    /// the one copy that is unpacked, when somebody first asks for it.
    Gzip(&'static [u8], &'static LazyLock<Vec<u8>>),
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
asset!(SCALAR, "scalar", "js", JAVASCRIPT, Content::Gzip(SCALAR_PACKED, &SCALAR_UNPACKED));

static SCALAR_PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/scalar.js.gz"));
static SCALAR_UNPACKED: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut unpacked = Vec::new();
    // Damaged only if our own build was: then the reference has no script.
    let _ = GzDecoder::new(SCALAR_PACKED).read_to_end(&mut unpacked);
    unpacked
});

const ALL: [&Asset; 6] = [&STYLE, &SCRIPT, &ICON, &REFERENCE, &REFERENCE_STYLE, &SCALAR];

impl Asset {
    /// Where pages find it.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    fn hashed(&self) -> String {
        let (Content::Plain(bytes) | Content::Gzip(bytes, _)) = &self.content;
        let digest = Sha256::digest(bytes);
        let hash: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        format!("/assets/{}.{hash}.{}", self.name, self.extension)
    }
}

/// The asset of this name: what follows `/assets/` in its path.
pub(crate) fn find(name: &str) -> Option<&'static Asset> {
    ALL.into_iter().find(|asset| asset.path().strip_prefix("/assets/") == Some(name))
}
