//! Whom a session stands for, row by row of a table.
use std::{net::Ipv4Addr, sync::Arc, time::Instant};

use fincore::{
    Accounts, Caller, Catalogue, Feature, Key, Plan,
    chrono::{DateTime, TimeDelta},
    keys::{self, Registration},
    sessions,
    webhooks::Targets,
};
use hyper::{Response, body::Bytes};

use super::*;
use crate::{
    coordination::clock::Now,
    http::{
        access::{Access, Charge},
        endpoints::{context::Context, page_handlers::PageQuery},
        message::{
            link_parameter::LinkCredential,
            parameters::Params,
            payload::Payload,
            refusal::Refusal,
            reply::{Body, Caching, Reply},
            request::Upload,
        },
        pipeline::{
            answer_cache,
            answer_cost::Cost,
            app::App,
            dispatch,
            route_table::{
                Routes,
                route::{account, data_page, page},
            },
        },
    },
};

/// A path and headers; on which plan that is answered, and how often it counts for each of three callers.
type Case<'c> = (&'c str, &'c [(&'c str, &'c str)], &'c str, [u32; 3]);

struct Stage {
    _dir: tempfile::TempDir,
    app: Arc<App>,
    keys: [Key; 2],
    token: SessionToken,
    now: Now,
}

/// Says on which plan it was asked.
fn plan(context: &Context<'_>, _: Params<'_>) -> Result<Reply, Refusal> {
    let body = Body::new("text/plain", context.caller.plan.id());
    Ok(Reply::ok(body, Caching::Refetched("Accept-Encoding")))
}

/// A page that its visitor's plan may not include.
fn filings(context: &Context<'_>, params: Params<'_>) -> Result<Reply, Refusal> {
    context.caller.plan.need(Feature::Filings)?;
    plan(context, params)
}

impl Stage {
    fn new() -> Stage {
        let dir = tempfile::tempdir().unwrap();
        let accounts = Accounts::open(dir.path().join("accounts.db")).unwrap();
        let utc = DateTime::from_timestamp(1_790_000_000, 0).unwrap();
        let who =
            Registration { name: "Ana".parse().unwrap(), email: "a@b.example".parse().unwrap() };
        let keys =
            [Plan::Gold, Plan::Bronze].map(|plan| keys::issue(&accounts, &who, plan, utc).unwrap());
        let token = sessions::begin(&accounts, &keys[0], utc).unwrap();
        let rows = vec![
            page(Method::GET, "/page", Cost::Short, plan),
            data_page::<PageQuery>("/data", Feature::Filings, Cost::Short, plan),
            data_page::<PageQuery>("/filings", Feature::Filings, Cost::Long, filings),
            account::<()>(Method::GET, "/api/v1/plan", Feature::Plans, Cost::Short, plan),
        ];
        let now = Now { instant: Instant::now(), utc };
        let access = Access::new(accounts, 20, Vec::new(), now.instant);
        let catalogue = Catalogue::open(dir.path().join("catalogue.db")).unwrap();
        let routes = Routes::of(rows);
        let app =
            App::with_routes(catalogue, access, Targets::Public, routes, answer_cache::CAPACITY);
        Stage { _dir: dir, app: Arc::new(app), keys, token, now }
    }

    fn request(&self, path: &str, headers: &[(&str, &str)]) -> Request {
        let mut head = hyper::Request::get(path).header("host", "localhost");
        for (name, value) in headers {
            head = head.header(*name, *value);
        }
        Request {
            head: head.body(()).unwrap().into_parts().0,
            upload: Upload::Whole(Bytes::new()),
            peer: Ipv4Addr::LOCALHOST.into(),
            is_encrypted: false,
            now: self.now,
            session: Session::None,
            link: LinkCredential::None,
            reaction: None,
            turn: Arc::default(),
        }
    }

    fn ask(&self, request: Request) -> Response<Payload> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let mut request = request;
        if let Some(response) = dispatch::answer_at_once(&self.app, None, &mut request) {
            return response;
        }
        runtime.block_on(dispatch::answer(&self.app, None, request))
    }

    fn cookie(&self) -> String {
        format!("session={}", self.token.reveal())
    }

    /// How much of the limit of a caller is used.
    fn used(&self, caller: &Caller) -> u32 {
        caller.plan.limit() - self.app.access().peek(caller, self.now).remaining
    }

    fn holders(&self) -> [Caller; 3] {
        let of_key = |key| keys::authenticate(self.app.access().accounts(), key).unwrap();
        [of_key(&self.keys[0]), of_key(&self.keys[1]), Caller::at(Ipv4Addr::LOCALHOST.into())]
    }
}

