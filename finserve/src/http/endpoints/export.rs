//! Bulk export: the datasets, and each as a stream.
use std::time::Duration;

use fincore::{
    Catalogue, Date, Error,
    export::{Dataset, Export, Format, Query},
    market::{
        self,
        transform::{Aggregate, Frequency, Only, Partial, Transformation, Units},
    },
};
use hyper::{
    Version,
    header::{HeaderMap, HeaderValue},
};
use serde::Deserialize;

use super::{
    context::Context,
    export_tag::{how_text, tag_of},
};
use crate::errors::{BadRequest, Problem, Wanted};
use crate::http::{
    message::{
        encoding, formats,
        header_names::{X_DATA_VERSION, X_TOTAL_COUNT},
        parameters::Params,
        payload::Payload,
        refusal::Refusal,
        render,
        reply::{Body, Caching, Reply},
        stream::Stream,
    },
    transport::concurrency_slots::Slots,
};

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

/// The slots that exports of the past take as well: no more than leave half of the snapshots of the past to others.
pub(crate) fn past_slots(catalogue: &Catalogue) -> Slots {
    let in_all = (catalogue.most_past_snapshots() / 2).max(1);
    Slots::new(PER_CALLER.min(in_all), in_all)
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExportQuery {
    dataset: String,
    from: Option<Date>,
    to: Option<Date>,
    since: Option<String>,
    frequency: Option<Frequency>,
    aggregate: Option<Aggregate>,
    units: Option<Units>,
    base: Option<Date>,
    only: Option<Only>,
    partial: Option<Partial>,
    as_of: Option<Date>,
    format: Option<String>,
    dialect: Option<String>,
}

/// `GET /api/v1/export`
pub(crate) fn list(context: &Context<'_>, _: Params<'_>) -> Result<Reply, Refusal> {
    let Context { catalogue, dataset_list, request, base, .. } = context;
    let snapshot = catalogue.snapshot(request.now.today())?;
    dataset_list.reply(&snapshot, *base)
}

/// `GET /api/v1/export/{dataset}`: from one snapshot, whatever is imported meanwhile.
pub(crate) fn dataset(context: &Context<'_>, params: Params<'_>) -> Result<Reply, Refusal> {
    let Context { catalogue, access, exports, past_exports, streams, request, caller, .. } =
        context;
    let headers = &request.head.headers;
    if request.head.version < Version::HTTP_11 {
        // There are no chunks in HTTP/1.0: the end of a connection would be the end of the dataset.
        return Err(BadRequest::ExportOverHttp10.into());
    }
    let asked: ExportQuery = params.read()?;
    let query = query(&asked, headers)?;
    let snapshot = catalogue.snapshot(request.now.today())?.for_plan(caller.plan);
    let tag = tag_of(&snapshot, &query, asked.as_of);
    if let Some(unchanged) = Reply::unchanged(&tag, headers) {
        return Ok(unchanged);
    }
    let take = |slots: &Slots| slots.take(caller.id).map_err(|full| Refusal::full(full, "exports"));
    let slot = take(exports)?;
    let past_slot = asked.as_of.map(|_| take(past_exports)).transpose()?;

    let (media, _, _) = render::of_export(query.format);
    let snapshot = match asked.as_of {
        Some(day) => market::as_of(&snapshot, day)?,
        None => snapshot,
    };
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
    let producer = Box::new(move |out: &mut _| {
        let _until_the_end = &past_slot;
        export.write(out)
    });
    let stream = Stream::begin(producer, encoding, name, slot, streams.clone())?;
    let permit = access.still_valid(request);
    let stream = stream.only_while(permit.clone());
    let body = Body::stream(media, encoding, Payload::stream(stream));
    let reply = Reply::ok(body, Caching::Tagged(tag)).with_headers(facts);
    let reply = reply.saved_as(&file_name(&query)).only_while(permit);
    Ok(reply.until(request.now.instant + EXPORT_TIME))
}

/// The query of the library.
fn query(asked: &ExportQuery, headers: &HeaderMap) -> Result<Query, Refusal> {
    let dataset: Dataset = asked.dataset.parse()?;
    let format = formats::of_dataset(asked.format.as_deref(), asked.dialect.as_deref(), headers)?;
    let since = asked.since.as_deref().map(version).transpose()?;
    let transformation = asked.transformation();
    Ok(Query { dataset, from: asked.from, to: asked.to, since, transformation, format })
}

impl ExportQuery {
    /// How the rows are transformed, where a parameter says so.
    fn transformation(&self) -> Option<Transformation> {
        let ExportQuery { frequency, aggregate, units, base, only, partial, .. } = *self;
        let is_one = frequency.is_some()
            || aggregate.is_some()
            || units.is_some()
            || base.is_some()
            || only.is_some()
            || partial.is_some();
        is_one.then(|| Transformation {
            frequency,
            aggregate,
            units: units.unwrap_or_default(),
            base,
            only,
            partial: partial.unwrap_or_default(),
        })
    }
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

/// `filings-since-17.csv`, `ipca-month-value.csv`
fn file_name(query: &Query) -> String {
    let (_, _, end) = render::of_export(query.format);
    let since = query.since.map(|version| format!("-since-{version}")).unwrap_or_default();
    let how = query.transformation.as_ref().map(|how| format!("-{}", how_text(how)));
    format!("{}{}{since}.{end}", query.dataset, how.unwrap_or_default())
}
