//! Verifies a webhook call as its receiver does: the signature, the time, and that it is not a repetition.
//!
//! `cargo run -p fincore --example verify_webhook`
#![allow(clippy::print_stdout)]
use std::{collections::HashSet, error::Error};

use chrono::{DateTime, Utc};
use fincore::webhooks::{Secret, SignatureHeaders, verify};

/// A request as a web server hands it over.
struct Request {
    id: &'static str,
    timestamp: &'static str,
    signature: &'static str,
    body: &'static [u8],
}

/// What the receiver keeps: the secret, and the ids of the calls of the last days.
struct Receiver {
    secret: Secret,
    seen: HashSet<String>,
}

impl Receiver {
    fn receive(&mut self, call: &Request, now: DateTime<Utc>) -> fincore::Result<()> {
        let Request { id, timestamp, signature, body } = *call;
        verify(&self.secret, &SignatureHeaders { id, timestamp, signature }, body, now)?;
        // A call is repeated until it was answered with 2xx, always under the same id.
        if self.seen.insert(id.to_owned()) {
            println!("{id}: {}", String::from_utf8_lossy(body));
        } else {
            println!("{id}: again");
        }
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".parse()?;
    let mut receiver = Receiver { secret, seen: HashSet::new() };
    let call = Request {
        id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
        timestamp: "1614265330",
        signature: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
        body: br#"{"test": 2432232314}"#,
    };
    // A server takes the time of its clock. This call was made in 2021.
    let now = "2021-02-25T15:02:30Z".parse()?;
    receiver.receive(&call, now)?;
    receiver.receive(&call, now)?;

    let forged = Request { body: br#"{"test": 1}"#, ..call };
    println!("forged: {}", receiver.receive(&forged, now).is_err());
    Ok(())
}
