//! The list of what can be exported.
use std::sync::{Arc, Mutex, PoisonError};

use fincore::{
    Snapshot,
    export::{self, DatasetSize, Format, Query},
};
use hyper::{body::Bytes, header::HeaderValue};
use serde::Serialize;

use super::export_tag::tag_of;
use crate::{
    http::message::{
        etags::tag,
        formats, links,
        refusal::Refusal,
        render::{Answer, JSON, Media},
        reply::{Body, Caching, Reply},
    },
    site::base_path::BasePath,
};

/// All datasets.
#[derive(Serialize)]
struct Datasets {
    data: Vec<Listed>,
    total: usize,
    data_version: u64,
}

/// A dataset, and how to get it.
#[derive(Serialize)]
struct Listed {
    #[serde(flatten)]
    dataset: DatasetSize,
    /// The tag of the whole of it in the format that comes without asking.
    etag: String,
    formats: &'static [&'static str],
    url: String,
}

/// The list of datasets as it was last made. Making it reads much of the data, so after a change the last one is served
/// until a thread in the background has made the next.
#[derive(Default)]
pub(crate) struct DatasetList {
    last: Mutex<Option<Arc<MadeList>>>,
}

/// The list, with the data that it was made from and its tag.
struct MadeList {
    fingerprint: u64,
    tag: HeaderValue,
    body: Bytes,
}

impl DatasetList {
    /// The last list; the first one is made here.
    pub(super) fn reply(&self, snapshot: &Snapshot, base: BasePath) -> Result<Reply, Refusal> {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let list = last.map_or_else(|| self.make(snapshot, base), Ok)?;
        Ok(Reply::ok(Body::new(JSON, list.body.clone()), Caching::Tagged(list.tag.clone())))
    }

    /// Makes the list anew if it was asked for before, and the data or the day has changed since it was made.
    pub(crate) fn refresh(&self, snapshot: &Snapshot, base: BasePath) -> Result<(), Refusal> {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner).clone();
        match last {
            Some(last) if last.fingerprint != snapshot.fingerprint() => {
                self.make(snapshot, base).map(drop)
            }
            Some(_) | None => Ok(()),
        }
    }

    fn make(&self, snapshot: &Snapshot, base: BasePath) -> Result<Arc<MadeList>, Refusal> {
        let listed = |dataset: DatasetSize| {
            let name = &dataset.dataset;
            let etag = whole(snapshot, name).and_then(|tag| Some(tag.to_str().ok()?.to_owned()));
            let etag = etag.unwrap_or_default();
            let url = base.link(&format!("/api/v1/export/{name}"));
            Listed { dataset, etag, formats: formats::DATASET_FORMATS, url }
        };
        let data: Vec<Listed> = export::sizes(snapshot)?.into_iter().map(listed).collect();
        let datasets = Datasets { total: data.len(), data, data_version: snapshot.version()? };
        let json = Answer::object(datasets).render(&Media::Json, None)?;
        let made = MadeList {
            fingerprint: snapshot.fingerprint(),
            tag: tag(snapshot, &["/api/v1/export"]),
            body: links::with_next(json, None).into(),
        };
        let made = Arc::new(made);
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(made.clone());
        Ok(made)
    }
}

/// The tag of a whole dataset in the format that comes without asking.
fn whole(snapshot: &Snapshot, dataset: &str) -> Option<HeaderValue> {
    let query = Query::new(dataset.parse().ok()?, Format::Ndjson);
    Some(tag_of(snapshot, &query, None))
}
