//! The rows of the table: what an endpoint is, and one function for each kind.
use fincore::{Date, Feature, Limit, Offset, Snapshot, market::KnownAt};
use hyper::Method;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{
    errors::{BadRequest, Problem},
    http::{
        endpoints::{
            context::Context,
            export::ExportQuery,
            page_handlers::{AssetQuery, PageQuery},
        },
        message::{
            formats::{self, Formats},
            parameters::{self, Params},
            refusal::Refusal,
            render::{Answer, Heading, Part, Rows},
            reply::Reply,
            response_headers::Sharing,
        },
        pipeline::answer_cost::Cost,
    },
};

/// One endpoint.
pub(crate) struct Route {
    pub(crate) method: Method,
    pub(crate) path: &'static str,
    /// The feature that a plan must include; `None` if the route is open to all and its requests are not counted. On a
    /// page that is drawn it only says that requests are counted: the page itself shows less, and where to get more, to
    /// those whose plan does not include it.
    pub(crate) feature: Option<Feature>,
    pub(crate) cost: Cost,
    pub(crate) params: Vec<&'static str>,
    /// Its media types; `params` has those that choose.
    pub(crate) formats: Formats,
    /// The columns of a list.
    pub(crate) columns: Vec<Heading>,
    /// The parameters that choose another list, and the columns that are known of it.
    pub(crate) other_columns: (&'static [&'static str], Vec<Heading>),
    pub(crate) handler: Handler,
    /// Who may read it in a browser.
    pub(crate) sharing: Sharing,
    /// Whether it is for programs, and so described by `openapi.yaml`.
    pub(crate) is_api: bool,
    /// Whether it is for people, who may be signed in.
    pub(crate) is_page: bool,
    /// Cacheable for anonymous visitors until the data version changes.
    pub(crate) is_kept: bool,
}

impl Route {
    /// The feature that the caller's plan must include.
    pub(crate) fn needs(&self) -> Option<Feature> {
        self.feature.filter(|_| !self.is_drawn())
    }

    /// Whether it reads something that depends on the plan, for programs: for a script of our own pages a session counts.
    pub(crate) fn is_read_from_api(&self) -> bool {
        self.is_api && self.method == Method::GET && self.feature.is_some()
    }

    /// Whether a link may read it: data for programs, and nothing about keys, events or the service.
    pub(crate) fn takes_links(&self) -> bool {
        use Feature::{
            BulkExport, Calculators, Companies, Csv, Filings, HistoricalData, Market, Plans,
            PrioritySupport, Webhooks,
        };
        let is_data = match self.feature {
            Some(
                BulkExport | Calculators | Companies | Csv | Filings | HistoricalData | Market,
            ) => true,
            Some(Plans | PrioritySupport | Webhooks) | None => false,
        };
        is_data && self.is_api && self.method == Method::GET
    }

    /// The parameters that it takes in the query string.
    pub(crate) fn query_parameters(&self) -> Vec<&'static str> {
        let in_path = |name: &str| self.path.contains(&format!("{{{name}}}"));
        self.params.iter().copied().filter(|name| !in_path(name)).collect()
    }

    /// Whether it is a page that is drawn, and not a download that pages link to.
    pub(crate) fn is_drawn(&self) -> bool {
        self.is_page && matches!(self.handler, Handler::Direct(_))
    }
}

/// The function that answers a request.
pub(crate) enum Handler {
    /// A query of the data.
    Query(Box<Query>),
    /// Anything else.
    Direct(Direct),
}

pub(crate) type Query = dyn Fn(&Snapshot, Params<'_>) -> Result<Answer, Refusal> + Send + Sync;
pub(crate) type Direct = fn(&Context<'_>, Params<'_>) -> Result<Reply, Refusal>;

/// A part of a list, chosen by a `Q`, as JSON or CSV.
pub(crate) fn list<Q, A>(
    path: &'static str,
    feature: Feature,
    cost: Cost,
    f: fn(&Snapshot, Q) -> fincore::Result<A>,
) -> Route
where
    Q: DeserializeOwned + 'static,
    A: Rows + 'static,
{
    let query = move |all: &Snapshot, params: Params<'_>| Ok(Answer::list(f(all, params.read()?)?));
    let names = parameters::names::<Q>();
    let params = [names, &formats::OF_LISTS, of_rows(names)].concat();
    let (formats, columns) = (Formats::List, A::headings());
    Route { params, formats, columns, ..data(path, feature, cost, Box::new(query)) }
}

/// The parameters that choose a value of a row, where a list with these ones can be cut to one row.
fn of_rows(names: &[&str]) -> &'static [&'static str] {
    if names.contains(&"limit") { &formats::OF_ROWS } else { &[] }
}

