//! A real server for the tests of the contract, and how they call it.
use std::{
    net::Ipv4Addr,
    sync::atomic::{AtomicU32, Ordering},
};

use fincore::{Key, Plan};

use super::document::{Document, Given, Operation};
use crate::{
    access,
    harness::{Reply, Server, new_key, with},
};

const LINKS: &str = "/api/v1/links";

/// A webhook that may be created.
const WEBHOOK: &str = r#"{"url":"https://127.0.0.1:9/","events":["filing.published"]}"#;

/// A server whose callers each come from an address of their own, unless they say otherwise.
pub(super) struct Service {
    pub(super) server: Server,
    pub(super) document: Document,
    /// A key on Platinum, for what does not depend on the plan.
    pub(super) key: Key,
    addresses: AtomicU32,
}

impl Service {
    pub(super) fn start() -> Service {
        // Webhooks to this machine are allowed, so that none has to go anywhere else.
        let flags = ["--trusted-proxy", "127.0.0.1", "--webhook-allow-private"];
        let server = Server::start_with(&flags);
        let key = new_key(&server.accounts(), Plan::Platinum);
        access::wait_for(&server, &key, Plan::Platinum.id());
        Service { server, document: Document::read(), key, addresses: AtomicU32::new(1) }
    }

    pub(super) fn target(&self, operation: &Operation<'_>, given: Given) -> String {
        self.document.target(operation, given)
    }

    /// The same with a webhook, and a delivery of it, that the key really has.
    pub(super) fn own_target(&self, operation: &Operation<'_>, given: Given, key: &Key) -> String {
        let target = self.target(operation, given);
        if operation.path == "/api/v1/links/{id}" {
            let made = self.send("POST", LINKS, &with(key), "application/json", r#"{"name":"x"}"#);
            let id = made.json()["id"].as_str().expect("a link").to_owned();
            let shown = self.document.at("/components/parameters/linkId/example").as_str();
            return target.replace(shown.unwrap(), &id);
        }
        if !operation.path.starts_with("/api/v1/webhooks/{id}") {
            return target;
        }
        let (webhook, delivery) = self.webhook(key);
        let example = |name| self.document.at(&format!("/components/parameters/{name}/example"));
        let (shown, sent) = (example("webhookId").as_str(), example("deliveryId").as_str());
        target.replace(shown.unwrap(), &webhook).replace(sent.unwrap(), &delivery)
    }

    /// A new webhook of a key, and its first delivery. It calls a port on which nobody listens.
    pub(super) fn webhook(&self, key: &Key) -> (String, String) {
        let id = |reply: Reply| match reply.json()["id"].as_str() {
            Some(id) => id.to_owned(),
            None => panic!("{}", reply.text()),
        };
        let (path, body) = ("/api/v1/webhooks", WEBHOOK);
        let webhook = id(self.send("POST", path, &with(key), "application/json", body));
        let test = format!("{path}/{webhook}/test");
        let delivery = id(self.server.keyless("POST", &test, &with(key)));
        (webhook, delivery)
    }

    /// The header line of a caller who was not here before.
    pub(super) fn stranger(&self) -> String {
        let address = Ipv4Addr::from_bits(self.addresses.fetch_add(1, Ordering::Relaxed));
        format!("X-Forwarded-For: {address}\r\n")
    }

    /// Calls an operation with the document's own example of a body, if it takes one.
    pub(super) fn call(&self, operation: &Operation<'_>, target: &str, headers: &str) -> Reply {
        match operation.body() {
            Some((media, body)) => self.send(&operation.method, target, headers, media, &body),
            None => self.server.keyless(&operation.method, target, headers),
        }
    }

    pub(super) fn send(
        &self,
        method: &str,
        target: &str,
        headers: &str,
        media: &str,
        body: &str,
    ) -> Reply {
        let headers =
            format!("{headers}Content-Type: {media}\r\nContent-Length: {}\r\n", body.len());
        let request = format!(
            "{method} {target} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n{headers}\r\n{body}"
        );
        self.server.send(request.as_bytes())
    }

    /// The reply must have this status, and be what the document says of it.
    pub(super) fn check(
        &self,
        operation: &Operation<'_>,
        reply: &Reply,
        status: u16,
    ) -> Vec<String> {
        let mut wrongs = self.document.differences(operation, reply);
        if reply.status != status {
            wrongs.push(format!("the status is {}, not {status}", reply.status));
        }
        wrongs
    }
}
