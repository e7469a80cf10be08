//! Signatures by the Standard Webhooks scheme: made by the caller, verified by the receiver.
use std::{fmt, str::FromStr};

use base64::{Engine, engine::general_purpose::STANDARD};
use chrono::{DateTime, TimeDelta, Utc};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::values::{Error, Invalid, Result, SecretKind, Wanted, WebhookFault, random_bytes};

const MARK: &str = "whsec_";
const VERSION: &str = "v1,";

/// 192 bits, as the scheme recommends.
const SECRET_BYTES: usize = 24;

/// The clocks of two machines differ, and a recorded call must not stay valid for long.
const TOLERANCE: TimeDelta = TimeDelta::minutes(5);

/// The key that signs calls. It is secret: `Debug` hides it, and there is no `Display`.
///
/// ```
/// let secret: fincore::webhooks::Secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".parse()?;
/// assert_eq!(format!("{secret:?}"), "Secret(…)");
/// # Ok::<(), fincore::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Vec<u8>);

impl Secret {
    pub(crate) fn generate() -> Result<Secret> {
        Ok(Secret(random_bytes::<SECRET_BYTES>()?.to_vec()))
    }

    pub(crate) fn from_bytes(bytes: Vec<u8>) -> Secret {
        Secret(bytes)
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The secret as text, to show to its owner once: `whsec_…`.
    #[must_use]
    pub fn reveal(&self) -> String {
        format!("{MARK}{}", STANDARD.encode(&self.0))
    }

    /// The signature of a call as it appears in the header: `v1,…`.
    pub(crate) fn sign(&self, id: &str, timestamp: &str, body: &[u8]) -> String {
        let tag = self.mac(id, timestamp, body).finalize().into_bytes();
        format!("{VERSION}{}", STANDARD.encode(tag))
    }

    fn mac(&self, id: &str, timestamp: &str, body: &[u8]) -> Hmac<Sha256> {
        let mut mac = Hmac::new_from_slice(&self.0).expect("HMAC takes keys of any length");
        for part in [id.as_bytes(), b".", timestamp.as_bytes(), b".", body] {
            mac.update(part);
        }
        mac
    }
}

impl FromStr for Secret {
    type Err = Error;

