//! Arguments of the script, and its answers.
use std::{fmt::Write, time::Duration};

use fincore::{Caller, limits::Standing};
use redis::{Cmd, RedisResult, aio::ConnectionLike};

/// Runs in the engine, for any number of callers at once.
const SCRIPT: &str = include_str!("limits.lua");

/// Bytes in an answer to one question: four numbers, of four bytes each.
const ANSWER: usize = 16;

/// A question about one caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Question {
    caller: u64,
    /// Below zero where nothing is to be counted.
    limit: i64,
}

impl Question {
    /// Whether one more request is within the limit; it is counted if so.
    pub(super) fn admit(caller: &Caller) -> Question {
        Question { caller: caller.id.number(), limit: caller.plan.limit().into() }
    }

    /// How the caller stands.
    pub(super) fn peek(caller: &Caller) -> Question {
        Question { caller: caller.id.number(), limit: -i64::from(caller.plan.limit()) }
    }

    /// About no caller: no address or key has this number. Shows that the engine runs the script, and can write.
    pub(super) fn probe() -> Question {
        Question { caller: u64::MAX, limit: 1000 }
    }

    /// Two of those, which a cluster refuses in one call: it keeps them in different slots.
    pub(super) fn probe_for_cluster() -> [Question; 2] {
        [Question::probe(), Question { caller: u64::MAX - 1, limit: 1000 }]
    }

    /// Writes the key of the caller's list. A cluster keeps it where the text in braces belongs.
    fn write_key(self, text: &mut String) {
        text.clear();
        // Writing to a string cannot fail.
        let _ = write!(text, "finserve:{{{:016x}}}", self.caller);
    }
}

/// The answer of the script to one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) admitted: bool,
    pub(super) used: u32,
    pub(super) free_after: Duration,
    /// Until another request is admitted; none if one is now.
    pub(super) wait: Duration,
}

impl Answer {
    pub(super) fn standing(&self, limit: u32) -> Standing {
        Standing::new(limit, self.used, self.free_after, self.wait)
    }
}

/// Loads the script into the engine. Returns its hash, by which it is called.
pub(super) async fn load(engine: &mut impl ConnectionLike) -> RedisResult<String> {
    redis::cmd("SCRIPT").arg("LOAD").arg(SCRIPT).query_async(engine).await
}

/// A call of the script, whose hash this is, with these questions.
pub(super) fn call(hash: &str, window: Duration, questions: &[Question]) -> Cmd {
    // Of a key, and of a limit.
    const BYTES: usize = 32;
    let mut call = Cmd::with_capacity(4 + 2 * questions.len(), 64 + BYTES * questions.len());
    call.arg("EVALSHA").arg(hash).arg(questions.len());
    let mut key = String::with_capacity(BYTES);
    for question in questions {
        question.write_key(&mut key);
        call.arg(&*key);
    }
    call.arg(u64::try_from(window.as_micros()).unwrap_or(u64::MAX));
    for question in questions {
        call.arg(question.limit);
    }
    call
}

/// The answers to so many questions; nothing if it is something else.
pub(super) fn parse_answers(bytes: &[u8], count: usize) -> Option<Vec<Answer>> {
    let (answers, rest) = bytes.as_chunks::<ANSWER>();
    if answers.len() != count || !rest.is_empty() {
        return None;
    }
    Some(answers.iter().map(parse_answer).collect())
}

fn parse_answer(bytes: &[u8; ANSWER]) -> Answer {
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = *bytes;
    let micros = |bytes| Duration::from_micros(u32::from_le_bytes(bytes).into());
    Answer {
        admitted: [a, b, c, d] == [1, 0, 0, 0],
        used: u32::from_le_bytes([e, f, g, h]),
        free_after: micros([i, j, k, l]),
        wait: micros([m, n, o, p]),
    }
}

/// The bytes that the script would answer.
#[cfg(test)]
pub(super) fn answer_bytes(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    #[test]
    fn a_call_names_callers_and_limits_in_order() {
        let caller = Caller::at(Ipv4Addr::LOCALHOST.into());
        let questions = [Question::admit(&caller), Question::peek(&caller)];
        let call = call("5ha", Duration::from_secs(60), &questions).get_packed_command();
        let wanted = "*8\r\n$7\r\nEVALSHA\r\n$3\r\n5ha\r\n$1\r\n2\r\n\
            $27\r\nfinserve:{fffe00007f000001}\r\n$27\r\nfinserve:{fffe00007f000001}\r\n\
            $8\r\n60000000\r\n$2\r\n30\r\n$3\r\n-30\r\n";
        assert_eq!(String::from_utf8(call).unwrap(), wanted);
    }

    #[test]
    fn only_whole_answers_count() {
        let bytes = answer_bytes(&[1, 3, 60_000_000, 0, 0, 30, 59, 1]);
        let answer = parse_answers(&bytes, 2).unwrap();
        assert!(answer[0].admitted && !answer[1].admitted);
        let (first, second) = (answer[0].standing(30), answer[1].standing(30));
        assert_eq!((first.remaining, first.free_after.as_secs(), first.retry_after), (27, 60, 0));
        assert_eq!((second.remaining, second.retry_after), (0, 1));
        assert_eq!(parse_answers(&bytes, 1), None);
        assert_eq!(parse_answers(&bytes[..31], 2), None);
        assert_eq!(parse_answers(&bytes[..31], 1), None);
        assert_eq!(parse_answers(&[], 1), None);
    }
}
