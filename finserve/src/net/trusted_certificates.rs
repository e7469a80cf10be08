//! The certificates that outgoing connections trust.
use std::{fs, io, path::PathBuf, sync::Arc};

use rustls::{CertificateError, ClientConfig, RootCertStore, crypto::ring};
use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};

/// The certificates of `SSL_CERT_FILE`, if it is set, as behind a proxy that decrypts connections; otherwise
/// those that come with the program. Fails, with a message, if that file cannot be read.
pub(crate) fn ureq_config() -> Result<TlsConfig, String> {
    Ok(custom_roots()?.map_or_else(TlsConfig::default, |certificates| {
        TlsConfig::builder().root_certs(RootCerts::from(certificates)).build()
    }))
}

/// The configuration for connections that do not use `ureq`.
pub(crate) fn rustls_config() -> Result<ClientConfig, String> {
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|err| err.to_string())?;
    Ok(config.with_root_certificates(root_store()?).with_no_client_auth())
}

/// Why a secure connection failed, as a message for people.
pub(crate) fn explain_failure(err: &io::Error) -> String {
    let inner = err.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
    inner.map_or_else(|| err.to_string(), explain_refusal)
}

/// Explains an error of the protocol.
pub(crate) fn explain_refusal(err: &rustls::Error) -> String {
    let rustls::Error::InvalidCertificate(problem) = err else { return err.to_string() };
    let words = match problem {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            "its certificate has expired"
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "its certificate is not valid yet; check the clock of this machine"
        }
        CertificateError::UnknownIssuer => {
            "its certificate comes from an authority that is not trusted here; SSL_CERT_FILE names \
             the file of another authority"
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "its certificate is for another name"
        }
        CertificateError::Revoked => "its certificate was revoked",
        other if format!("{other:?}").contains("CaUsedAsEndEntity") => {
            "its certificate is self-signed and meant for an authority; issue one for the server, \
             and name the authority's with SSL_CERT_FILE"
        }
        _ => return err.to_string(),
    };
    words.to_owned()
}

fn root_store() -> Result<RootCertStore, String> {
    let mut store = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    if let Some(own) = custom_roots()? {
        store = RootCertStore::empty();
        store.add_parsable_certificates(own.iter().map(|one| one.der().to_vec().into()));
    }
    Ok(store)
}

/// The file of `SSL_CERT_FILE`, for a library that reads it by itself; `None` if it is not set. Fails, with a message, if it
/// cannot be read.
#[cfg(feature = "cluster")]
pub(crate) fn own_roots_pem() -> Result<Option<Vec<u8>>, String> {
    let Some(path) = own_roots() else { return Ok(None) };
    let pem = fs::read(&path);
    pem.map(Some).map_err(|err| format!("SSL_CERT_FILE {} cannot be read: {err}", path.display()))
}

fn own_roots() -> Option<PathBuf> {
    std::env::var_os("SSL_CERT_FILE").filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// The certificates of `SSL_CERT_FILE`; `None` if it is not set. Fails, with a message, if that file cannot be read.
fn custom_roots() -> Result<Option<Vec<Certificate<'static>>>, String> {
    let Some(path) = own_roots() else { return Ok(None) };
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
