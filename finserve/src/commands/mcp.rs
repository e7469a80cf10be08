//! `finserve mcp`: agents over the standard input and output, a message a line.
use std::io::{self, BufRead, Read, Write};

use super::{Failure, data_directory::ReadOnlyData, get::origin};
use crate::{
    api_client::Origin,
    cli,
    mcp::{LONGEST, Reaction, react, too_long},
    observe::log::catch,
};

/// Answers until the input ends. Nothing but messages is written to the output.
pub(crate) fn run(data: ReadOnlyData<'_>, args: &cli::Mcp) -> Result<(), Failure> {
    let (origin, _temporary) = origin(data, &args.remote)?;
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    match converse(&origin, &mut input, &mut output) {
        // An agent that has gone needs no answer.
        Err(err) if err.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::system("the connection to the client broke")(err))
        }
        _ => Ok(()),
    }
}

/// Answers one message after the other.
fn converse(origin: &Origin, input: &mut impl BufRead, output: &mut impl Write) -> io::Result<()> {
    let mut line = Vec::new();
    while read(input, &mut line)? {
        let reply = if line.len() > LONGEST {
            Some(too_long())
        } else if line.trim_ascii().is_empty() {
            None
        } else {
            reply(origin, &line)
        };
        if let Some(reply) = reply {
            output.write_all(format!("{reply}\n").as_bytes())?;
            output.flush()?;
        }
    }
    Ok(())
}

fn reply(origin: &Origin, message: &[u8]) -> Option<String> {
    match react(message, None) {
        Reaction::Silence => None,
        Reaction::Reply(reply) => Some(reply.text),
        Reaction::Call(call) => Some(match catch(|| origin.ask(call.path(), &call.query())) {
            Ok(Ok(body)) => call.answer_message(&body),
            Ok(Err(failure)) => match &failure.error {
                Some(error) => call.refusal_message(error, origin.address()),
                None => call.failure_message(&failure.message),
            },
            Err(panic) => {
                tracing::error!("{panic}");
                call.failure_message("something went wrong here; standard error says what")
            }
        }),
    }
}

/// Reads a line, or the beginning of one that is too long and skips its rest. Returns false at the end of the input.
fn read(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    let most = LONGEST as u64 + 1;
    let length = input.by_ref().take(most).read_until(b'\n', line)?;
    if line.ends_with(b"\n") {
        line.pop();
    } else if length as u64 == most {
        skip_line(input)?;
    }
    Ok(length > 0)
}

/// Reads up to the end of the line, in constant memory.
fn skip_line(input: &mut impl BufRead) -> io::Result<()> {
    loop {
        let part = input.fill_buf()?;
        let end = part.iter().position(|byte| *byte == b'\n');
        let (read, last) = end.map_or((part.len(), part.is_empty()), |end| (end + 1, true));
        input.consume(read);
        if last {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_too_long_is_read_to_its_end() {
        let long = "x".repeat(3 * LONGEST);
        let text = format!("a\n{long}\nb\n\n{}\nc", "y".repeat(LONGEST));
        let (mut input, mut line, mut lengths) = (text.as_bytes(), Vec::new(), Vec::new());
        while read(&mut input, &mut line).unwrap() {
            lengths.push(line.len());
        }
        assert_eq!(lengths, [1, LONGEST + 1, 1, 0, LONGEST, 1]);
    }
}
