//! Answers that are kept against answers that are not, over the whole data and every query.
use std::{
    collections::BTreeSet,
    net::Ipv4Addr,
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use fincore::{
    Catalogue, Date, Import, Limit, Plan, bundle, chrono::DateTime, companies, market,
    webhooks::Targets,
};
use http_body_util::BodyExt;
use hyper::body::Bytes;

use super::*;
use crate::{
    coordination::clock::Now,
    errors::BadRequest,
    http::{
        access::Access,
        message::{
            link_parameter::LinkCredential,
            request::{Session, Upload},
        },
        pipeline::{answer_cache, route_table::Routes},
    },
    site::upgrade_contact::UpgradeContact,
};

/// An app whose table has these rows, on an empty catalogue.
pub(crate) fn app(dir: &tempfile::TempDir, rows: Vec<Route>) -> App {
    let catalogue = Catalogue::open(dir.path().join("catalogue.db")).unwrap();
    over(&catalogue, Routes::of(rows), answer_cache::CAPACITY)
}

/// An app over this catalogue that keeps answers of so many bytes.
fn over(catalogue: &Catalogue, routes: Routes, kept: u64) -> App {
    let dir = tempfile::tempdir().unwrap();
    let accounts = fincore::Accounts::open(dir.path().join("accounts.db")).unwrap();
    let access = Access::new(accounts, 20, Vec::new(), Instant::now());
    App::with_routes(catalogue.clone(), access, Targets::Public, routes, kept)
}

/// The response to a request of a caller.
fn answer(app: &Arc<App>, request: Request, caller: Result<Caller, Refusal>) -> Response<Payload> {
    let target = Target::parse(&app.routes, &request.head);
    match app.begin(&request, target, caller, None) {
        Begun::Answered(response) => response,
        Begun::Pending(pending) => match app.complete(request, *pending) {
            Answered::Now(response) => response,
            Answered::Later(later) => later.blocking_recv().unwrap(),
        },
    }
}

/// A caller at some time.
struct Asker {
    now: Now,
    asked: u32,
}

impl Asker {
    fn new() -> Asker {
        let utc = DateTime::from_timestamp(1_794_700_000, 0).unwrap();
        Asker { now: Now { instant: Instant::now(), utc }, asked: 0 }
    }

    /// The response to a first request on this plan.
    fn ask(
        &mut self,
        app: &Arc<App>,
        plan: Plan,
        target: &str,
        headers: &[(&str, &str)],
    ) -> Response<Bytes> {
        self.asked += 1;
        let mut head = hyper::Request::get(target).header("host", "localhost");
        for (name, value) in headers {
            head = head.header(*name, *value);
        }
        let address = Ipv4Addr::from_bits(self.asked).into();
        let request = Request {
            head: head.body(()).unwrap().into_parts().0,
            upload: Upload::Whole(Bytes::new()),
            peer: address,
            is_encrypted: false,
            now: self.now,
            session: Session::None,
            link: LinkCredential::None,
            reaction: None,
            turn: Arc::default(),
        };
        let caller = Caller { plan, ..Caller::at(address) };
        let response = answer(app, request, Ok(caller));
        let (mut head, body) = response.into_parts();
        head.headers.remove("x-request-id");
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        Response::from_parts(head, runtime.block_on(body.collect()).unwrap().to_bytes())
    }
}

/// A response in comparable parts.
fn parts(response: &Response<Bytes>) -> (u16, BTreeSet<String>, &Bytes) {
    let headers = response.headers().iter().map(|(name, value)| format!("{name}: {value:?}"));
    (response.status().as_u16(), headers.collect(), response.body())
}

/// Questions to every query of the table, over the whole data.
fn questions(catalogue: &Catalogue, today: Date) -> Vec<String> {
    let snapshot = catalogue.snapshot(today).unwrap();
    let mut all: Vec<String> = [
        "market/overview",
        "market/selic/current",
        "market/cdi/current",
        "market/ipca/current",
        "market/fx/current",
        "market/fx/pairs",
        "market/fx",
        "market/series",
        "market/selic",
        "market/cdi?limit=1000&offset=37",
        "market/ipca?from=2026-01-01&to=2026-06-30",
        "market/fx?pair=EUR%2FBRL&limit=3",
        "market/selic?limit=10000",
        "market/cdi?offset=100000",
        "market/ipca?from=1990-01-01",
        "market/fx?pair=XXX/BRL",
        "market/selic?limit=0",
        "calendar/2026-11-15",
        "calendar/business-days?from=2026-01-01&to=2026-02-01",
        "companies",
        "companies?limit=1000",
        "companies?status=ATIVO&sector=Bancos",
        "companies/search?q=petrobras",
        "companies/search?q=zzzz",
        "companies/search?q=",
        "filings",
        "filings?limit=1000",
        "filings?category=fato+relevante&offset=20",
        "filings?company=9512",
        "filings/search?q=dividendos",
        "filings/search?q=fato+relevnte",
        "filings/search?q=banco+ata&order=relevance",
        "filings/search?q=%22ata%20da%22",
        "filings/categories",
        "filings/recent",
        "filings/0",
        "search/suggest?q=pet",
        "search?q=vale",
        "plans",
        "companies/9512/filings",
        "companies/0",
        "companies/petro",
    ]
    .map(|question| format!("/api/v1/{question}"))
    .into();
    for company in companies::all(&snapshot).unwrap() {
        all.push(format!("/api/v1/companies/{}", company.id));
    }
    let series = market::SeriesList { limit: Limit::new(1000).unwrap(), ..Default::default() };
    for series in &market::series_list(&snapshot, series).unwrap().data {
        for rest in ["", "/current", "?limit=10000", "?limit=7&offset=5&from=2026-01-01"] {
            all.push(format!("/api/v1/market/series/{}{rest}", series.number));
        }
    }
    let filings = fincore::filings::List { limit: Limit::new(1000).unwrap(), ..Default::default() };
    for filing in &fincore::filings::list(&snapshot, filings).unwrap().data {
        all.push(format!("/api/v1/filings/{}", filing.id));
    }
    all
}

#[test]
fn an_answer_that_is_kept_is_the_one_that_is_made() {
    let dir = tempfile::tempdir().unwrap();
    let catalogue = bundle::filled_copy(dir.path()).unwrap();
    let keeps =
        Arc::new(over(&catalogue, Routes::new(UpgradeContact::default()), answer_cache::CAPACITY));
    let makes = Arc::new(over(&catalogue, Routes::new(UpgradeContact::default()), 0));
    let mut asker = Asker::new();
    let questions = questions(&catalogue, asker.now.today());
    let ways: [&[(&str, &str)]; 4] = [
        &[],
        &[("accept-encoding", "gzip")],
        &[("accept-encoding", "zstd")],
        &[("accept", "text/csv"), ("accept-encoding", "gzip")],
    ];
    for (at, question) in questions.iter().enumerate() {
        // Single things are many; one way and plan for each of them is enough.
        let each = at < 60;
        for plan in Plan::ALL.into_iter().filter(|plan| each || *plan == Plan::Platinum) {
            for way in ways.iter().take(if each { ways.len() } else { 1 }) {
                let made = asker.ask(&makes, plan, question, way);
                for time in ["first", "second", "third"] {
                    let kept = asker.ask(&keeps, plan, question, way);
                    assert_eq!(parts(&kept), parts(&made), "{question}, {plan}, {way:?}, {time}");
                }
            }
        }
    }
    assert!(questions.len() > 3000 && asker.asked > 10_000);
}

#[test]
fn a_question_that_is_asked_again_is_not_queried_again() {
    static QUERIES: AtomicU64 = AtomicU64::new(0);
    let dir = tempfile::tempdir().unwrap();
    let catalogue = Catalogue::open(dir.path().join("catalogue.db")).unwrap();
    let mut routes = Routes::new(UpgradeContact::default());
    routes.each(|route| {
        route.handler = Handler::Query(Box::new(|_, _| {
            QUERIES.fetch_add(1, Ordering::Relaxed);
            Ok(crate::http::message::render::Answer::object("an answer"))
        }));
    });
    let app = Arc::new(over(&catalogue, routes, answer_cache::CAPACITY));
    let mut asker = Asker::new();
    for (times, plan) in [(5, Plan::Free), (5, Plan::Gold)] {
        for _ in 0..times {
            let answer = asker.ask(&app, plan, "/api/v1/market/selic", &[]);
            assert_eq!(&answer.body()[..], b"\"an answer\"");
        }
    }
    // Twice for each plan: the second time it is kept.
    assert_eq!(QUERIES.load(Ordering::Relaxed), 4);
}

#[test]
fn what_is_known_already_costs_no_query() {
    let dir = tempfile::tempdir().unwrap();
    let catalogue = bundle::filled_copy(dir.path()).unwrap();
    let mut asker = Asker::new();
    let target = "/api/v1/market/selic?limit=3";
    let answers = Arc::new(over(&catalogue, Routes::new(UpgradeContact::default()), 0));
    let answer = asker.ask(&answers, Plan::Free, target, &[]);
    let tag = answer.headers()["etag"].to_str().unwrap();

    let mut routes = Routes::new(UpgradeContact::default());
    routes.each(|route| route.handler = Handler::Query(Box::new(|_, _| panic!("a query"))));
    let fails = Arc::new(over(&catalogue, routes, answer_cache::CAPACITY));
    let status = |asker: &mut Asker, plan, tag: &str| {
        asker.ask(&fails, plan, target, &[("if-none-match", tag)]).status().as_u16()
    };
    assert_eq!(status(&mut asker, Plan::Free, tag), 304);
    assert_eq!(status(&mut asker, Plan::Free, &format!("\"a\", {tag}")), 304);
    // The tag of another plan, or none at all.
    assert_eq!(status(&mut asker, Plan::Gold, tag), 500);
    assert_eq!(status(&mut asker, Plan::Free, "*"), 500);
}

#[test]
fn a_request_that_is_given_up_is_not_in_flight_any_more() {
    let dir = tempfile::tempdir().unwrap();
    let catalogue = bundle::filled_copy(dir.path()).unwrap();
    let routes = Routes::new(UpgradeContact::default());
    let app = Arc::new(over(&catalogue, routes, answer_cache::CAPACITY));
    let request = || Request {
        head: hyper::Request::get("/api/v1/filings/search?q=ata")
            .header("host", "localhost")
            .body(())
            .unwrap()
            .into_parts()
            .0,
        upload: Upload::Whole(Bytes::new()),
        peer: Ipv4Addr::LOCALHOST.into(),
        is_encrypted: false,
        now: Asker::new().now,
        session: Session::None,
        link: LinkCredential::None,
        reaction: None,
        turn: Arc::default(),
    };
    let caller = Caller { plan: Plan::Gold, ..Caller::at(Ipv4Addr::LOCALHOST.into()) };
    let begin = |request: &Request| {
        let target = Target::parse(&app.routes, &request.head);
        match app.begin(request, target, Ok(caller), None) {
            Begun::Pending(pending) => *pending,
            Begun::Answered(_) => panic!("it takes longer"),
        }
    };
    // Its connection is closed, or a bug ends it, before the other threads have it.
    let pending = begin(&request());
    assert_eq!(app.metrics.in_flight(), 1);
    drop(pending);
    assert_eq!(app.metrics.in_flight(), 0);
    // The server ends while it waits, and nothing waits for its answer.
    let request = request();
    let pending = begin(&request);
    app.refuse_waiting();
    drop(app.complete(request, pending));
    assert_eq!(app.metrics.in_flight(), 0);
    // A bug in the last step, after which an answer of its own is made.
    let broken = catch(|| {
        let _outcome =
            RequestOutcome { in_flight: Some(app.metrics.begin()), ..RequestOutcome::default() };
        panic!("forced")
    });
    assert_eq!(app.broken(broken.unwrap_err()).status(), 500);
    assert_eq!(app.metrics.in_flight(), 0);
}

#[test]
fn new_data_and_a_new_day_are_seen_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let catalogue = bundle::filled_copy(dir.path()).unwrap();
    let app =
        Arc::new(over(&catalogue, Routes::new(UpgradeContact::default()), answer_cache::CAPACITY));
    let mut asker = Asker::new();
    let value = |asker: &mut Asker| {
        let answer = asker.ask(&app, Plan::Free, "/api/v1/market/selic/current", &[]);
        let json: serde_json::Value = serde_json::from_slice(answer.body()).unwrap();
        (json["date"].as_str().unwrap().to_owned(), json["value"].to_string())
    };
    let before = value(&mut asker);
    assert!((0..3).all(|_| value(&mut asker) == before));
    let mut import = Import::begin(&catalogue, asker.now.utc).unwrap();
    let file = br#"[{"data":"13/11/2026","valor":"14.25"},{"data":"16/11/2026","valor":"14.75"}]"#;
    import.file("bcdata.sgs.432.json", file).unwrap();
    import.commit().unwrap();
    asker.now.instant += Duration::from_millis(1);
    assert_eq!(value(&mut asker), ("2026-11-13".to_owned(), "14.25".to_owned()));
    asker.now.utc = DateTime::from_timestamp(1_794_700_000 + 3 * 86_400, 0).unwrap();
    assert_eq!(value(&mut asker), ("2026-11-16".to_owned(), "14.75".to_owned()));
}

