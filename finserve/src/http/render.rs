//! Typed answers as bytes: the one place that knows the media types of data.
//!
//! A function of the library returns a value; [`Answer`] holds it until it is known how it is to be written.
//! A new media type is a variant of [`Media`]: it does not compile until it has a name and a way to write
//! both kinds of answers.
use fincore::{Page, table::Row};
use serde::Serialize;

use super::{refusal::Refusal, reply::Body};

/// How an answer is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Media {
    Json,
}

impl Media {
    /// The value of `Content-Type`.
    pub(crate) fn content_type(self) -> &'static str {
        match self {
            Media::Json => "application/json",
        }
    }
}

/// What a row of the table gave back.
pub(crate) enum Answer {
    /// One thing.
    Object(Box<dyn Json>),
    /// A part of a list.
    List(Box<dyn Rows>),
}

impl Answer {
    pub(crate) fn object(answer: impl Serialize + 'static) -> Answer {
        Answer::Object(Box::new(answer))
    }

    pub(crate) fn list<R: Row + Serialize>(page: Page<R>) -> Answer {
        Answer::List(Box::new(page))
    }

    /// How long the list is, and which part of it this is; nothing for a single thing.
    pub(crate) fn extent(&self) -> Option<Extent> {
        match self {
            Answer::Object(_) => None,
            Answer::List(list) => Some(list.extent()),
        }
    }

    /// The answer in this media type.
    pub(crate) fn render(&self, media: Media) -> Result<Body, Refusal> {
        let mut bytes = Vec::new();
        let written = match (media, self) {
            (Media::Json, Answer::Object(object)) => object.write_json(&mut bytes),
            (Media::Json, Answer::List(list)) => list.write_json(&mut bytes),
        };
        written.map_err(|err| Refusal::Internal(format!("an answer cannot be written: {err}")))?;
        Ok(Body::new(media.content_type(), bytes))
    }
}

/// Anything that can be written as JSON.
pub(crate) trait Json {
    fn write_json(&self, bytes: &mut Vec<u8>) -> serde_json::Result<()>;
}

impl<T: Serialize> Json for T {
    fn write_json(&self, bytes: &mut Vec<u8>) -> serde_json::Result<()> {
        serde_json::to_writer(bytes, self)
    }
}

/// A part of a list, whatever its rows.
pub(crate) trait Rows: Json {
    fn extent(&self) -> Extent;
}

impl<R: Row + Serialize> Rows for Page<R> {
    fn extent(&self) -> Extent {
        Extent { total: self.total, limit: self.limit, offset: Some(self.offset) }
    }
}

/// How long a list is, and which part of it is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) total: u64,
    pub(crate) limit: u32,
    /// Nothing where the endpoint takes no offset, and the part is the whole list.
    pub(crate) offset: Option<u64>,
}