    /// Reads a secret with or without `whsec_`. The message of the error does not repeat it.
    fn from_str(text: &str) -> Result<Secret> {
        let bytes = STANDARD.decode(text.strip_prefix(MARK).unwrap_or(text)).ok();
        let bytes = bytes.filter(|bytes| !bytes.is_empty());
        bytes.map(Secret).ok_or(Error::Invalid(Invalid::Secret(SecretKind::WebhookSecret)))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// The headers of a call with its signature.
#[derive(Clone, Copy, Debug)]
pub struct SignatureHeaders<'h> {
    /// `webhook-id`
    pub id: &'h str,
    /// `webhook-timestamp`
    pub timestamp: &'h str,
    /// `webhook-signature`
    pub signature: &'h str,
}

/// Verifies a call that was received: that it was signed with this secret, less than five minutes ago.
///
/// `body` is what was received, byte for byte. Remember the ids of calls for some days: the same event can come
/// more than once, and then has the same id.
///
/// Fails if the timestamp is not a number or too far from `now`, or if no signature fits.
///
/// ```
/// use fincore::webhooks::{SignatureHeaders, verify};
///
/// let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".parse()?;
/// let headers = SignatureHeaders {
///     id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
///     timestamp: "1614265330",
///     signature: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
/// };
/// let now = "2021-02-25T15:02:30Z".parse().unwrap();
/// verify(&secret, &headers, br#"{"test": 2432232314}"#, now)?;
/// assert!(verify(&secret, &headers, br#"{"test": 2432232315}"#, now).is_err());
/// # Ok::<(), fincore::Error>(())
/// ```
pub fn verify(
    secret: &Secret,
    headers: &SignatureHeaders<'_>,
    body: &[u8],
    now: DateTime<Utc>,
) -> Result<()> {
    let wrong = |text: &str| Error::invalid(text, Wanted::WebhookTimestamp);
    let sent =
        headers.timestamp.parse().ok().and_then(|seconds| DateTime::from_timestamp(seconds, 0));
    let sent = sent.ok_or_else(|| wrong(headers.timestamp))?;
    if (now - sent).abs() > TOLERANCE {
        return Err(WebhookFault::WrongTime { sent, now }.into());
    }
    let fits = |signature: &str| {
        let tag = signature.strip_prefix(VERSION).and_then(|tag| STANDARD.decode(tag).ok());
        // Takes as long for a wrong tag as for the right one.
        tag.is_some_and(|tag| {
            secret.mac(headers.id, headers.timestamp, body).verify_slice(&tag).is_ok()
        })
    };
    if headers.signature.split(' ').any(fits) {
        return Ok(());
    }
    Err(WebhookFault::WrongSignature.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const ID: &str = "msg_p5jXN8AQM9LWM0D4loKWxJek";
    const TIMESTAMP: &str = "1614265330";
    const BODY: &[u8] = br#"{"test": 2432232314}"#;
    const SIGNATURE: &str = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";

    fn check(headers: &SignatureHeaders<'_>, body: &[u8], seconds: i64) -> Option<String> {
        let now = DateTime::from_timestamp(1_614_265_330 + seconds, 0).unwrap();
        let secret = SECRET.parse().unwrap();
        verify(&secret, headers, body, now).err().map(|err| err.to_string())
    }

    #[test]
    fn signs_as_the_published_vector() {
        let secret: Secret = SECRET.parse().unwrap();
        assert_eq!(secret.sign(ID, TIMESTAMP, BODY), SIGNATURE);
        assert_eq!(secret.reveal(), SECRET);
        assert_eq!(SECRET["whsec_".len()..].parse::<Secret>().unwrap(), secret);
    }

    #[test]
    fn accepts_any_of_several_signatures_within_five_minutes() {
        let several = format!("v1,AAAA v2,x {SIGNATURE} v1a,zzz");
        for signature in [SIGNATURE, &several] {
            let headers = SignatureHeaders { id: ID, timestamp: TIMESTAMP, signature };
            for seconds in [-300, 0, 300] {
                assert_eq!(check(&headers, BODY, seconds), None);
            }
            for seconds in [-301, 301] {
                let message = check(&headers, BODY, seconds).unwrap();
                assert!(message.contains("more than five minutes"), "{message}");
            }
        }
    }

    #[test]
    fn refuses_what_was_changed() {
        let good = SignatureHeaders { id: ID, timestamp: TIMESTAMP, signature: SIGNATURE };
        let (other, truncated) = (SIGNATURE.replace("g0h", "g1h"), &SIGNATURE[..40]);
        let bare = &SIGNATURE[3..];
        let cases = [
            SignatureHeaders { id: "msg_other", ..good },
            SignatureHeaders { timestamp: "1614265331", ..good },
            SignatureHeaders { signature: &other, ..good },
            SignatureHeaders { signature: truncated, ..good },
            SignatureHeaders { signature: bare, ..good },
            SignatureHeaders { signature: "", ..good },
            SignatureHeaders { signature: "v1,", ..good },
        ];
        for headers in cases {
            let message = check(&headers, BODY, 0).unwrap();
            assert!(message.starts_with("no v1 signature matches"), "{headers:?}: {message}");
        }
        assert!(check(&good, b"{}", 0).is_some());
        for timestamp in ["", "now", "99999999999999999999", "9223372036854775807"] {
            let message = check(&SignatureHeaders { timestamp, ..good }, BODY, 0).unwrap();
            assert!(message.contains("is not a webhook-timestamp"), "{message}");
        }
    }

    #[test]
    fn says_nothing_of_a_secret() {
        for text in ["", "whsec_", "whsec_s3cr&t", "hunter2!"] {
            let message = text.parse::<Secret>().unwrap_err().to_string();
            assert_eq!(message, "this is not the secret of a webhook (whsec_ and Base64)");
        }
        assert_eq!(format!("{:?}", Secret::generate().unwrap()), "Secret(…)");
    }
}
