//! Webhooks from the outside: what is published is called out, signed, repeated and listed.
use std::{fs, path::Path, thread, time::Duration};

use chrono::{DateTime, Utc};
use fincore::{
    Key, Plan, keys,
    webhooks::{SignatureHeaders, verify},
};
use serde_json::{Value, json};

use crate::{
    access, accounts,
    harness::{Reply, Server, import, new_key, with},
    receiver::{Answer, Received, Receiver},
};

const HOOKS: &str = "/api/v1/webhooks";

/// A server that calls any address, and a key that may have webhooks.
pub(crate) struct Place {
    pub(crate) server: Server,
    pub(crate) key: Key,
}

impl Place {
    pub(crate) fn new() -> Place {
        Place::of(Server::start_with(Place::FLAGS))
    }

    /// With the real program, which can be killed.
    pub(crate) fn process() -> Place {
        Place::of(Server::process(Place::FLAGS))
    }

    const FLAGS: &[&str] = &["--webhook-allow-private", "--shared", "--event-window", "0"];

    fn of(server: Server) -> Place {
        let key = new_key(&server.accounts(), Plan::Platinum);
        Place { server, key }
    }

    pub(crate) fn get(&self, target: &str) -> Reply {
        self.server.keyless("GET", target, &with(&self.key))
    }

    fn post(&self, target: &str, body: &str) -> Reply {
        self.server.post(target, &with(&self.key), body)
    }

    /// Subscribes, and gives back the id and the secret.
    pub(crate) fn subscribe(&self, wanted: &Value) -> (String, String) {
        let reply = self.post(HOOKS, &wanted.to_string());
        assert_eq!(reply.status, 201, "{}", reply.text());
        let created = reply.json();
        (text(&created["id"]), text(&created["secret"]))
    }

    /// Subscribes one URL to all rates.
    fn subscribe_to_rates(&self, url: &str) -> (String, String) {
        self.subscribe(&json!({"url": url, "events": ["rate.published"]}))
    }

    /// The newest delivery of a webhook, once it is as wanted.
    pub(crate) fn delivery(&self, id: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        for _ in 0..3000 {
            let deliveries = self.get(&format!("{HOOKS}/{id}/deliveries")).json();
            if let Some(newest) = deliveries["data"].get(0).filter(|newest| wanted(newest)) {
                return newest.clone();
            }
            thread::sleep(Duration::from_millis(20));
        }
        panic!("not as wanted: {}", self.get(&format!("{HOOKS}/{id}/deliveries")).text());
    }

    /// Publishes the IPCA of a month.
    pub(crate) fn publish(&self, month: &str, value: &str) {
        let rows = format!(r#"[{{"data":"01/{month}","valor":"{value}"}}]"#);
        import_as(self.server.data.path(), "bcdata.sgs.433.json", &rows);
    }
}

fn import_as(data: &Path, name: &str, content: &str) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(name);
    fs::write(&file, content).unwrap();
    let output = import(data, &[&file]);
    assert!(output.status.success(), "{output:?}");
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is not text")).to_owned()
}

/// A call must be signed with the secret when it says it was.
fn expect_signed(call: &Received, secret: &str) {
    let timestamp = call.header("webhook-timestamp");
    let sent: DateTime<Utc> = DateTime::from_timestamp(timestamp.parse().unwrap(), 0).unwrap();
    let signature = call.header("webhook-signature");
    let headers = SignatureHeaders { id: call.id(), timestamp, signature };
    verify(&secret.parse().unwrap(), &headers, &call.body, sent).unwrap();
}

#[test]
fn a_call_says_what_was_published_and_is_signed() {
    let (place, receiver) = (Place::new(), Receiver::start(&[]));
    let wanted = json!({"url": receiver.url("/hook?a=1"), "events": ["rate.published"]});
    let reply = place.post(HOOKS, &wanted.to_string());
    assert_eq!(reply.status, 201, "{}", reply.text());
    assert_eq!(reply.header("cache-control"), Some("no-store"));
    let created = reply.json();
    let id = text(&created["id"]);
    assert_eq!(reply.header("location"), Some(format!("{HOOKS}/{id}").as_str()));
    assert_eq!((&created["url"], &created["status"]), (&wanted["url"], &json!("active")));
    place.publish("09/2026", "0.48");

    let calls = receiver.wait_for(1);
    let call = &calls[0];
    assert_eq!(call.path, "/hook?a=1");
    assert_eq!(call.header("content-type"), "application/json");
    assert_eq!(call.header("user-agent"), concat!("finserve/", env!("CARGO_PKG_VERSION")));
    expect_signed(call, created["secret"].as_str().unwrap());
    let body: Value = serde_json::from_slice(&call.body).unwrap();
    assert_eq!(
        (&body["type"], &body["data"]["date"]),
        (&json!("rate.published"), &json!("2026-09-01"))
    );
    assert_eq!(body["data"]["value"].to_string(), "0.48");

    let delivery = place.delivery(&id, |delivery| delivery["status"] == "delivered");
    assert_eq!((&delivery["event"], &delivery["attempts"]), (&json!(call.id()), &json!(1)));
    assert_eq!((&delivery["response_status"], &delivery["error"]), (&json!(200), &Value::Null));
    let listed = place.get(HOOKS);
    assert_eq!(
        (listed.json()["total"].clone(), listed.text().contains("whsec_")),
        (json!(1), false)
    );
    assert_eq!(place.get(&format!("{HOOKS}/{id}")).json()["id"], created["id"]);
    assert_eq!(receiver.received().len(), 1);
}

