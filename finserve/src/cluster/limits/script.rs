//! What the script is asked, and what it answers.
use std::{fmt::Write, time::Duration};

use fincore::{Caller, limits::Standing};

use super::resp::{Reply, bulk, list};

/// What the engine runs, for any number of callers at once.
pub(super) const SCRIPT: &str = include_str!("limits.lua");

/// Numbers in an answer to one question.
const NUMBERS: usize = 4;

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

    /// About nobody: no address or key has this number. Shows that the engine runs the script, and can write.
    pub(super) fn probe() -> Question {
        Question { caller: u64::MAX, limit: 1000 }
    }

    /// What tells callers apart, and decides where a cluster keeps a key.
    pub(super) fn tag(self) -> String {
        format!("{:016x}", self.caller)
    }

    /// The key of the caller's list.
    fn key(self, text: &mut String) {
        text.clear();
        // Writing to a string cannot fail.
        let _ = write!(text, "finserve:{{{:016x}}}", self.caller);
    }
}

/// What the script answers to a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Told {
    pub(super) admitted: bool,
    pub(super) used: u32,
    pub(super) free_after: Duration,
    /// Until another request is admitted; none if one is now.
    pub(super) wait: Duration,
}

impl Told {
    pub(super) fn standing(&self, limit: u32) -> Standing {
        Standing::new(limit, self.used, self.free_after, self.wait)
    }
}

/// Writes a call of the script, whose hash this is, with these questions.
pub(super) fn call(out: &mut Vec<u8>, sha: &str, window: Duration, questions: &[Question]) {
    let mut text = String::with_capacity(32);
    list(out, 4 + 2 * questions.len());
    bulk(out, b"EVALSHA");
    bulk(out, sha.as_bytes());
    bulk(out, itoa::Buffer::new().format(questions.len()).as_bytes());
    for question in questions {
        question.key(&mut text);
        bulk(out, text.as_bytes());
    }
    bulk(out, itoa::Buffer::new().format(window.as_micros()).as_bytes());
    for question in questions {
        bulk(out, itoa::Buffer::new().format(question.limit).as_bytes());
    }
}

/// The answers to so many questions; nothing if it is something else.
pub(super) fn answers(reply: &Reply, count: usize) -> Option<Vec<Told>> {
    let Reply::List(numbers) = reply else { return None };
    if numbers.len() != count * NUMBERS {
        return None;
    }
    numbers.chunks_exact(NUMBERS).map(told).collect()
}

fn told(numbers: &[Reply]) -> Option<Told> {
    let number = |at: usize| match numbers.get(at)? {
        Reply::Number(number) => u64::try_from(*number).ok(),
        Reply::Text(_) | Reply::Error(_) | Reply::Nothing | Reply::List(_) => None,
    };
    Some(Told {
        admitted: number(0)? == 1,
        used: u32::try_from(number(1)?).ok()?,
        free_after: Duration::from_micros(number(2)?),
        wait: Duration::from_micros(number(3)?),
    })
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    #[test]
    fn a_call_names_callers_and_limits_in_order() {
        let caller = Caller::at(Ipv4Addr::LOCALHOST.into());
        let mut out = Vec::new();
        let questions = [Question::admit(&caller), Question::peek(&caller)];
        call(&mut out, "5ha", Duration::from_secs(60), &questions);
        let wanted = "*8\r\n$7\r\nEVALSHA\r\n$3\r\n5ha\r\n$1\r\n2\r\n\
            $27\r\nfinserve:{fffe00007f000001}\r\n$27\r\nfinserve:{fffe00007f000001}\r\n\
            $8\r\n60000000\r\n$2\r\n30\r\n$3\r\n-30\r\n";
        assert_eq!(String::from_utf8(out).unwrap(), wanted);
    }

    #[test]
    fn only_whole_answers_count() {
        let list =
            |numbers: &[i64]| Reply::List(numbers.iter().copied().map(Reply::Number).collect());
        let answer = answers(&list(&[1, 3, 60_000_000, 0, 0, 30, 59, 1]), 2).unwrap();
        assert!(answer[0].admitted && !answer[1].admitted);
        let (first, second) = (answer[0].standing(30), answer[1].standing(30));
        assert_eq!((first.remaining, first.free_after.as_secs(), first.retry_after), (27, 60, 0));
        assert_eq!((second.remaining, second.retry_after), (0, 1));
        assert_eq!(answers(&list(&[1, 3, 60_000_000, 0]), 2), None);
        assert_eq!(answers(&list(&[1, -3, 60_000_000, 0]), 1), None);
        assert_eq!(answers(&Reply::Nothing, 1), None);
    }
}
