//! Packs the script of the API reference, writes the API description as JSON, so that requests need not, and finds out
//! the commit for `--version`.
use std::{
    env, fs,
    fs::File,
    io::{self, Write},
    path::Path,
    process::Command,
};

use flate2::{Compression, write::GzEncoder};

const DESCRIPTION: &str = "../openapi.yaml";

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed={DESCRIPTION}");
    if let Some(commit) = commit() {
        println!("cargo:rustc-env=FINSERVE_BUILT_FROM={commit}");
    }
    let out = env::var("OUT_DIR").map_err(io::Error::other)?;
    let out = Path::new(&out);
    pack_script(&out.join("scalar.js.gz"), &out.join("scalar.length"))?;
    write_description(&out.join("openapi.json"))
}

/// Packs the script, and writes down how long it is: nobody needs to unpack it to know that.
fn pack_script(path: &Path, length: &Path) -> io::Result<()> {
    let script = scalar_api_reference::get_asset("scalar.js")
        .ok_or_else(|| io::Error::other("the package of the reference holds no script"))?;
    fs::write(length, script.len().to_string())?;
    let mut packed = GzEncoder::new(File::create(path)?, Compression::best());
    packed.write_all(&script)?;
    packed.finish()?.sync_all()
}

fn write_description(path: &Path) -> io::Result<()> {
    let yaml = fs::read_to_string(DESCRIPTION)?;
    // Kept in this type, the members stay in their order.
    let document: serde_norway::Value = serde_norway::from_str(&yaml).map_err(io::Error::other)?;
    fs::write(path, serde_json::to_string(&document)?)
}

/// What this is built from: what whoever builds says, otherwise what git says. Nothing outside of a repository. Debug
/// builds do not ask git: they would be built anew after every commit.
fn commit() -> Option<String> {
    println!("cargo:rerun-if-env-changed=FINSERVE_COMMIT");
    let named = env::var("FINSERVE_COMMIT").ok().filter(|commit| is_plain(commit));
    if named.is_some() || env::var("PROFILE").as_deref() != Ok("release") {
        return named;
    }
    let here = fs::canonicalize("..").ok()?;
    // A copy of the sources inside somebody else's repository has none of its own.
    let ours = git(&["rev-parse", "--show-toplevel"])?;
    if fs::canonicalize(ours).ok()? != here {
        return None;
    }
    // A file that is missing would count as changed.
    let folder =
        here.join(git(&["rev-parse", "--git-common-dir"]).map(|dir| format!("finserve/{dir}"))?);
    let head = git(&["symbolic-ref", "-q", "HEAD"]).unwrap_or_default();
    for file in ["HEAD", &head, "packed-refs"] {
        let file = folder.join(file);
        if file.is_file() {
            println!("cargo:rerun-if-changed={}", file.display());
        }
    }
    git(&["rev-parse", "--short=12", "HEAD"]).filter(|commit| is_plain(commit))
}

/// What git answers, if it is there and succeeds.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}

/// Whether this can stand in a line of its own.
fn is_plain(commit: &str) -> bool {
    !commit.is_empty() && commit.chars().all(|c| c.is_ascii_alphanumeric() || "-._+".contains(c))
}