#[test]
fn what_a_request_costs_is_known_beforehand() {
    let dir = tempfile::tempdir().unwrap();
    let catalogue = Catalogue::open(dir.path().join("catalogue.db")).unwrap();
    let app =
        Arc::new(over(&catalogue, Routes::new(UpgradeContact::default()), answer_cache::CAPACITY));
    let cases = [
        ("GET", "/health", 1, false),
        ("GET", "/nothing", 1, false),
        ("GET", "/usage", 1, false),
        ("GET", "/api/v1/plans", 1, true),
        ("HEAD", "/api/v1/plans", 1, true),
        ("GET", "/api/v1/plans?nothing=1", 1, true),
        ("GET", "/api/v1/plans?x=%zz", 1, false),
        ("GET", "/api/v1/plans", 2, false),
        ("POST", "/api/v1/plans", 1, false),
        ("OPTIONS", "/api/v1/plans", 1, false),
        ("GET", "/api/v1/companies/abc", 1, true),
        ("GET", "/api/v1/companies/%zz", 1, false),
        ("GET", "/api/v1/filings/search?q=ata", 1, true),
        ("POST", "/api/v1/plans/register", 1, true),
    ];
    let callers = [None, Some(Refusal::InvalidKey), Some(Refusal::BadRequest(BadRequest::TwoKeys))];
    let mut number = 0;
    for (method, target, hosts, counts) in cases {
        for refusal in &callers {
            number += 1;
            let mut head = hyper::Request::builder().method(method).uri(target);
            for _ in 0..hosts {
                head = head.header("host", "localhost");
            }
            let by = Caller::at(Ipv4Addr::from_bits(number).into());
            let request = Request {
                head: head.body(()).unwrap().into_parts().0,
                upload: Upload::Whole(Bytes::new()),
                peer: Ipv4Addr::from_bits(number).into(),
                is_encrypted: false,
                now: Asker::new().now,
                session: Session::None,
                link: LinkCredential::None,
                reaction: None,
                turn: Arc::default(),
            };
            let caller = match refusal {
                None => Ok(by),
                Some(Refusal::InvalidKey) => Err(Refusal::InvalidKey),
                Some(_) => Err(Refusal::BadRequest(BadRequest::TwoKeys)),
            };
            let counts = match refusal {
                None => counts,
                Some(refusal) => matches!(refusal, Refusal::InvalidKey),
            };
            let parsed = Target::parse(&app.routes, &request.head);
            let (now, charge) = (request.now, app.charge(&request, &parsed, &caller));
            let wanted = if counts { Charge::Counted(by) } else { Charge::Free(by) };
            assert_eq!(charge, wanted, "{method} {target}");
            answer(&app, request, caller);
            let used = by.plan.limit() - app.access.peek(&by, now).remaining;
            assert_eq!(used, u32::from(counts), "{method} {target}");
        }
    }
}
