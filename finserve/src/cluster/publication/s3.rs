//! Publications in an object store that speaks the protocol of S3.
//!
//! `rusty-s3` signs and `ureq` sends. `object_store` would bring `reqwest`, a runtime of its own and a second set-up of
//! TLS. Version 0.9, because later ones read lists only in the namespace of AWS.
use std::{env, fs::File, io::Read, path::Path, time::Duration};

use rusty_s3::{Bucket, Credentials, S3Action, UrlStyle, actions::ListObjectsV2};

use super::{
    http_server::{Http, PAUSE, expect},
    store::{MANIFEST, Store},
};
use crate::net::http_client::ProxyMode;

/// For how long a signed address is good: longer than a file may take.
const SIGNED: Duration = Duration::from_secs(3600);

/// The most that a store takes in one request.
const MOST_BYTES: u64 = 5 << 30;

/// The longest list of files that is read.
const LONGEST_LIST: u64 = 4 << 20;

/// A bucket, and what the names in it begin with.
pub(super) struct S3 {
    bucket: Bucket,
    credentials: Credentials,
    prefix: String,
    http: Http,
}

impl S3 {
    /// The endpoint, region and keys come from the environment, by the names that all such programs use.
    pub(super) fn from_env(bucket: &str, prefix: &str) -> Result<S3, String> {
        let variable = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
        let region = variable("AWS_REGION").or_else(|| variable("AWS_DEFAULT_REGION"));
        let region = region.unwrap_or_else(|| "us-east-1".to_owned());
        let own = variable("AWS_ENDPOINT_URL_S3").or_else(|| variable("AWS_ENDPOINT_URL"));
        // Stores of one's own rarely have a name for each bucket.
        let style = if own.is_some() { UrlStyle::Path } else { UrlStyle::VirtualHost };
        let endpoint = own.unwrap_or_else(|| format!("https://s3.{region}.amazonaws.com"));
        let is_local = ["http://127.", "http://localhost", "http://[::1]"]
            .iter()
            .any(|local| endpoint.starts_with(local));
        let way = if is_local { ProxyMode::Direct } else { ProxyMode::Proxy };
        let wrong = "AWS_ENDPOINT_URL is not an http or https address".to_owned();
        let endpoint = endpoint.parse().map_err(|_| wrong.clone())?;
        let credentials = Credentials::from_env().ok_or(
            "s3:// needs the keys of the store in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
        )?;
        let bucket = Bucket::new(endpoint, style, bucket.to_owned(), region).map_err(|_| wrong)?;
        Ok(S3 { bucket, credentials, prefix: prefix.to_owned(), http: Http::new(way)? })
    }

    fn key(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    fn signed_get_url(&self, name: &str) -> String {
        let key = self.key(name);
        self.bucket.get_object(Some(&self.credentials), &key).sign(SIGNED).into()
    }

    fn signed_put_url(&self, name: &str) -> String {
        let key = self.key(name);
        self.bucket.put_object(Some(&self.credentials), &key).sign(SIGNED).into()
    }
}

/// How long a manifest may be on its way: less than a leader that is cut off keeps its lock.
const MANIFEST_TIMEOUT: Duration = Duration::from_secs(5);

impl Store for S3 {
    fn manifest(&self) -> Result<Option<Vec<u8>>, String> {
        self.http.manifest(&self.signed_get_url(MANIFEST))
    }

    fn open(&self, name: &str) -> Result<Box<dyn Read>, String> {
        self.http.open(name, &self.signed_get_url(name))
    }

    fn pause(&self) -> Duration {
        PAUSE
    }

    fn put(&self, name: &str, file: &Path) -> Result<(), String> {
        let cannot = |err| format!("{} cannot be read: {err}", file.display());
        let file = File::open(file).map_err(cannot)?;
        let bytes = file.metadata().map_err(cannot)?.len();
        if bytes > MOST_BYTES {
            return Err(format!("{name} has {bytes} bytes; the maximum is {MOST_BYTES}"));
        }
        let sent = self.http.agent.put(self.signed_put_url(name)).send(&file);
        expect(name, &[200, 201, 204], sent).map(drop)
    }

    fn put_manifest(&self, bytes: &[u8]) -> Result<(), String> {
        // Soon or not at all: another server may lead in a moment.
        let request = self.http.agent.put(self.signed_put_url(MANIFEST));
        let request = request.config().timeout_global(Some(MANIFEST_TIMEOUT)).build();
        // Caches must ask whether it is still the same.
        let request =
            request.header("Content-Type", "application/json").header("Cache-Control", "no-cache");
        expect(MANIFEST, &[200, 201, 204], request.send(bytes)).map(drop)
    }

    fn list(&self) -> Result<Vec<String>, String> {
        let mut action = self.bucket.list_objects_v2(Some(&self.credentials));
        action.with_prefix(self.key("catalogue-"));
        let url = action.sign(SIGNED);
        let list = expect("the list of files", &[200], self.http.agent.get(url.as_str()).call())?;
        let list = list.into_body().into_reader().take(LONGEST_LIST);
        let list = ListObjectsV2::parse_response_from_reader(list)
            .map_err(|_| "the list of files cannot be read")?;
        let names = list.contents.into_iter();
        Ok(names.filter_map(|file| Some(file.key.strip_prefix(&self.prefix)?.to_owned())).collect())
    }

    fn remove(&self, name: &str) -> Result<(), String> {
        let key = self.key(name);
        let url = self.bucket.delete_object(Some(&self.credentials), &key).sign(SIGNED);
        expect(name, &[200, 204, 404], self.http.agent.delete(url.as_str()).call()).map(drop)
    }
}
