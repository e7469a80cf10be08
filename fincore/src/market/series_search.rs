//! Which series a search means: by the words of their names, titles and units, in both languages.
use super::{series::Series, series_definitions::SeriesDefinition};
use crate::{
    language::{forms, is_particle},
    types::{Words, fold, words},
};

/// What people call kinds of series, besides their titles: the beginnings of names, and the words.
const TOPICS: [(&[&str], &str); 5] = [
    (&["ipca", "inpc", "igp-", "ipc-", "incc-"], "inflação inflation"),
    (&["selic", "cdi", "tjlp", "tr", "savings"], "juros interest"),
    (&["usd-", "eur-", "jpy-", "gbp-"], "câmbio exchange rate moeda currency"),
    (&["igp-m"], "aluguel rent"),
    (&["gdp", "ibc-br"], "atividade activity PIB GDP"),
];

impl Series {
    /// Whether each word of a search is a word of this series or the beginning of one, in singular or plural. Case, accents and
    /// particles do not count.
    pub(super) fn is_meant_by(self, search: &Words) -> bool {
        let own = self.words();
        let is_own = |word: &str| {
            let forms = forms(word);
            own.iter().any(|own| forms.iter().any(|form| own.starts_with(form)))
        };
        let says_something = |word: &&str| !is_particle(word);
        // A search of particles alone is for them.
        let mut needed: Vec<&str> = search.all().filter(says_something).collect();
        if needed.is_empty() {
            needed = search.all().collect();
        }
        needed.into_iter().all(is_own)
    }

    /// The words by which it is found, folded.
    fn words(self) -> Vec<String> {
        let mut text = self.number.to_string();
        if let Some(SeriesDefinition { name, other_names, title, unit, .. }) = self.definition {
            let topics = TOPICS.iter().filter(|(names, _)| {
                names.iter().any(|start| match start.ends_with('-') {
                    true => name.starts_with(start),
                    false => name == start || name.starts_with(&format!("{start}-")),
                })
            });
            let topics = topics.map(|(_, words)| *words);
            let own = [name, title.en, title.pt, unit.en, unit.pt].into_iter();
            for more in own.chain(other_names.iter().copied()).chain(topics) {
                text = text + " " + more;
            }
            // `igpm` for `igp-m`.
            text = text + " " + &name.replace('-', "");
        }
        words(&fold(&text)).map(str::to_owned).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::market::series_definitions::DEFINITIONS;

    /// The names of the known series that a search means, in the order of the table.
    fn found(search: &str) -> Vec<&'static str> {
        let search: Words = search.parse().unwrap();
        let is_meant = |known: &&SeriesDefinition| Series::from(known.number).is_meant_by(&search);
        DEFINITIONS.iter().filter(is_meant).map(|known| known.name).collect()
    }

    #[test]
    fn every_word_is_a_word_of_the_series_or_begins_one() {
        for (search, names) in [
            ("13522", &["ipca-12-months"][..]),
            ("DESEMPREGO", &["unemployment"]),
            ("unemploy", &["unemployment"]),
            ("poupança", &["savings", "savings-monthly", "savings-until-2012"]),
            ("caderneta de poupanca", &["savings"]),
            ("igpm", &["igp-m", "igp-m-unrounded"]),
            ("aluguéis", &["igp-m", "igp-m-unrounded"]),
            ("reserva internacional", &["reserves"]),
            ("dólares reservas", &["reserves"]),
            ("dívida bruta", &["gross-government-debt"]),
            ("gross debt", &["gross-government-debt"]),
            ("juros veículos", &["credit-interest-vehicles"]),
            ("inadimplência das pessoas físicas", &["credit-default-households"]),
            ("euro venda", &["eur-sell"]),
            ("euro xyz", &[]),
            ("uro", &[]),
        ] {
            assert_eq!(found(search), names, "{search}");
        }
    }

    #[test]
    fn inflation_is_every_price_index_and_nothing_else() {
        let all = found("inflação");
        assert_eq!(found("INFLATION"), all);
        assert_eq!(found("infla"), all);
        for name in
            ["ipca", "inpc", "igp-m", "igp-di", "ipca-15", "ipca-services", "ipc-fipe", "incc-di"]
        {
            assert!(all.contains(&name), "{name}: {all:?}");
        }
        for name in ["selic", "usd-sell", "gdp", "real-exchange-rate", "minimum-wage"] {
            assert!(!all.contains(&name), "{name}");
        }
        assert!(found("juros").contains(&"selic") && found("interest").contains(&"cdi"));
        assert!(
            found("câmbio").contains(&"usd-sell")
                && found("câmbio").contains(&"real-exchange-rate")
        );
    }

    #[test]
    fn a_series_without_a_definition_is_found_by_its_number() {
        let search: Words = "9876".parse().unwrap();
        assert!(Series::from(987_654).is_meant_by(&search));
        assert!(!Series::from(98_765_433).is_meant_by(&"ipca".parse().unwrap()));
    }
}