/// A list that is a table of figures, also as Parquet.
pub(crate) fn table_of(list: Route) -> Route {
    Route { formats: Formats::Table, ..list }
}

/// A history, chosen by a `Q`: as it is, or transformed where a parameter of a `T` says how.
pub(crate) fn history<Q, A, T, B>(
    path: &'static str,
    feature: Feature,
    cost: Cost,
    plain: fn(&Snapshot, Q) -> fincore::Result<A>,
    transformed: fn(&Snapshot, Q, T) -> fincore::Result<B>,
) -> Route
where
    Q: DeserializeOwned + 'static,
    A: Rows + 'static,
    T: DeserializeOwned + 'static,
    B: Rows + 'static,
{
    let how = parameters::names::<T>();
    let query = move |all: &Snapshot, mut params: Params<'_>| {
        let how = params.take_some(how);
        Ok(if how.is_empty() {
            Answer::list(plain(all, params.read()?)?)
        } else {
            let query = params.read()?;
            Answer::list(transformed(all, query, how.read()?)?)
        })
    };
    let route = list(path, feature, cost, plain);
    let names = parameters::names::<Q>();
    let params = [names, how, &formats::OF_LISTS, of_rows(names)].concat();
    let (handler, other_columns) = (Handler::Query(Box::new(query)), (how, B::headings()));
    known_at::<KnownAt>(Route { params, handler, other_columns, ..route })
}

/// Reads the data as known at the end of a day, or first values, where a parameter of a `K` says so.
fn known_at<K: DeserializeOwned + Into<KnownAt> + 'static>(route: Route) -> Route {
    let Route { handler: Handler::Query(query), mut params, .. } = route else { return route };
    let names = parameters::names::<K>();
    let known = move |all: &Snapshot, mut asked: Params<'_>| {
        let known_at = asked.take_some(names);
        if known_at.is_empty() {
            return query(all, asked);
        }
        let known_at: KnownAt = known_at.read::<K>()?.into();
        match known_at.snapshot(all)? {
            Some(past) => query(&past, asked),
            None => query(all, asked),
        }
    };
    // Those that choose a format come last.
    let last = params.iter().position(|name| formats::is_of_format(name));
    let last = last.unwrap_or(params.len());
    params.splice(last..last, names.iter().copied());
    Route { params, handler: Handler::Query(Box::new(known)), ..route }
}

