//! Reads all steps of a calculation, which the API gives a page at a time.
use indexmap::IndexMap;
use serde_json::value::RawValue;

/// The members of an answer, each with the digits it came with.
type Members = IndexMap<String, Box<RawValue>>;

/// A calculation, with the steps of the pages read so far.
pub(super) struct Calculation(Members);

impl Calculation {
    pub(super) fn read(json: &str) -> serde_json::Result<Calculation> {
        serde_json::from_str(json).map(Calculation)
    }

    /// The length of its longest list of steps.
    pub(super) fn steps(&self) -> serde_json::Result<u64> {
        count(&self.0)
    }

    /// Adds the steps of the next page.
    pub(super) fn append(&mut self, next: Calculation) -> serde_json::Result<()> {
        append(&mut self.0, next.0)
    }

    pub(super) fn json(&self) -> serde_json::Result<String> {
        serde_json::to_string(&self.0)
    }
}

fn count(members: &Members) -> serde_json::Result<u64> {
    let mut longest = 0;
    for (name, value) in members {
        longest = longest.max(match Member::of(name, value) {
            Member::Steps => list(value)?.len() as u64,
            Member::Series => count(&serde_json::from_str(value.get())?)?,
            Member::Next | Member::Other => 0,
        });
    }
    Ok(longest)
}

fn append(members: &mut Members, next: Members) -> serde_json::Result<()> {
    for (name, value) in next {
        let Some(known) = members.get_mut(&name) else { continue };
        match Member::of(&name, &value) {
            Member::Steps => {
                let steps: Vec<_> = [list(known)?, list(&value)?].concat();
                *known = serde_json::value::to_raw_value(&steps)?;
            }
            Member::Series => {
                let mut series: Members = serde_json::from_str(known.get())?;
                append(&mut series, serde_json::from_str(value.get())?)?;
                *known = serde_json::value::to_raw_value(&series)?;
            }
            Member::Next => *known = value,
            Member::Other => {}
        }
    }
    Ok(())
}

/// The treatment of a calculation's member by its steps.
enum Member {
    Steps,
    /// One of two series, with steps of its own.
    Series,
    /// Where the steps after these are.
    Next,
    Other,
}

impl Member {
    fn of(name: &str, value: &RawValue) -> Member {
        match name {
            "steps" => Member::Steps,
            "interest" | "inflation" if value.get().starts_with('{') => Member::Series,
            "next" => Member::Next,
            _ => Member::Other,
        }
    }
}

fn list(value: &RawValue) -> serde_json::Result<Vec<Box<RawValue>>> {
    serde_json::from_str(value.get())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_of_later_pages_are_added_to_their_lists() {
        let page = |interest: &str, inflation: &str| {
            let json = format!(
                r#"{{"real":1.50,"interest":{{"factor":1.10,"steps":[{interest}]}},"inflation":{{"steps":[{inflation}]}}}}"#
            );
            Calculation::read(&json).unwrap()
        };
        let mut whole = page("1.0,2.00", "7");
        whole.append(page("3", "")).unwrap();
        assert_eq!(whole.steps().unwrap(), 3);
        assert_eq!(whole.json().unwrap(), page("1.0,2.00,3", "7").json().unwrap());
        let mut alone = Calculation::read(r#"{"steps":[1],"amount":10}"#).unwrap();
        alone.append(Calculation::read(r#"{"steps":[2.50],"amount":10}"#).unwrap()).unwrap();
        assert_eq!(alone.json().unwrap(), r#"{"steps":[1,2.50],"amount":10}"#);
        let mut first = Calculation::read(r#"{"steps":[1],"next":"/a?offset=1"}"#).unwrap();
        first.append(Calculation::read(r#"{"steps":[2],"next":null}"#).unwrap()).unwrap();
        assert_eq!(first.json().unwrap(), r#"{"steps":[1,2],"next":null}"#);
    }
}
