//! Whose certificates outgoing connections believe.
use std::{fs, sync::Arc};

use rustls::{ClientConfig, RootCertStore, crypto::ring};
use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};

/// The certificates of `SSL_CERT_FILE`, if it is set, as behind a proxy that opens connections; otherwise those
/// that come with the program. Fails, in words, if that file cannot be read.
pub(crate) fn tls() -> Result<TlsConfig, String> {
    Ok(roots()?.map_or_else(TlsConfig::default, |certificates| {
        TlsConfig::builder().root_certs(RootCerts::from(certificates)).build()
    }))
}

/// How our own connections are encrypted, with the same belief. Fails, in words, as that does.
pub(crate) fn client() -> Result<ClientConfig, String> {
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|err| err.to_string())?;
    Ok(config.with_root_certificates(trusted()?).with_no_client_auth())
}

fn trusted() -> Result<RootCertStore, String> {
    let mut store = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    if let Some(own) = roots()? {
        store = RootCertStore::empty();
        store.add_parsable_certificates(own.iter().map(|one| one.der().to_vec().into()));
    }
    Ok(store)
}

/// The certificates of `SSL_CERT_FILE`; nothing if it is not set. Fails, in words, if that file cannot be read.
fn roots() -> Result<Option<Vec<Certificate<'static>>>, String> {
    let Some(path) = std::env::var_os("SSL_CERT_FILE").filter(|path| !path.is_empty()) else {
        return Ok(None);
    };
    let cannot =
        |reason: String| format!("SSL_CERT_FILE {} cannot be read: {reason}", path.display());
    let pem = fs::read(&path).map_err(|err| cannot(err.to_string()))?;
    let mut certificates = Vec::new();
    for item in parse_pem(&pem) {
        if let PemItem::Certificate(certificate) = item.map_err(|err| cannot(err.to_string()))? {
            certificates.push(certificate);
        }
    }
    if certificates.is_empty() {
        return Err(cannot("it has no certificates".into()));
    }
    Ok(Some(certificates))
}
