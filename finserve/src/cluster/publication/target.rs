//! Where publications go to and come from, as it is written on the command line.
use std::{fmt, path::PathBuf};

#[cfg(feature = "cluster")]
use super::s3::S3;
use super::{directory::Directory, http_server::HttpServer, store::Store};
use crate::sources::BaseUrl;

/// A place for publications as it was typed. It stays text here and is never printed: what clap refuses it repeats on
/// the terminal, and it might hold a password.
#[derive(Clone)]
pub(crate) struct TypedTarget(String);

impl From<String> for TypedTarget {
    fn from(text: String) -> TypedTarget {
        TypedTarget(text)
    }
}

impl fmt::Debug for TypedTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TypedTarget(…)")
    }
}

/// A place for publications. It holds no secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Directory(PathBuf),
    S3 {
        bucket: String,
        /// Empty, or with a slash at its end.
        prefix: String,
    },
    /// Can only be read.
    Web(BaseUrl),
}

impl TypedTarget {
    /// Fails, in words that do not repeat it, where this is no place that this build knows.
    pub(crate) fn read(&self) -> Result<Target, String> {
        const FORMS: &str =
            "a catalogue is published in a directory, s3://bucket/prefix or https://host/path/";
        let text = self.0.as_str();
        if let Some(place) = text.strip_prefix("s3://") {
            let (bucket, prefix) = place.split_once('/').unwrap_or((place, ""));
            let plain = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
            let prefix = prefix.trim_matches('/');
            if bucket.is_empty() || !bucket.chars().all(plain) || prefix.contains(['?', '#', '@']) {
                return Err(format!("{FORMS}; keys of the store are in AWS_* variables"));
            }
            let prefix = if prefix.is_empty() { String::new() } else { format!("{prefix}/") };
            let target = Target::S3 { bucket: bucket.to_owned(), prefix };
            #[cfg(not(feature = "cluster"))]
            target.open()?;
            return Ok(target);
        }
        if text.starts_with("http://") || text.starts_with("https://") {
            return text.parse().map(Target::Web);
        }
        if text.is_empty() || text.contains("://") {
            return Err(FORMS.to_owned());
        }
        Ok(Target::Directory(text.into()))
    }
}

impl Target {
    /// Makes ready to use it. Fails, in words, where something is missing for that.
    pub(crate) fn open(&self) -> Result<Box<dyn Store>, String> {
        match self {
            Target::Directory(path) => Ok(Box::new(Directory(path.clone()))),
            Target::Web(base) => Ok(Box::new(HttpServer::new(base.clone())?)),
            #[cfg(feature = "cluster")]
            Target::S3 { bucket, prefix } => Ok(Box::new(S3::from_env(bucket, prefix)?)),
            #[cfg(not(feature = "cluster"))]
            Target::S3 { .. } => Err(super::super::unsupported::unsupported("s3://")),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::Directory(path) => path.display().fmt(f),
            Target::S3 { bucket, prefix } => write!(f, "s3://{bucket}/{prefix}"),
            Target::Web(base) => base.fmt(f),
        }
    }
}
