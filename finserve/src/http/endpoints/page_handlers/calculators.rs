//! The pages of the calculators.
use hyper::header::HeaderValue;
use serde::Deserialize;

use super::{plan_preview::snapshot, shown, view};
use crate::{
    errors::BadRequest,
    http::{
        endpoints::{context::Context, page_handlers},
        message::{parameters::Params, refusal::Refusal, reply::Reply},
    },
    pages::{self, Calculator, Given, Language, Outcome},
};

/// The fields of a form as they were sent, and how they become what a calculator reads.
macro_rules! fields {
    ($(#[$doc:meta])* $name:ident: $($field:ident)+) => {
        $(#[$doc])*
        #[derive(Debug, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct $name {
            $($field: Option<String>,)+
            lang: Option<Language>,
        }

        impl $name {
            fn split(self) -> (Option<Language>, Given) {
                (self.lang, Given::of([$((stringify!($field), self.$field)),+]))
            }
        }
    };
}

fields!(
    /// The form of `/calc/correction`.
    CorrectionPage: amount index from to months percent spread
);
fields!(
    /// The form of `/calc/accumulated`.
    AccumulatedPage: series from to months
);
fields!(
    /// The form of `/calc/convert`.
    ConvertPage: amount from to date side
);
fields!(
    /// The form of `/calc/real-rate`.
    RealRatePage: from to interest inflation percent
);
fields!(
    /// The form of `/calc/rate`.
    RatePage: value from to
);

/// `GET /calc`
pub(crate) fn index(context: &Context<'_>, params: Params<'_>) -> Result<Reply, Refusal> {
    let lang = page_handlers::chosen(params)?;
    Ok(shown(pages::calculators(&view(context, lang))))
}

/// `GET /calc/correction`
pub(crate) fn correction(context: &Context<'_>, params: Params<'_>) -> Result<Reply, Refusal> {
    page(context, Calculator::Correction, params.read::<CorrectionPage>()?.split())
}

/// `GET /calc/accumulated`
pub(crate) fn accumulated(context: &Context<'_>, params: Params<'_>) -> Result<Reply, Refusal> {
    page(context, Calculator::Accumulated, params.read::<AccumulatedPage>()?.split())
}

/// `GET /calc/convert`
pub(crate) fn convert(context: &Context<'_>, params: Params<'_>) -> Result<Reply, Refusal> {
    page(context, Calculator::Convert, params.read::<ConvertPage>()?.split())
}

/// `GET /calc/real-rate`
pub(crate) fn real_rate(context: &Context<'_>, params: Params<'_>) -> Result<Reply, Refusal> {
    page(context, Calculator::RealRate, params.read::<RealRatePage>()?.split())
}

/// `GET /calc/rate`
pub(crate) fn rate(context: &Context<'_>, params: Params<'_>) -> Result<Reply, Refusal> {
    page(context, Calculator::Rate, params.read::<RatePage>()?.split())
}

fn page(
    context: &Context<'_>,
    calculator: Calculator,
    (lang, given): (Option<Language>, Given),
) -> Result<Reply, Refusal> {
    let view = view(context, lang);
    match pages::calculator(calculator, &snapshot(context)?, view, &given)? {
        Outcome::Shown(page) => Ok(shown(page)),
        Outcome::Elsewhere(address) => {
            let address = HeaderValue::try_from(address).map_err(|_| BadRequest::NotAnAddress)?;
            Ok(Reply::elsewhere(address))
        }
        Outcome::Wrong(page) => Err(Refusal::Shown(Box::new(BadRequest::Form.into()), page)),
    }
}
