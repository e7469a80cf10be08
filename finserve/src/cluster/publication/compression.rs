//! Compresses a database and decompresses it, and verifies both by their hashes.
use std::{
    fs::File,
    io::{self, Read, Write},
    path::Path,
};

use sha2::{Digest, Sha256};

use super::manifest::CompressedCopy;

/// A level above this saves a tenth of the size, and takes three times as long.
const LEVEL: i32 = 3;

/// How much is read at once.
const CHUNK: usize = 256 * 1024;

/// Compresses a database into a new file, which is on disk afterwards.
pub(super) fn compress(
    source: &Path,
    target: &Path,
    mut progress: impl FnMut(u64, u64),
) -> io::Result<CompressedCopy> {
    let mut database = File::open(source)?;
    let of = database.metadata()?.len();
    let mut encoder = zstd::Encoder::new(HashingStream::new(File::create_new(target)?), LEVEL)?;
    encoder.include_checksum(true)?;
    let mut content = HashingStream::new(encoder);
    copy(&mut database, &mut content, |done| progress(done, of))?;
    let (encoder, bytes, sha256) = content.finish();
    let (file, compressed_bytes, compressed_sha256) = encoder.finish()?.finish();
    file.sync_all()?;
    Ok(CompressedCopy { bytes, sha256, compressed_bytes, compressed_sha256 })
}

/// Decompresses into a new file, which is on disk afterwards. Fails, in words, if anything is not as it should be; the file
/// is not to be used then.
pub(super) fn decompress(
    source: impl Read,
    target: &Path,
    wanted: &CompressedCopy,
) -> Result<(), String> {
    let cannot = |err: io::Error| format!("cannot be read or unpacked: {err}");
    // One that is longer than it says must not fill the disk.
    let source = HashingStream::new(source.take(wanted.compressed_bytes.saturating_add(1)));
    let mut decoder = zstd::Decoder::new(source).map_err(cannot)?.single_frame();
    let mut file = HashingStream::new(File::create_new(target).map_err(cannot)?);
    let mut content = decoder.by_ref().take(wanted.bytes.saturating_add(1));
    copy(&mut content, &mut file, |_| ()).map_err(cannot)?;
    let mut rest = decoder.finish();
    copy(&mut rest, &mut io::sink(), |_| ()).map_err(cannot)?;
    let (_, compressed_bytes, compressed_sha256) = rest.into_inner().finish();
    let (file, bytes, sha256) = file.finish();
    let found = CompressedCopy { bytes, sha256, compressed_bytes, compressed_sha256 };
    if found != *wanted {
        return Err("is not what the manifest says".into());
    }
    file.sync_all().map_err(cannot)
}

fn copy(
    source: &mut impl Read,
    target: &mut impl Write,
    mut progress: impl FnMut(u64),
) -> io::Result<()> {
    let (mut chunk, mut done) = (vec![0; CHUNK], 0);
    loop {
        let length = match source.read(&mut chunk) {
            Err(err) if err.kind() == io::ErrorKind::Interrupted => continue,
            read => read?,
        };
        if length == 0 {
            return target.flush();
        }
        target.write_all(&chunk[..length])?;
        done += length as u64;
        progress(done);
    }
}

/// A stream whose bytes are counted and hashed as they are read or written.
struct HashingStream<T> {
    inner: T,
    hash: Sha256,
    bytes: u64,
}

impl<T> HashingStream<T> {
    fn new(inner: T) -> HashingStream<T> {
        HashingStream { inner, hash: Sha256::new(), bytes: 0 }
    }

    fn count(&mut self, bytes: &[u8]) {
        self.hash.update(bytes);
        self.bytes += bytes.len() as u64;
    }

    /// The writer inside, the number of bytes, and their SHA-256.
    fn finish(self) -> (T, u64, String) {
        let digest = self.hash.finalize();
        (self.inner, self.bytes, digest.iter().map(|byte| format!("{byte:02x}")).collect())
    }
}

impl<T: Read> Read for HashingStream<T> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.inner.read(buffer)?;
        self.count(&buffer[..length]);
        Ok(length)
    }
}

impl<T: Write> Write for HashingStream<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let length = self.inner.write(bytes)?;
        self.count(&bytes[..length]);
        Ok(length)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