/// Reads the data as known at the end of a day, where `as_of` names one.
pub(crate) fn as_of(route: Route) -> Route {
    known_at::<AsOf>(route)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AsOf {
    as_of: Option<Date>,
}

impl From<AsOf> for KnownAt {
    fn from(AsOf { as_of }: AsOf) -> KnownAt {
        KnownAt { as_of, ..KnownAt::default() }
    }
}

/// A list, chosen by a `Q`; or where `ids` names some of its things, those side by side, chosen by a `C`, as they are or
/// transformed where a parameter of a `T` says how.
pub(crate) fn compared<Q, A, C, T, B>(
    path: &'static str,
    feature: Feature,
    cost: Cost,
    list_all: fn(&Snapshot, Q) -> fincore::Result<A>,
    compare: fn(&Snapshot, C, Option<T>) -> fincore::Result<B>,
) -> Route
where
    Q: DeserializeOwned + 'static,
    A: Rows + 'static,
    C: DeserializeOwned + 'static,
    T: DeserializeOwned + 'static,
    B: Rows + 'static,
{
    let (of_list, how) = (parameters::names::<Q>(), parameters::names::<T>());
    let known = parameters::names::<KnownAt>();
    let named = [parameters::names::<C>(), how, known].concat();
    let beyond = |some: &[&'static str], others: &[&'static str]| -> Vec<&'static str> {
        some.iter().copied().filter(|name| !others.contains(name)).collect()
    };
    let (only_list, only_named) = (beyond(of_list, &named), beyond(&named, of_list));
    let params = [of_list, &only_named, &formats::OF_LISTS, of_rows(of_list)].concat();
    let query = move |all: &Snapshot, mut params: Params<'_>| {
        let refuse = |params: &Params<'_>, names: &[&'static str], problem| {
            let given = names.iter().find(|name| params.get(name).is_some());
            given.map_or(Ok(()), |name| Err(BadRequest::parameter(*name, problem)))
        };
        if params.get("ids").is_none() {
            refuse(&params, &only_named, Problem::WithoutIds)?;
            return Ok(Answer::list(list_all(all, params.read()?)?));
        }
        refuse(&params, &only_list, Problem::WithIds)?;
        let how = params.take_some(how);
        let how = if how.is_empty() { None } else { Some(how.read()?) };
        let past = params.take_some(known).read::<KnownAt>()?.snapshot(all)?;
        Ok(Answer::list(compare(past.as_ref().unwrap_or(all), params.read()?, how)?))
    };
    let handler = Handler::Query(Box::new(query));
    let other_columns: (&[_], _) = (&["ids"], B::headings());
    let route = list(path, feature, cost, list_all);
    let formats = Formats::Comparison;
    Route { params, formats, handler, other_columns, ..route }
}

/// One thing, chosen by a `Q`.
pub(crate) fn get<Q, A>(
    path: &'static str,
    feature: Feature,
    cost: Cost,
    f: impl Fn(&Snapshot, Q) -> fincore::Result<A> + Send + Sync + 'static,
) -> Route
where
    Q: DeserializeOwned + 'static,
    A: Serialize + 'static,
{
    let query =
        move |all: &Snapshot, params: Params<'_>| Ok(Answer::object(f(all, params.read()?)?));
    let params = [parameters::names::<Q>(), &formats::OF_ANSWERS].concat();
    Route { params, formats: Formats::Answer, ..data(path, feature, cost, Box::new(query)) }
}

/// One thing, chosen by a `Q`, with a list inside of which a `page` is shown.
pub(crate) fn paged<Q, A>(
    path: &'static str,
    feature: Feature,
    cost: Cost,
    f: impl Fn(&Snapshot, Q) -> fincore::Result<A> + Send + Sync + 'static,
    page: fn(&Q) -> (Limit<1000>, Offset),
) -> Route
where
    Q: DeserializeOwned + 'static,
    A: Part + Serialize + 'static,
{
    let query = move |all: &Snapshot, params: Params<'_>| {
        let query = params.read()?;
        let (limit, offset) = page(&query);
        Ok(Answer::with_part(f(all, query)?, limit.get(), offset.get()))
    };
    let params = [parameters::names::<Q>(), &formats::OF_ANSWERS].concat();
    Route { params, formats: Formats::Answer, ..data(path, feature, cost, Box::new(query)) }
}

/// One thing, whose id is in the path.
pub(crate) fn one<I, A>(
    path: &'static str,
    feature: Feature,
    cost: Cost,
    f: fn(&Snapshot, I) -> fincore::Result<A>,
) -> Route
where
    I: DeserializeOwned + 'static,
    A: Serialize + 'static,
{
    let query = move |all: &Snapshot, params: Params<'_>| {
        Ok(Answer::object(f(all, params.read_captured()?)?))
    };
    let params = [&["id"][..], &formats::OF_ANSWERS].concat();
    Route { params, formats: Formats::Answer, ..data(path, feature, cost, Box::new(query)) }
}

/// A route without parameters that reads the current data.
pub(crate) fn current<A>(
    path: &'static str,
    feature: Feature,
    cost: Cost,
    f: fn(&Snapshot) -> fincore::Result<A>,
) -> Route
where
    A: Serialize + 'static,
{
    let query = move |all: &Snapshot, _: Params<'_>| Ok(Answer::object(f(all)?));
    let (params, formats) = (formats::OF_ANSWERS.into(), Formats::Answer);
    Route { params, formats, ..data(path, feature, cost, Box::new(query)) }
}

