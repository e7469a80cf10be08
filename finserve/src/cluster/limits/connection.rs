//! One connection to Valkey.
use std::{fmt, io, time::Duration};

use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::TcpStream,
};

use super::{
    address::Address,
    resp::{Broken, Reply, command, parse},
    script::{Question, SCRIPT, Told, answers, call},
};

/// Why there is no answer.
#[derive(Debug)]
pub(super) enum Fault {
    /// The connection failed or ended.
    Lost(io::Error),
    /// It took too long.
    Slow,
    /// The engine said no, in its own words.
    Said(String),
    /// Something answered that does not speak the protocol.
    Strange,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Lost(err) => write!(f, "{err}"),
            Fault::Slow => f.write_str("it does not answer in time"),
            Fault::Said(message) => f.write_str(message),
            Fault::Strange => f.write_str("what answers there is not Valkey or Redis"),
        }
    }
}

impl From<io::Error> for Fault {
    fn from(err: io::Error) -> Fault {
        Fault::Lost(err)
    }
}

impl From<Broken> for Fault {
    fn from(Broken: Broken) -> Fault {
        Fault::Strange
    }
}

/// A plain or an encrypted stream.
trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

/// A connection that is logged in, to an engine that knows the script.
pub(super) struct Connection {
    stream: Box<dyn Stream>,
    window: Duration,
    sha: String,
    out: Vec<u8>,
    read: Vec<u8>,
}

/// How much is read at a time.
const READ: usize = 16 * 1024;

impl Connection {
    /// Connects, logs in and loads the script.
    pub(super) async fn open(address: &Address, window: Duration) -> Result<Connection, Fault> {
        let stream = TcpStream::connect((&*address.host, address.port)).await?;
        // A call is written at once, so delaying packets only costs time.
        stream.set_nodelay(true)?;
        let stream: Box<dyn Stream> = match &address.tls {
            None => Box::new(stream),
            Some(tls) => Box::new(tls.connector.connect(tls.name.clone(), stream).await?),
        };
        let (out, read) = (Vec::new(), Vec::with_capacity(READ));
        let mut connection = Connection { stream, window, sha: String::new(), out, read };
        connection.log_in(address).await?;
        Ok(connection)
    }

    async fn log_in(&mut self, address: &Address) -> Result<(), Fault> {
        let mut asked = 0;
        if let Some(password) = &address.password {
            match &address.user {
                Some(user) => command(&mut self.out, &["AUTH", user, password]),
                None => command(&mut self.out, &["AUTH", password]),
            }
            asked += 1;
        }
        if address.database != 0 {
            command(&mut self.out, &["SELECT", &address.database.to_string()]);
            asked += 1;
        }
        command(&mut self.out, &["SCRIPT", "LOAD", SCRIPT]);
        self.send().await?;
        for _ in 0..asked {
            self.reply().await?;
        }
        match self.reply().await? {
            Reply::Text(sha) => self.sha = sha,
            Reply::Number(_) | Reply::Nothing | Reply::List(_) | Reply::Error(_) => {
                return Err(Fault::Strange);
            }
        }
        Ok(())
    }

    /// Asks all of these at once.
    pub(super) async fn ask(&mut self, questions: &[Question]) -> Result<Vec<Told>, Fault> {
        match self.run(questions).await {
            // Somebody has emptied the engine, or it was started anew behind a proxy.
            Err(Fault::Said(message)) if message.starts_with("NOSCRIPT") => {
                command(&mut self.out, &["SCRIPT", "LOAD", SCRIPT]);
                self.send().await?;
                self.reply().await?;
                self.run(questions).await
            }
            answered => answered,
        }
    }

    /// Asks each of these by itself; [`Connection::hear`] then gets the answers, one after the other.
    pub(super) async fn send_each(
        &mut self,
        questions: impl Iterator<Item = Question>,
    ) -> Result<(), Fault> {
        for question in questions {
            call(&mut self.out, &self.sha, self.window, &[question]);
        }
        self.send().await
    }

    /// The next answer to one question.
    pub(super) async fn hear(&mut self) -> Result<Told, Fault> {
        let reply = self.reply().await?;
        answers(&reply, 1).and_then(|told| told.first().copied()).ok_or(Fault::Strange)
    }

    async fn run(&mut self, questions: &[Question]) -> Result<Vec<Told>, Fault> {
        call(&mut self.out, &self.sha, self.window, questions);
        self.send().await?;
        let reply = self.reply().await?;
        answers(&reply, questions.len()).ok_or(Fault::Strange)
    }

    /// Ends when the other side closes the connection or says something that nobody asked for.
    pub(super) async fn ended(&mut self) -> Fault {
        match self.stream.read_buf(&mut self.read).await {
            Ok(0) => closed(),
            Ok(_) => Fault::Strange,
            Err(err) => err.into(),
        }
    }

    /// Makes the engine forget all scripts.
    #[cfg(test)]
    pub(super) async fn flush_scripts(&mut self) -> Result<(), Fault> {
        command(&mut self.out, &["SCRIPT", "FLUSH"]);
        self.send().await?;
        self.reply().await.map(drop)
    }

    async fn send(&mut self) -> Result<(), Fault> {
        self.stream.write_all(&self.out).await?;
        self.stream.flush().await?;
        self.out.clear();
        Ok(())
    }

    /// The next reply. Fails with what the engine says if that is an error.
    async fn reply(&mut self) -> Result<Reply, Fault> {
        loop {
            if let Some((reply, length)) = parse(&self.read)? {
                self.read.drain(..length);
                return match reply {
                    Reply::Error(message) => Err(Fault::Said(message)),
                    reply => Ok(reply),
                };
            }
            self.read.reserve(READ);
            if self.stream.read_buf(&mut self.read).await? == 0 {
                return Err(closed());
            }
        }
    }
}

fn closed() -> Fault {
    Fault::Lost(io::Error::new(io::ErrorKind::UnexpectedEof, "it has closed the connection"))
}
