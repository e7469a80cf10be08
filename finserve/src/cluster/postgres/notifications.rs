//! Listens for keys that change. Where that fails, the regular look at the change number finds them within a second.
use std::{future::poll_fn, sync::Weak, time::Duration};

use tokio::time::{sleep, timeout};
use tokio_postgres::AsyncMessage;

use super::{Postgres, Shared};

/// How long after a failure it is tried again, how often the connection is looked at, and how long an answer may take.
const PAUSE: Duration = Duration::from_secs(1);
const LOOK: Duration = Duration::from_secs(10);
const PATIENCE: Duration = Duration::from_secs(5);

impl Postgres {
    /// Calls `on_change` whenever a key has changed somewhere, for as long as this is in use.
    pub(crate) fn listen(&self, on_change: impl Fn() + Send + Sync + 'static) {
        let Some(runtime) = &self.0.runtime else { return };
        let shared = std::sync::Arc::downgrade(&self.0);
        runtime.spawn(async move {
            // It has failed, whatever it says: the look at the accounts reports it.
            while let Some(()) = listen_until_lost(&shared, &on_change).await {
                sleep(PAUSE).await;
            }
        });
    }
}

/// Listens until the connection is lost; `None` once it is not needed any more.
async fn listen_until_lost(shared: &Weak<Shared>, on_change: &(impl Fn() + Sync)) -> Option<()> {
    let (config, tls) = {
        let shared = shared.upgrade()?;
        (shared.config.clone(), shared.tls.0.clone())
    };
    let Ok(Ok((client, mut connection))) = timeout(PATIENCE, config.connect(tls)).await else {
        return Some(());
    };
    let receive = async {
        while let Some(Ok(message)) = poll_fn(|cx| connection.poll_message(cx)).await {
            if let AsyncMessage::Notification(_) = message {
                on_change();
            }
        }
    };
    let ask = async {
        let mut sql = "LISTEN finserve_keys";
        while let Ok(Ok(())) = timeout(PATIENCE, client.batch_execute(sql)).await {
            if sql != "SELECT 1" {
                // Report changes made before this.
                on_change();
                sql = "SELECT 1";
            }
            sleep(LOOK).await;
            if shared.strong_count() == 0 {
                break;
            }
        }
    };
    tokio::select! {
        () = receive => (),
        () = ask => (),
    }
    Some(())
}
