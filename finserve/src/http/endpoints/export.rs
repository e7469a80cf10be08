//! Bulk export: the datasets, and each as a stream.
use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use fincore::{
    Catalogue, Date, Error, Snapshot,
    export::{Dataset, DatasetSize, DatasetSizes, Export, Format, Query},
};
use hyper::{
    Version,
    body::Bytes,
    header::{HeaderMap, HeaderValue},
};
use serde::{Deserialize, Serialize};

use super::context::Context;
use crate::errors::{BadRequest, Problem, Wanted};
use crate::http::{
    message::{
        encoding,
        etags::tag,
        formats,
        header_names::{X_DATA_VERSION, X_TOTAL_COUNT},
        parameters::Params,
        payload::Payload,
        refusal::Refusal,
        render::{self, Answer, JSON, Media},
        reply::{Body, Caching, Reply},
        stream::Stream,
    },
    transport::concurrency_slots::Slots,
};
use crate::site::base_path::BasePath;

/// How long an export may take, however slowly it is read. A million filings are some 60 MB compressed, which a
/// line of 1 Mbit/s carries in ten minutes.
///
/// Every export holds a snapshot, and the write-ahead log of the catalogue cannot be emptied while one is held. So
/// this is also the longest time for which exports can make the log grow: a peer that reads nothing is cut
/// long before by the server's time-out for writing.
const EXPORT_TIME: Duration = Duration::from_secs(30 * 60);

/// How many exports a caller may have at a time, and how many all callers together.
const PER_CALLER: usize = 2;
const IN_ALL: usize = 32;

/// The slots that exports take: no more than leave half of the snapshots to others.
pub(crate) fn slots(catalogue: &Catalogue) -> Slots {
    let in_all = IN_ALL.min(catalogue.most_snapshots() / 2).max(1);
    Slots::new(PER_CALLER.min(in_all), in_all)
}

/// What can be chosen of an export.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExportQuery {
    dataset: String,
    from: Option<Date>,
    to: Option<Date>,
    since: Option<String>,
    format: Option<String>,
    dialect: Option<String>,
}

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
    sizes: DatasetSizes,
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
    fn last(&self, snapshot: &Snapshot, base: BasePath) -> Result<Arc<MadeList>, Refusal> {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner).clone();
        last.map_or_else(|| self.make(snapshot, base), Ok)
    }

    /// Makes the list anew if somebody has asked for it, and the data or the day has changed since it was made.
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
            let etag = whole(snapshot, name).to_str().unwrap_or_default().to_owned();
            let url = base.link(&format!("/api/v1/export/{name}"));
            Listed { dataset, etag, formats: formats::DATASET_FORMATS, url }
        };
        let data: Vec<Listed> = self.sizes.list(snapshot)?.into_iter().map(listed).collect();
        let datasets = Datasets { total: data.len(), data, data_version: snapshot.version()? };
        let made = MadeList {
            fingerprint: snapshot.fingerprint(),
            tag: tag(snapshot, &["/api/v1/export"]),
            body: Answer::object(datasets).render(Media::Json)?.into(),
        };
        let made = Arc::new(made);
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(made.clone());
        Ok(made)
    }
}

/// `GET /api/v1/export`
pub(crate) fn list(context: &Context<'_>, _: Params<'_>) -> Result<Reply, Refusal> {
    let Context { catalogue, dataset_list, request, base, .. } = context;
    let snapshot = catalogue.snapshot(request.now.today())?;
    let list = dataset_list.last(&snapshot, *base)?;
    Ok(Reply::ok(Body::new(JSON, list.body.clone()), Caching::Tagged(list.tag.clone())))
}

/// `GET /api/v1/export/{dataset}`: from one snapshot, whatever is imported meanwhile.
pub(crate) fn dataset(context: &Context<'_>, params: Params<'_>) -> Result<Reply, Refusal> {
    let Context { catalogue, exports, streams, request, caller, .. } = context;
    let headers = &request.head.headers;
    if request.head.version < Version::HTTP_11 {
        // There are no chunks in HTTP/1.0: the end of a connection would be the end of the dataset.
        return Err(BadRequest::ExportOverHttp10.into());
    }
    let query = query(&params.read()?, headers)?;
    let snapshot = catalogue.snapshot(request.now.today())?.for_plan(caller.plan);
    let tag = tag_of(&snapshot, &query);
    if let Some(unchanged) = Reply::unchanged(&tag, headers) {
        return Ok(unchanged);
    }
    let slot = exports.take(caller.id).map_err(|full| Refusal::full(full, "exports"))?;

    let (media, _, _) = render::of_export(query.format);
    let mut export = Export::begin(snapshot, query).map_err(|err| begun(err, &query))?;
    let facts = [
        (X_TOTAL_COUNT, HeaderValue::from(export.total())),
        (X_DATA_VERSION, HeaderValue::from(export.version())),
    ];
    let encoding = match query.format {
        Format::Ndjson | Format::Csv(_) => encoding::preferred(headers),
        // Its columns are compressed.
        #[cfg(feature = "parquet")]
        Format::Parquet => None,
    };
    let name = format!("an export of {}", query.dataset);
    let producer = Box::new(move |out: &mut _| export.write(out));
    let stream = Stream::begin(producer, encoding, name, slot, streams)?;
    let body = Body::stream(media, encoding, Payload::stream(stream));
    let reply = Reply::ok(body, Caching::Tagged(tag)).with_headers(facts);
    Ok(reply.saved_as(&file_name(&query)).until(request.now.instant + EXPORT_TIME))
}

/// The query of the library.
fn query(asked: &ExportQuery, headers: &HeaderMap) -> Result<Query, Refusal> {
    let dataset: Dataset = asked.dataset.parse()?;
    let format = formats::of_dataset(asked.format.as_deref(), asked.dialect.as_deref(), headers)?;
    let since = asked.since.as_deref().map(version).transpose()?;
    Ok(Query { dataset, from: asked.from, to: asked.to, since, format })
}

fn version(text: &str) -> Result<u64, Refusal> {
    // `parse` alone would also take a sign.
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| digits).ok_or_else(|| {
        BadRequest::parameter("since", Problem::value(text, Wanted::DataVersion)).into()
    })
}

/// Why an export cannot begin. Where the change log cannot tell what changed, there is a way out.
fn begun(err: Error, query: &Query) -> Refusal {
    let by_log = query.since.is_some() && query.from.is_none() && query.to.is_none();
    match err {
        Error::Invalid(invalid) if by_log => BadRequest::ExportSince(invalid).into(),
        err => Refusal::from(err),
    }
}

/// The tag of what a query gives. The plan is not in it: every plan that may export gets the same.
fn tag_of(snapshot: &Snapshot, query: &Query) -> HeaderValue {
    let Query { dataset, from, to, since, format } = query;
    let (_, format, _) = render::of_export(*format);
    let day = |day: &Option<Date>| day.map(|day| day.to_string()).unwrap_or_default();
    let since = since.map(|version| version.to_string()).unwrap_or_default();
    tag(snapshot, &["export", &dataset.to_string(), &day(from), &day(to), &since, format])
}

/// The tag of a whole dataset in the format that comes without asking.
fn whole(snapshot: &Snapshot, dataset: &str) -> HeaderValue {
    let (_, format, _) = render::of_export(Format::Ndjson);
    tag(snapshot, &["export", dataset, "", "", "", format])
}

/// `filings-since-17.csv`
fn file_name(query: &Query) -> String {
    let (_, _, end) = render::of_export(query.format);
    let since = query.since.map(|version| format!("-since-{version}")).unwrap_or_default();
    format!("{}{since}.{end}", query.dataset)
}
