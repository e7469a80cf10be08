//! Compresses the tables of `data/` into the library.
#[cfg(not(feature = "bundle"))]
fn main() {}

#[cfg(feature = "bundle")]
fn main() -> std::io::Result<()> {
    bundle::write()
}

#[cfg(feature = "bundle")]
mod bundle {
    use std::{env, fmt::Write, fs, io, path::Path};

    /// Takes a second where 19, the best, takes twenty and saves a seventh.
    const LEVEL: i32 = 12;

    pub(crate) fn write() -> io::Result<()> {
        let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
        let out = env::var("OUT_DIR").map_err(io::Error::other)?;
        let reviewed =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lexicon/names/reviewed_names.tsv");
        println!("cargo:rerun-if-changed={}", data.display());
        println!("cargo:rerun-if-changed={}", reviewed.display());

        let mut tables: Vec<_> =
            fs::read_dir(&data)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
        let is_table =
            |path: &Path| path.extension().is_some_and(|end| end == "csv" || end == "tsv");
        tables.retain(|path| is_table(path));
        tables.sort();

        let mut digest = crc32fast::Hasher::new();
        // Reviewed tickers that trade are stored with the tables.
        let reviewed = fs::read_to_string(&reviewed)?;
        for line in reviewed.lines().filter(|line| line.starts_with("ticker\t")) {
            digest.update(line.as_bytes());
        }
        let mut source = String::from("const TABLES: &[(&str, &[u8])] = &[\n");
        for path in &tables {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let text = fs::read(path)?;
            digest.update(name.as_bytes());
            digest.update(&(text.len() as u64).to_be_bytes());
            digest.update(&text);
            let packed = Path::new(&out).join(format!("{name}.zst"));
            fs::write(&packed, zstd::bulk::compress(&text, LEVEL)?)?;
            writeln!(source, "    ({name:?}, include_bytes!({packed:?})),")
                .map_err(io::Error::other)?;
        }
        let id = digest.finalize();
        writeln!(source, "];\nconst ID: &str = \"{id:08x}\";").map_err(io::Error::other)?;
        fs::write(Path::new(&out).join("bundle.rs"), source)
    }
}
