//! As much of the protocol of Redis (RESP 2) as limits need.

/// A reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Reply {
    Text(String),
    Error(String),
    Number(i64),
    Nothing,
    List(Vec<Reply>),
}

/// The error for bytes that are no reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Broken;

/// The longest text and the longest list. Answers are shorter; this bounds what a stranger can make us hold.
const MOST: usize = 64 * 1024;

/// How deep lists may be in lists.
const DEEPEST: usize = 3;

/// Begins a command of so many parts.
pub(super) fn list(out: &mut Vec<u8>, count: usize) {
    prefixed(out, b'*', count);
}

/// Writes one part of a command.
pub(super) fn bulk(out: &mut Vec<u8>, part: &[u8]) {
    prefixed(out, b'$', part.len());
    out.extend_from_slice(part);
    out.extend_from_slice(b"\r\n");
}

/// Writes a whole command.
pub(super) fn command(out: &mut Vec<u8>, parts: &[&str]) {
    list(out, parts.len());
    for part in parts {
        bulk(out, part.as_bytes());
    }
}

fn prefixed(out: &mut Vec<u8>, kind: u8, number: usize) {
    out.push(kind);
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
    out.extend_from_slice(b"\r\n");
}

/// The first reply in these bytes and its length; nothing if it is not complete yet.
pub(super) fn parse(bytes: &[u8]) -> Result<Option<(Reply, usize)>, Broken> {
    let mut rest = Rest { bytes, at: 0 };
    Ok(rest.reply(0)?.map(|reply| (reply, rest.at)))
}

struct Rest<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl Rest<'_> {
    fn reply(&mut self, depth: usize) -> Result<Option<Reply>, Broken> {
        let Some(line) = self.line()? else { return Ok(None) };
        let (kind, rest) = line.split_first().ok_or(Broken)?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let reply = match kind {
            b'+' => Reply::Text(text(rest)),
            b'-' => Reply::Error(text(rest)),
            b':' => Reply::Number(number(rest)?),
            b'$' | b'*' if rest == b"-1" => Reply::Nothing,
            b'$' => {
                let length = length(rest)?;
                let Some(bytes) = self.bytes.get(self.at..self.at + length + 2) else {
                    return Ok(None);
                };
                self.at += length + 2;
                Reply::Text(text(bytes.strip_suffix(b"\r\n").ok_or(Broken)?))
            }
            b'*' if depth < DEEPEST => {
                let count = length(rest)?;
                // Each takes at least four bytes, so that a length alone reserves no memory.
                let mut all = Vec::with_capacity(count.min((self.bytes.len() - self.at) / 4));
                for _ in 0..count {
                    let Some(reply) = self.reply(depth + 1)? else { return Ok(None) };
                    all.push(reply);
                }
                Reply::List(all)
            }
            _ => return Err(Broken),
        };
        Ok(Some(reply))
    }

    /// The next line, without its end.
    fn line(&mut self) -> Result<Option<&[u8]>, Broken> {
        let rest = &self.bytes[self.at..];
        match rest.iter().position(|byte| *byte == b'\n') {
            Some(end) => {
                self.at += end + 1;
                rest[..end].strip_suffix(b"\r").map(Some).ok_or(Broken)
            }
            None if rest.len() > MOST => Err(Broken),
            None => Ok(None),
        }
    }
}

fn number(digits: &[u8]) -> Result<i64, Broken> {
    str::from_utf8(digits).ok().and_then(|text| text.parse().ok()).ok_or(Broken)
}

fn length(digits: &[u8]) -> Result<usize, Broken> {
    usize::try_from(number(digits)?).ok().filter(|length| *length <= MOST).ok_or(Broken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_replies_only_once_they_are_complete() {
        let whole = b"*4\r\n:1\r\n$5\r\nab\r\nc\r\n*2\r\n:-7\r\n$-1\r\n-ERR no\r\n+OK\r\n";
        let list = Reply::List(vec![
            Reply::Number(1),
            Reply::Text("ab\r\nc".into()),
            Reply::List(vec![Reply::Number(-7), Reply::Nothing]),
            Reply::Error("ERR no".into()),
        ]);
        let length = whole.len() - "+OK\r\n".len();
        for cut in 0..length {
            assert_eq!(parse(&whole[..cut]), Ok(None), "{cut}");
        }
        assert_eq!(parse(whole), Ok(Some((list, length))));
        assert_eq!(parse(&whole[length..]), Ok(Some((Reply::Text("OK".into()), 5))));
    }

    #[test]
    fn refuses_what_is_no_reply() {
        for bytes in [
            &b"HTTP/1.1 400 Bad Request\r\n"[..],
            b"\r\n",
            b"+OK\n",
            b":one\r\n",
            b"$-2\r\n",
            b"$3\r\nabcde",
            b"$99999999\r\n",
            b"*99999999\r\n",
            b"*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n",
        ] {
            assert_eq!(parse(bytes), Err(Broken), "{bytes:?}");
        }
        assert_eq!(parse(&vec![b'+'; MOST + 2]), Err(Broken));
    }

    #[test]
    fn writes_commands_as_lists_of_texts() {
        let mut out = Vec::new();
        command(&mut out, &["AUTH", "a b\r\n"]);
        assert_eq!(out, b"*2\r\n$4\r\nAUTH\r\n$5\r\na b\r\n\r\n");
    }
}
