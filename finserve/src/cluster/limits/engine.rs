//! The engine that counts: one server, or the nodes of a cluster.
use std::{future, slice, time::Duration};

use futures_util::future::try_join_all;
use redis::{
    ErrorKind, ProtocolVersion, RedisError, RedisResult, ServerErrorKind, aio::ConnectionLike,
    cluster::ClusterClientBuilder, cluster_async::ClusterConnection,
};

use super::{
    CONNECT,
    connection::{Connection, Endpoint},
    fault::Fault,
    script::{self, Answer, Question},
};

/// How often a question is asked elsewhere before a cluster is given up that sends it on and on.
const REDIRECTS: u32 = 4;

/// Valkey or Redis, with the script loaded.
pub(super) struct Engine {
    servers: Servers,
    script: Script,
}

enum Servers {
    One(Connection),
    Cluster(ClusterConnection),
}

/// The script as the engine knows it.
struct Script {
    hash: String,
    window: Duration,
}

impl Engine {
    /// Connects to an engine that shows that it counts.
    pub(super) async fn open(endpoint: &Endpoint, window: Duration) -> Result<Engine, Fault> {
        let mut server = Connection::open(endpoint).await?;
        let hash = server.run(async |server| script::load(server).await).await?;
        let script = Script { hash, window };
        let probe = Question::probe_for_cluster();
        match server.run(async |server| script.run(server, &probe).await).await {
            Ok(_) => Ok(Engine { servers: Servers::One(server), script }),
            Err(err) if is_of_cluster(&err) => {
                let servers = Servers::Cluster(open_cluster(endpoint).await?);
                let mut engine = Engine { servers, script };
                engine.ask(&probe).await?;
                Ok(engine)
            }
            Err(err) => Err(err.into()),
        }
    }

    /// Ends when the server closes the connection. Those to the nodes of a cluster are opened again by the library.
    pub(super) async fn wait_for_end(&mut self) {
        match &mut self.servers {
            Servers::One(server) => server.wait_for_end().await,
            Servers::Cluster(_) => future::pending().await,
        }
    }

    /// Asks all of these: in one call where one server has all keys, and otherwise each by itself, all at once.
    pub(super) async fn ask(&mut self, questions: &[Question]) -> Result<Vec<Answer>, Fault> {
        let Engine { servers, script } = self;
        let answers = match servers {
            Servers::One(server) => {
                server.run(async |server| script.run(server, questions).await).await?
            }
            Servers::Cluster(cluster) => {
                let (cluster, script) = (&*cluster, &*script);
                let each = questions.iter().map(|question| async move {
                    script.run(&mut cluster.clone(), slice::from_ref(question)).await
                });
                try_join_all(each).await?.concat()
            }
        };
        Ok(answers)
    }

    /// Makes the engine forget all scripts.
    #[cfg(test)]
    pub(super) async fn flush_scripts(&mut self) -> Result<(), Fault> {
        let mut flush = redis::cmd("SCRIPT");
        flush.arg("FLUSH");
        match &mut self.servers {
            Servers::One(server) => {
                server.run(async |server| flush.exec_async(server).await).await?;
            }
            Servers::Cluster(cluster) => flush.exec_async(cluster).await?,
        }
        Ok(())
    }
}

impl Script {
    async fn run(
        &self,
        engine: &mut impl ConnectionLike,
        questions: &[Question],
    ) -> RedisResult<Vec<Answer>> {
        let call = script::call(&self.hash, self.window, questions);
        let answers: Vec<u8> = match call.query_async(engine).await {
            // The engine was emptied or restarted behind a proxy, or this is a node of a cluster that has not had it yet.
            Err(err) if err.kind() == ErrorKind::Server(ServerErrorKind::NoScript) => {
                script::load(engine).await?;
                call.query_async(engine).await?
            }
            answered => answered?,
        };
        let strange = (ErrorKind::UnexpectedReturnType, "these are not the script's answers");
        script::parse_answers(&answers, questions.len()).ok_or_else(|| strange.into())
    }
}

/// Connects to the nodes of the cluster that a server belongs to.
async fn open_cluster(endpoint: &Endpoint) -> RedisResult<ClusterConnection> {
    let mut client = ClusterClientBuilder::new([endpoint.connection_info()?])
        .use_protocol(ProtocolVersion::RESP2)
        .retries(REDIRECTS)
        .connection_timeout(CONNECT)
        .response_timeout(CONNECT);
    if let Some(certificates) = endpoint.certificates() {
        client = client.certs(certificates);
    }
    client.build()?.get_async_connection().await
}

/// Whether an error is one that only the nodes of a cluster make.
fn is_of_cluster(err: &RedisError) -> bool {
    err.is_cluster_error() || err.kind() == ErrorKind::Server(ServerErrorKind::CrossSlot)
}
