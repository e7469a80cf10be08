//! The certificate of a server that serves HTTPS; a new one is used as soon as its files have changed.
use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, RwLock},
    time::SystemTime,
};

use rustls::{
    ServerConfig,
    crypto::{CryptoProvider, ring},
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
    server::{ClientHello, ResolvesServerCert},
    sign::CertifiedKey,
};
use tokio_rustls::TlsAcceptor;

use crate::observe::log::FailureLog;

/// A certificate with its key, and the files that they come from.
pub(crate) struct Certificate {
    chain: PathBuf,
    key: PathBuf,
    current: RwLock<Arc<CertifiedKey>>,
    watched: Mutex<Watched>,
}

/// The state of the files.
struct Watched {
    read: Option<[Stamp; 2]>,
    trouble: FailureLog,
}

/// Differs after a file was written.
type Stamp = (SystemTime, u64);

impl Certificate {
    /// Reads both files. Fails, in words, where they cannot be read or do not belong together.
    pub(crate) fn read(chain: PathBuf, key: PathBuf) -> Result<Arc<Certificate>, String> {
        // Before the files are read: if they change meanwhile, they are read again.
        let stamps = stamps([&chain, &key]).ok();
        let current = RwLock::new(Arc::new(load(&chain, &key)?));
        let trouble = FailureLog::new("the new certificate cannot be used, the old one still is");
        let watched = Mutex::new(Watched { read: stamps, trouble });
        Ok(Arc::new(Certificate { chain, key, current, watched }))
    }

    /// Serves connections with the certificate.
    pub(crate) fn acceptor(certificate: &Arc<Certificate>) -> TlsAcceptor {
        let config = ServerConfig::builder_with_provider(provider())
            .with_safe_default_protocol_versions()
            .expect("the provider knows the usual versions")
            .with_no_client_auth();
        let mut config = config.with_cert_resolver(certificate.clone());
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        TlsAcceptor::from(Arc::new(config))
    }

    /// Reads the files again if they have changed.
    pub(crate) fn follow(&self) {
        let Ok(now) = stamps([&self.chain, &self.key]) else { return };
        let mut watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
        if watched.read != Some(now) {
            watched.read = Some(now);
            self.renew(&mut watched);
        }
    }

    /// Reads the files again.
    pub(crate) fn read_again(&self) {
        self.renew(&mut self.watched.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn renew(&self, watched: &mut Watched) {
        let loaded = load(&self.chain, &self.key);
        watched.trouble.report(&loaded);
        if let Ok(new) = loaded {
            *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(new);
            tracing::info!("the certificate {} was read again", self.chain.display());
        }
    }
}

impl ResolvesServerCert for Certificate {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.current.read().unwrap_or_else(PoisonError::into_inner).clone())
    }
}

impl fmt::Debug for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Certificate").field("chain", &self.chain).finish_non_exhaustive()
    }
}

fn provider() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
}

fn load(chain: &Path, key: &Path) -> Result<CertifiedKey, String> {
    let chain_of = |path: &Path| {
        let cannot = |err| format!("the certificate {} cannot be read: {err}", path.display());
        let chain = CertificateDer::pem_file_iter(path).map_err(cannot)?;
        let chain: Vec<_> = chain.collect::<Result<_, _>>().map_err(cannot)?;
        let none = || format!("{} has no certificate in PEM", path.display());
        (!chain.is_empty()).then_some(chain).ok_or_else(none)
    };
    let chain = chain_of(chain)?;
    let cannot = |err| format!("the private key {} cannot be read: {err}", key.display());
    let private = PrivateKeyDer::from_pem_file(key).map_err(cannot)?;
    let certified = CertifiedKey::from_der(chain, private, &provider());
    certified.map_err(|err| {
        format!("the private key {} does not fit the certificate: {err}", key.display())
    })
}

fn stamps(paths: [&Path; 2]) -> io::Result<[Stamp; 2]> {
    let stamp = |path: &Path| {
        let file = fs::metadata(path)?;
        Ok::<_, io::Error>((file.modified()?, file.len()))
    };
    Ok([stamp(paths[0])?, stamp(paths[1])?])
}