fn data(path: &'static str, feature: Feature, cost: Cost, query: Box<Query>) -> Route {
    let route = at(Method::GET, path, cost, Handler::Query(query));
    Route { feature: Some(feature), is_api: true, ..route }
}

/// Something about the caller's own key, chosen by a `Q`.
pub(crate) fn account<Q: DeserializeOwned>(
    method: Method,
    path: &'static str,
    feature: Feature,
    cost: Cost,
    f: Direct,
) -> Route {
    let route = at(method, path, cost, Handler::Direct(f));
    Route { feature: Some(feature), params: parameters::names::<Q>().into(), is_api: true, ..route }
}

/// A whole dataset, in the format that is asked for.
pub(crate) fn dataset(path: &'static str, feature: Feature, cost: Cost, f: Direct) -> Route {
    let route = account::<ExportQuery>(Method::GET, path, feature, cost, f);
    Route { formats: Formats::Dataset, ..route }
}

/// Something about the service itself.
pub(crate) fn open(path: &'static str, cost: Cost, f: Direct) -> Route {
    Route { is_api: true, ..at(Method::GET, path, cost, Handler::Direct(f)) }
}

/// A page for people, in the language they choose.
pub(crate) fn page(method: Method, path: &'static str, cost: Cost, f: Direct) -> Route {
    page_of::<PageQuery>(method, path, cost, f)
}

/// A page for people, which is chosen by a `Q`.
pub(crate) fn page_of<Q: DeserializeOwned>(
    method: Method,
    path: &'static str,
    cost: Cost,
    f: Direct,
) -> Route {
    let (params, sharing) = (parameters::names::<Q>().into(), Sharing::Own);
    Route { params, sharing, is_page: true, ..at(method, path, cost, Handler::Direct(f)) }
}

/// A page of data, which is chosen by a `Q` and counted like the API's.
pub(crate) fn data_page<Q: DeserializeOwned>(
    path: &'static str,
    feature: Feature,
    cost: Cost,
    f: Direct,
) -> Route {
    Route { feature: Some(feature), ..page_of::<Q>(Method::GET, path, cost, f) }
}

/// Several things in one answer, of which none is the one that was asked for: in JSON only.
pub(crate) fn several(answer: Route) -> Route {
    let Route { mut params, .. } = answer;
    params.retain(|name| !formats::is_of_format(name));
    Route { params, formats: Formats::One, ..answer }
}

/// A list that a page links to: for people as on the page, and otherwise as for programs.
pub(crate) fn download(mut list: Route) -> Route {
    list.params.retain(|name| !formats::OF_ROWS.contains(name));
    Route { sharing: Sharing::Own, is_page: true, is_api: false, ..list }
}

/// The description of the API, which is for programs too.
pub(crate) fn document(path: &'static str, f: Direct) -> Route {
    let route = page(Method::GET, path, Cost::Long, f);
    Route { sharing: Sharing::Any, is_page: false, is_kept: true, ..route }
}

/// A file for programs that look for pages.
pub(crate) fn crawled(path: &'static str, cost: Cost, f: Direct) -> Route {
    at(Method::GET, path, cost, Handler::Direct(f))
}

/// A file that pages refer to.
pub(crate) fn asset(path: &'static str, f: Direct) -> Route {
    let route = at(Method::GET, path, Cost::Short, Handler::Direct(f));
    Route { params: parameters::names::<AssetQuery>().into(), sharing: Sharing::Own, ..route }
}

/// An endpoint that is open to all, and takes no parameters.
pub(crate) fn at(method: Method, path: &'static str, cost: Cost, handler: Handler) -> Route {
    Route {
        method,
        path,
        feature: None,
        cost,
        params: Vec::new(),
        formats: Formats::One,
        columns: Vec::new(),
        other_columns: (&[], Vec::new()),
        handler,
        sharing: Sharing::Any,
        is_api: false,
        is_page: false,
        is_kept: false,
    }
}

/// Caches the answer, which depends only on the data, the address, the language and the signed-in holder.
pub(crate) fn kept(route: Route) -> Route {
    Route { is_kept: true, ..route }
}