#[test]
#[ignore = "long"]
fn a_failed_call_is_repeated_under_one_id() {
    let place = Place::new();
    let receiver = Receiver::start(&[Answer::Status(500)]);
    let (id, secret) = place.subscribe_to_rates(&receiver.url("/"));
    place.publish("09/2026", "0.48");
    let calls = receiver.wait_for(2);
    // Five seconds, a tenth more or less, and what a busy machine adds.
    let pause = (calls[1].at - calls[0].at).as_secs_f64();
    assert!((4.4..30.0).contains(&pause), "{pause} s");
    assert_eq!((calls[0].id(), &calls[0].body), (calls[1].id(), &calls[1].body));
    calls.iter().for_each(|call| expect_signed(call, &secret));
    let delivery = place.delivery(&id, |delivery| delivery["status"] == "delivered");
    assert_eq!(delivery["attempts"], 2);
}

#[test]
fn a_redirect_is_a_failure_and_not_followed() {
    let (place, elsewhere) = (Place::new(), Receiver::start(&[]));
    let statuses = [301, 302, 303, 307, 308];
    let receivers = statuses.map(|status| {
        let receiver = Receiver::start(&[]);
        receiver.answer_all(Answer::Redirect(status, elsewhere.url("/")));
        let (id, _) = place.subscribe_to_rates(&receiver.url("/"));
        (receiver, id)
    });
    place.publish("09/2026", "0.48");
    for ((_receiver, id), status) in receivers.iter().zip(statuses) {
        let delivery = place.delivery(id, |delivery| delivery["attempts"] != 0);
        assert_eq!(
            (&delivery["status"], &delivery["response_status"]),
            (&json!("pending"), &json!(status))
        );
    }
    assert!(elsewhere.received().is_empty());
}

#[test]
fn a_receiver_that_is_gone_ends_the_subscription() {
    let (place, receiver) = (Place::new(), Receiver::start(&[Answer::Status(410)]));
    let (id, _) = place.subscribe_to_rates(&receiver.url("/"));
    place.publish("09/2026", "0.48");
    receiver.wait_for(1);
    let ended = (0..3000).any(|_| {
        thread::sleep(Duration::from_millis(20));
        place.get(&format!("{HOOKS}/{id}")).status == 404
    });
    assert!(ended, "{}", place.get(HOOKS).text());
}

#[test]
#[ignore = "long"]
fn what_goes_wrong_is_said_in_words() {
    let place = Place::new();
    let plain = Receiver::start(&[]);
    let (silent, hung_up) = (Receiver::start(&[]), Receiver::start(&[]));
    silent.answer_all(Answer::Silence);
    hung_up.answer_all(Answer::HangUp);
    // A port that nobody listens on any more.
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let cases = [
        (format!("https://{}/", plain.address), "no secure connection"),
        (format!("http://{closed}/"), "the host refuses connections"),
        (hung_up.url("/"), "the host broke off the connection"),
        (silent.url("/"), "no answer within 15 seconds"),
    ];
    let ids = cases.each_ref().map(|(url, _)| place.subscribe_to_rates(url).0);
    place.publish("09/2026", "0.48");
    for ((url, words), id) in cases.iter().zip(ids) {
        let delivery = place.delivery(&id, |delivery| !delivery["error"].is_null());
        let error = text(&delivery["error"]);
        assert!(error.contains(words), "{url}: {error}");
        assert_eq!(delivery["response_status"], Value::Null);
    }
    assert!(plain.received().is_empty());
}

#[test]
fn a_slow_or_endless_answer_is_still_one() {
    let place = Place::new();
    for answer in [Answer::Slow(Duration::from_secs(2)), Answer::Endless] {
        let receiver = Receiver::start(&[answer]);
        let (id, _) = place.subscribe_to_rates(&receiver.url("/"));
        assert_eq!(place.post(&format!("{HOOKS}/{id}/test"), "").status, 202);
        let delivery = place.delivery(&id, |delivery| delivery["attempts"] != 0);
        assert_eq!((&delivery["status"], &delivery["attempts"]), (&json!("delivered"), &json!(1)));
    }
}