#[test]
fn a_session_counts_on_pages_and_is_counted_like_its_key() {
    let stage = Stage::new();
    let (cookie, key) = (stage.cookie(), stage.keys[1].reveal());
    let of_session = ("cookie", cookie.as_str());
    let cases: [Case<'_>; 14] = [
        ("/page", &[], "free", [0, 0, 0]),
        ("/page", &[of_session], "gold", [0, 0, 0]),
        ("/data", &[of_session], "gold", [1, 0, 0]),
        ("/filings", &[of_session], "gold", [1, 0, 0]),
        ("/data", &[], "free", [0, 0, 1]),
        ("/data", &[of_session, ("x-api-key", key)], "bronze", [0, 1, 0]),
        ("/data", &[of_session, ("authorization", &format!("Bearer {key}"))], "bronze", [0, 1, 0]),
        // To programs, only a key counts.
        ("/api/v1/plan", &[of_session], "free", [0, 0, 1]),
        ("/api/v1/plan", &[of_session, ("x-api-key", key)], "bronze", [0, 1, 0]),
        // A script of our own pages reads with the session; the key of a header still goes before it.
        ("/api/v1/plan", &[of_session, ("sec-fetch-site", "same-origin")], "gold", [1, 0, 0]),
        (
            "/api/v1/plan",
            &[of_session, ("sec-fetch-site", "same-origin"), ("x-api-key", key)],
            "bronze",
            [0, 1, 0],
        ),
        ("/api/v1/plan", &[of_session, ("sec-fetch-site", "same-site")], "free", [0, 0, 1]),
        ("/api/v1/plan", &[of_session, ("sec-fetch-site", "cross-site")], "free", [0, 0, 1]),
        ("/api/v1/plan", &[of_session, ("sec-fetch-site", "none")], "free", [0, 0, 1]),
    ];
    for (path, headers, plan, counted) in cases {
        let before = stage.holders().map(|caller| stage.used(&caller));
        let response = stage.ask(stage.request(path, headers));
        assert_eq!(response.status(), 200, "{path}");
        assert_eq!(response.headers()["x-plan"], plan, "{path} {}", headers.len());
        let after = stage.holders().map(|caller| stage.used(&caller));
        let found: Vec<u32> =
            after.iter().zip(before).map(|(after, before)| after - before).collect();
        assert_eq!(found, counted, "{path} {}", headers.len());
    }
    // Those of keys are counted as usage.
    assert_eq!(stage.app.access().unwritten(), 7);
}

#[test]
fn limits_that_are_shared_charge_the_same_caller() {
    let stage = Stage::new();
    let [gold, _, address] = stage.holders();
    let cookie = stage.cookie();
    for (path, charge) in [
        ("/page", Charge::Free(gold)),
        ("/data", Charge::Counted(gold)),
        ("/api/v1/plan", Charge::Counted(address)),
    ] {
        let mut request = stage.request(path, &[("cookie", &cookie)]);
        let head = request.head.clone();
        let target = Target::parse(&stage.app.routes, &head);
        let token = token(&request, &target, &stage.app.routes);
        assert_eq!(token.is_some(), path != "/api/v1/plan", "{path}");
        let holder = token.and_then(|token| stage.app.access().holder(&token, stage.now));
        request.session = holder.map_or(Session::None, Session::SignedIn);
        let caller = stage.app.access().identify(&request);
        assert_eq!(stage.app.charge(&request, &target, &caller), charge, "{path}");
    }
}

#[test]
fn a_page_that_knows_its_visitor_is_in_no_cache_of_others() {
    let stage = Stage::new();
    let cookie = stage.cookie();
    let header = |response: &Response<Payload>, name: &str| {
        response.headers().get(name).map(|value| value.to_str().unwrap().to_owned())
    };
    let nobody = stage.ask(stage.request("/page", &[]));
    assert_eq!(header(&nobody, "vary").as_deref(), Some("Accept-Encoding, Cookie"));
    assert_eq!(header(&nobody, "cache-control").as_deref(), Some("no-cache"));
    let somebody = stage.ask(stage.request("/page", &[("cookie", &cookie)]));
    assert_eq!(header(&somebody, "vary").as_deref(), Some("Accept-Encoding, Cookie"));
    assert_eq!(header(&somebody, "cache-control").as_deref(), Some("private, no-cache"));
    assert_eq!(header(&somebody, "set-cookie"), None);
    // A page of data also depends on a key.
    let data = stage.ask(stage.request("/data", &[]));
    let varies = "Accept-Encoding, X-API-Key, Authorization, Cookie";
    assert_eq!(header(&data, "vary").as_deref(), Some(varies));
    let api = stage.ask(stage.request("/api/v1/plan", &[("cookie", &cookie)]));
    assert_eq!(header(&api, "vary").as_deref(), Some("Accept-Encoding"));
}

#[test]
fn a_session_that_is_over_is_nobody_and_forgotten() {
    let stage = Stage::new();
    let cookie = stage.cookie();
    let mut request = stage.request("/data", &[("cookie", &cookie)]);
    request.now.utc += TimeDelta::days(30);
    let response = stage.ask(request);
    assert_eq!(
        (response.status().as_u16(), &response.headers()["x-plan"]),
        (200, &"free".parse().unwrap())
    );
    let forgotten = "session=; HttpOnly; SameSite=Lax; Path=/; Max-Age=0";
    assert_eq!(response.headers()["set-cookie"], forgotten);
    assert_eq!(response.headers()["cache-control"], "no-store");
    // To programs it is as if nothing were sent.
    let mut request = stage.request("/api/v1/plan", &[("cookie", &cookie)]);
    request.now.utc += TimeDelta::days(30);
    assert!(!stage.ask(request).headers().contains_key("set-cookie"));
    keys::revoke(stage.app.access().accounts(), &stage.keys[0].prefix(), stage.now.utc).unwrap();
    let revoked = stage.ask(stage.request("/data", &[("cookie", &cookie)]));
    assert_eq!(revoked.headers()["x-plan"], "free");
    assert_eq!(revoked.headers()["set-cookie"], forgotten);
}

#[test]
fn a_page_says_what_its_visitor_lacks_in_the_way_it_is_asked() {
    let stage = Stage::new();
    let key = stage.keys[1].reveal();
    for (accept, media) in [("text/html", "text/html; charset=utf-8"), ("*/*", "application/json")]
    {
        let headers = [("x-api-key", key), ("accept", accept)];
        let refused = stage.ask(stage.request("/filings", &headers));
        assert_eq!(
            (refused.status().as_u16(), &refused.headers()["content-type"]),
            (403, &media.parse().unwrap())
        );
        assert_eq!(refused.headers()["cache-control"], "no-store");
    }
}
