//! Whoever counts: one server, or the nodes of a cluster.
use std::{collections::HashMap, time::Duration};

use super::{
    Address, Connection, Fault,
    script::{Question, Told},
};

/// How often a question is asked elsewhere before a cluster is given up that sends it on and on.
const ROUNDS: usize = 4;

/// Into how many parts a cluster divides its keys.
const SLOTS: u16 = 16_384;

/// A node of a cluster.
type Node = (String, u16);

/// The engine, by one connection to each server that was needed so far.
pub(super) struct Engine {
    address: Address,
    window: Duration,
    home: Connection,
    cluster: Option<Cluster>,
}

/// What is known of a cluster, besides the node that the address names.
#[derive(Default)]
struct Cluster {
    connections: HashMap<Node, Connection>,
    /// Where a slot is, if not at home.
    slots: HashMap<u16, Node>,
}

impl Engine {
    /// Connects to an engine that shows that it counts.
    pub(super) async fn open(address: &Address, window: Duration) -> Result<Engine, Fault> {
        let home = Connection::open(address, window).await?;
        let mut engine = Engine { address: address.clone(), window, home, cluster: None };
        engine.ask(&[Question::probe()]).await?;
        Ok(engine)
    }

    /// Ends when the server that the address names closes its connection.
    pub(super) async fn ended(&mut self) -> Fault {
        self.home.ended().await
    }

    /// Asks all of these: at once where one server has all keys.
    pub(super) async fn ask(&mut self, questions: &[Question]) -> Result<Vec<Told>, Fault> {
        if self.cluster.is_none() {
            match self.home.ask(questions).await {
                Err(Fault::Said(message)) if is_of_cluster(&message) => {
                    self.cluster = Some(Cluster::default());
                }
                answered => return answered,
            }
        }
        self.ask_nodes(questions).await
    }

    /// Asks each by itself, at the node that has its key.
    async fn ask_nodes(&mut self, questions: &[Question]) -> Result<Vec<Told>, Fault> {
        let Engine { address, window, home, cluster } = self;
        let Cluster { connections, slots } = cluster.get_or_insert_default();
        let mut answers = vec![None; questions.len()];
        for _ in 0..ROUNDS {
            let mut by_node: HashMap<Option<Node>, Vec<usize>> = HashMap::new();
            for (at, question) in
                questions.iter().enumerate().filter(|(at, _)| answers[*at].is_none())
            {
                by_node.entry(slots.get(&slot(*question)).cloned()).or_default().push(at);
            }
            if by_node.is_empty() {
                break;
            }
            // All are asked before the first is heard.
            for (node, asked) in &by_node {
                let each = asked.iter().map(|at| questions[*at]);
                match node {
                    None => home.send_each(each).await?,
                    Some(node) => {
                        if !connections.contains_key(node) {
                            let address = address.at(node)?;
                            let new = Connection::open(&address, *window).await?;
                            connections.insert(node.clone(), new);
                        }
                        if let Some(connection) = connections.get_mut(node) {
                            connection.send_each(each).await?;
                        }
                    }
                }
            }
            for (node, asked) in by_node {
                let connection = match &node {
                    None => &mut *home,
                    Some(node) => connections.get_mut(node).ok_or(Fault::Strange)?,
                };
                for at in asked {
                    match connection.hear().await {
                        Ok(told) => answers[at] = Some(told),
                        Err(Fault::Said(message)) if is_of_cluster(&message) => {
                            let here = node.as_ref().map_or(&*address.host, |(host, _)| host);
                            let there = moved(&message, here).ok_or(Fault::Said(message))?;
                            slots.insert(slot(questions[at]), there);
                        }
                        Err(fault) => return Err(fault),
                    }
                }
            }
        }
        let whole = answers.into_iter().collect::<Option<Vec<Told>>>();
        whole.ok_or_else(|| Fault::Said("the cluster sends questions round and round".into()))
    }
}

/// Whether an error is one that only the nodes of a cluster make.
fn is_of_cluster(message: &str) -> bool {
    ["CROSSSLOT", "MOVED "].iter().any(|start| message.starts_with(start))
}

/// The node that `MOVED 3999 127.0.0.1:6381` names. One without a host is at the same as the one that says so.
fn moved(message: &str, here: &str) -> Option<Node> {
    let (host, port) = message.strip_prefix("MOVED ")?.split(' ').nth(1)?.rsplit_once(':')?;
    let host = if host.is_empty() { here } else { host };
    Some((host.to_owned(), port.parse().ok()?))
}

/// The slot of a question's key: CRC-16 (XMODEM) of what is in its braces.
fn slot(question: Question) -> u16 {
    let mut crc = 0_u16;
    for byte in question.tag().bytes() {
        crc ^= u16::from(byte) << 8;
        for _ in 0..8 {
            crc = if crc & 0x8000 == 0 { crc << 1 } else { crc << 1 ^ 0x1021 };
        }
    }
    crc % SLOTS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_what_nodes_say() {
        let node = |message: &str| moved(message, "here");
        assert_eq!(node("MOVED 3999 127.0.0.1:6381"), Some(("127.0.0.1".into(), 6381)));
        assert_eq!(node("MOVED 3999 ::1:6381"), Some(("::1".into(), 6381)));
        assert_eq!(node("MOVED 3999 :6381"), Some(("here".into(), 6381)));
        for message in
            ["MOVED", "MOVED 1", "MOVED 1 a", "MOVED 1 a:b", "ASK 1 a:1", "CROSSSLOT a:1"]
        {
            assert_eq!(node(message), None, "{message}");
        }
    }

    #[test]
    fn knows_slots_as_the_cluster_does() {
        // By `CLUSTER KEYSLOT 'finserve:{ffffffffffffffff}'`.
        assert_eq!(slot(Question::probe()), 12341);
    }
}
