//! Words that people use for others in names of companies: English ones (`bank of brazil`, `azul brazilian airlines`), and
//! spelled-out ones for abbreviations of the registry.

/// A word of a search, and words of names that it may stand for.
#[rustfmt::skip]
const WORDS: &[(&str, &[&str])] = &[
    ("cia", &["companhia"]), ("companhia", &["cia"]), ("bco", &["banco"]),
    ("agriculture", &["agricola", "agro"]), ("airline", &["linhas", "aereas"]), ("airlines", &["aereas", "linhas"]),
    ("airport", &["aeroporto"]), ("airports", &["aeroportos"]), ("alliance", &["alianca"]), ("aluminium", &["aluminio"]),
    ("aluminum", &["aluminio"]), ("amazon", &["amazonia"]), ("america", &["america"]), ("and", &[]), ("bank", &["banco"]),
    ("beverages", &["bebidas"]), ("brazil", &["brasil"]), ("brazilian", &["brasileira", "brasileiro", "brasil"]),
    ("car", &["automovel"]), ("cement", &["cimentos", "cimento"]), ("chemical", &["quimica"]), ("clothing", &["confeccoes"]),
    ("communications", &["comunicacoes"]), ("company", &["companhia", "cia"]), ("construction", &["construtora"]),
    ("development", &["desenvolvimento"]), ("distribution", &["distribuicao"]), ("education", &["educacao", "educacional"]),
    ("electric", &["eletrica", "eletricas"]), ("electricity", &["eletricidade"]), ("energy", &["energia", "energetica"]),
    ("equipment", &["equipamentos"]), ("exchange", &["bolsa"]), ("financial", &["financeira"]), ("foods", &["alimentos"]),
    ("food", &["alimentos"]), ("generation", &["geracao"]), ("group", &["grupo"]), ("health", &["saude"]),
    ("hotels", &["hoteis"]), ("industries", &["industria", "industrias"]), ("insurance", &["seguros", "seguridade", "seguro"]),
    ("investments", &["investimentos"]), ("iron", &["ferro"]), ("laboratories", &["laboratorios"]), ("logistics", &["logistica"]),
    ("malls", &["shopping", "malls"]), ("mines", &["minas"]), ("mining", &["mineracao"]), ("national", &["nacional"]),
    ("north", &["norte"]), ("northeast", &["nordeste"]), ("of", &[]), ("oil", &["petroleo"]), ("paper", &["papel"]),
    ("petroleum", &["petroleo"]), ("power", &["energia"]), ("properties", &["propriedades"]), ("pulp", &["celulose"]),
    ("railway", &["ferrovia"]), ("reinsurance", &["resseguros"]), ("sanitation", &["saneamento"]), ("services", &["servicos"]),
    ("south", &["sul"]), ("southeast", &["sudeste"]), ("state", &["estado"]), ("stock", &[]), ("steel", &["siderurgica", "aco"]),
    ("stores", &["lojas"]), ("the", &[]), ("water", &["aguas", "agua", "saneamento"]),
];

/// The words that a word may stand for; none if it says nothing. `None` if it is not in the table.
pub(super) fn portuguese(word: &str) -> Option<&'static [&'static str]> {
    WORDS.iter().find(|(english, _)| *english == word).map(|(_, words)| *words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::fold;

    #[test]
    fn words_are_folded_and_stand_once() {
        let mut seen = std::collections::BTreeSet::new();
        for (english, words) in WORDS {
            assert!(seen.insert(english), "{english}");
            assert!(words.iter().chain([english]).all(|word| fold(word) == *word), "{english}");
        }
    }
}
