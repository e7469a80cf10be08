//! JSON in lines, for readers.

/// Writes each member and element on its own line. Empty ones stay in their line.
pub(super) fn indented(json: &str) -> String {
    let (mut text, mut depth, mut in_string, mut is_escaped) = (String::new(), 0, false, false);
    let mut rest = json.chars().peekable();
    while let Some(c) = rest.next() {
        if in_string {
            text.push(c);
            in_string = is_escaped || c != '"';
            is_escaped = c == '\\' && !is_escaped;
            continue;
        }
        match c {
            '{' | '[' => {
                text.push(c);
                match rest.next_if(|next| matches!(next, '}' | ']')) {
                    Some(end) => text.push(end),
                    None => {
                        depth += 1;
                        break_line(&mut text, depth);
                    }
                }
            }
            '}' | ']' => {
                depth -= 1;
                break_line(&mut text, depth);
                text.push(c);
            }
            ',' => {
                text.push(c);
                break_line(&mut text, depth);
            }
            ':' => text.push_str(": "),
            '"' => {
                in_string = true;
                text.push(c);
            }
            c => text.push(c),
        }
    }
    text
}

fn break_line(text: &mut String, depth: usize) {
    text.push('\n');
    text.push_str(&"  ".repeat(depth));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn breaks_lines_between_members_and_not_in_texts() {
        let json = r#"{"a":[1,{"b":"x, {\"y\":1}"}],"c":[],"d":{}}"#;
        let wanted = r#"{
  "a": [
    1,
    {
      "b": "x, {\"y\":1}"
    }
  ],
  "c": [],
  "d": {}
}"#;
        assert_eq!(indented(json), wanted);
    }
}
