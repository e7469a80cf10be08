//! Compresses the tables of `data/` into the library.
use std::{env, fmt::Write, fs, io, path::Path};

/// The best that still decompresses in a fraction of a second; it takes seconds, once.
const LEVEL: i32 = 19;

fn main() -> io::Result<()> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data");
    let out = env::var("OUT_DIR").map_err(io::Error::other)?;
    println!("cargo:rerun-if-changed={}", data.display());

    let mut tables: Vec<_> =
        fs::read_dir(&data)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    let is_table = |path: &Path| path.extension().is_some_and(|end| end == "csv" || end == "tsv");
    tables.retain(|path| is_table(path));
    tables.sort();

    let mut id = Fnv::default();
    let mut source = String::from("const TABLES: &[(&str, &[u8])] = &[\n");
    for path in &tables {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let text = fs::read(path)?;
        id.update(name.as_bytes());
        id.update(&text);
        let packed = Path::new(&out).join(format!("{name}.zst"));
        fs::write(&packed, zstd::bulk::compress(&text, LEVEL)?)?;
        writeln!(source, "    ({name:?}, include_bytes!({packed:?})),")
            .map_err(io::Error::other)?;
    }
    write!(source, "];\nconst ID: &str = \"{:016x}\";\n", id.0).map_err(io::Error::other)?;
    fs::write(Path::new(&out).join("bundle.rs"), source)
}

/// FNV-1a: tells two states of the tables apart, nothing more.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Fnv {
        Fnv(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    fn update(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}