#[test]
fn a_test_call_comes_at_once_and_any_call_again() {
    let (place, receiver) = (Place::new(), Receiver::start(&[]));
    let (id, secret) = place.subscribe_to_rates(&receiver.url("/"));
    let reply = place.post(&format!("{HOOKS}/{id}/test"), "");
    assert_eq!((reply.status, reply.header("cache-control")), (202, Some("no-store")));
    let calls = receiver.wait_for(1);
    expect_signed(&calls[0], &secret);
    assert_eq!(serde_json::from_str::<Value>(calls[0].text()).unwrap()["type"], "webhook.test");
    let delivery = place.delivery(&id, |delivery| delivery["status"] == "delivered");
    assert_eq!((&delivery["type"], &delivery["id"]), (&json!("webhook.test"), &reply.json()["id"]));

    let replay = format!("{HOOKS}/{id}/deliveries/{}/replay", text(&delivery["id"]));
    assert_eq!(place.post(&replay, "").status, 202);
    let calls = receiver.wait_for(2);
    assert_eq!((calls[0].id(), calls[0].text()), (calls[1].id(), calls[1].text()));
    let nothing = place.post(&format!("{HOOKS}/{id}/deliveries/dlv_999/replay"), "");
    nothing.expect_error(404, "not_found");
}

#[test]
fn filters_choose_by_type_company_category_and_series() {
    let (place, receiver) = (Place::new(), Receiver::start(&[]));
    let hook = |path: &str, mut wanted: Value| {
        wanted["url"] = json!(receiver.url(path));
        place.subscribe(&wanted);
    };
    hook("/ipca", json!({"events": ["rate.published"], "series": "433"}));
    hook("/selic", json!({"events": ["rate.published"], "series": "selic"}));
    hook("/petrobras", json!({"events": ["filing.published"], "company": "9512"}));
    hook("/vale", json!({"events": ["filing.published"], "company": "4170"}));
    hook("/facts", json!({"events": ["filing.published"], "category": "fato relevante"}));
    hook("/all", json!({"events": ["filing.published", "rate.published"]}));
    let filing = |company: &str, category: &str, number: u32| {
        format!(
            "33.000.167/0001-01;COMPANHIA;{company};2026-11-10;{category};;;Assunto;2026-11-10;AP;;1;\
             https://www.rad.cvm.gov.br/ENET/frmDownloadDocumento.aspx?Tela=ext&descTipo=IPE&\
             CodigoInstituicao=1&numProtocolo={number}&numSequencia={number}&numVersao=1\r\n"
        )
    };
    const COLUMNS: &str = "CNPJ_Companhia;Nome_Companhia;Codigo_CVM;Data_Referencia;Categoria;Tipo;Especie;Assunto;\
        Data_Entrega;Tipo_Apresentacao;Protocolo_Entrega;Versao;Link_Download\r\n";
    let filings = [
        filing("9512", "Fato Relevante", 99_000_001),
        filing("9512", "Assembleia", 99_000_002),
        filing("4170", "Fato Relevante", 99_000_003),
    ];
    let table = format!("{COLUMNS}{}", filings.concat());
    import_as(place.server.data.path(), "ipe_cia_aberta_2026.csv", &table);
    place.publish("09/2026", "0.48");
    // 1 for /ipca, none for /selic, 2 for /petrobras, 1 for /vale, 2 for /facts, 4 for /all.
    let calls = receiver.wait_for(10);
    let count = |path: &str| calls.iter().filter(|call| call.path == path).count();
    let counts = ["/ipca", "/selic", "/petrobras", "/vale", "/facts", "/all"].map(count);
    assert_eq!(counts, [1, 0, 2, 1, 2, 4]);
    for path in ["/petrobras", "/facts", "/all"] {
        let mut ids: Vec<&str> =
            calls.iter().filter(|call| call.path == path).map(Received::id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), count(path), "{path}: every event once");
    }
}

#[test]
fn a_key_that_is_downgraded_or_revoked_is_not_called_any_more() {
    let (place, receiver) = (Place::new(), Receiver::start(&[]));
    let accounts = place.server.accounts();
    let [lower, revoked] = [(), ()].map(|()| new_key(&accounts, Plan::Platinum));
    for (key, path) in [(&lower, "/lower"), (&revoked, "/revoked"), (&place.key, "/stays")] {
        let wanted = json!({"url": receiver.url(path), "events": ["rate.published"]});
        assert_eq!(place.server.post(HOOKS, &with(key), &wanted.to_string()).status, 201);
    }
    place.publish("09/2026", "0.48");
    receiver.wait_for(3);
    keys::set_plan(&accounts, &lower.prefix(), Plan::Gold).unwrap();
    keys::revoke(&accounts, &revoked.prefix(), DateTime::UNIX_EPOCH).unwrap();
    place.publish("10/2026", "0.22");
    receiver.wait_for(4);
    // All calls of a publication start together, so those of the one before would have come by now.
    place.publish("11/2026", "0.31");
    let calls = receiver.wait_for(5);
    let later: Vec<&str> = calls[3..].iter().map(|call| call.path.as_str()).collect();
    assert_eq!(later, ["/stays", "/stays"]);
    // Deliveries look at the keys themselves; a server hears of changes within a second.
    access::wait_for(&place.server, &lower, "gold");
    accounts::wait_until_refused(&place.server, &revoked);
    place.server.keyless("GET", HOOKS, &with(&lower)).expect_error(403, "plan_required");
    place.server.keyless("GET", HOOKS, &with(&revoked)).expect_error(401, "invalid_api_key");
}
