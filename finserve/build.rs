//! Packs the script of the API reference, and writes the API description as JSON: no work for each request.
use std::{env, fs, fs::File, io, io::Write, path::Path};

use flate2::{Compression, write::GzEncoder};

const DESCRIPTION: &str = "../openapi.yaml";

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed={DESCRIPTION}");
    let out = env::var("OUT_DIR").map_err(io::Error::other)?;
    let out = Path::new(&out);
    pack_script(&out.join("scalar.js.gz"))?;
    write_description(&out.join("openapi.json"))
}

fn pack_script(path: &Path) -> io::Result<()> {
    let script = scalar_api_reference::get_asset("scalar.js")
        .ok_or_else(|| io::Error::other("the package of the reference holds no script"))?;
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
