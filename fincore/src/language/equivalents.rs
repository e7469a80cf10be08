//! Expressions of the market that mean the same. Every line was checked against the filings of 2024 and 2025, and has its
//! reason; when a line is added or changed, search indexes are rebuilt.
use std::{
    collections::HashMap,
    sync::{Arc, LazyLock},
};

use super::plural::forms;

/// Words and expressions that mean the same. Texts are folded, and stand for singular and plural.
struct Equivalent {
    /// The word that stands for all of them: documents with any of the others are found by it.
    word: &'static str,
    /// The others. A query for one of them also finds what the word finds.
    same: &'static [&'static str],
    /// Expressions in documents that the word finds. A query for one of them finds only itself.
    narrower: &'static [&'static str],
    /// Why.
    #[allow(dead_code, reason = "for the reader, and for the test that nothing lacks it")]
    reason: &'static str,
}

const EQUIVALENTS: &[Equivalent] = &[
    Equivalent {
        word: "ago",
        same: &["assembleia geral ordinaria", "assembleia ordinaria"],
        narrower: &["agoe"],
        reason: "CVM's type is AGO, subjects spell it out",
    },
    Equivalent {
        word: "age",
        same: &["assembleia geral extraordinaria", "assembleia extraordinaria"],
        narrower: &["geral ordinaria e extraordinaria", "ago e", "agoe"],
        reason: "CVM's type is AGE, subjects spell it out; AGO/E is both meetings at once",
    },
    Equivalent {
        word: "agoe",
        same: &["ago e", "assembleia geral ordinaria e extraordinaria"],
        narrower: &[],
        reason: "CVM's type is AGO/E, companies write AGOE",
    },
    Equivalent {
        word: "agdeb",
        same: &["agd", "assembleia geral de debenturistas", "assembleia de debenturistas"],
        narrower: &[],
        reason: "CVM's type is AGDEB, the market says AGD",
    },
    Equivalent {
        word: "agesp",
        same: &["assembleia especial", "assembleia geral especial"],
        narrower: &[],
        reason: "CVM's type is AGESP, for the holders of one class of shares",
    },
    Equivalent {
        word: "assembleia",
        same: &["assembleia geral"],
        narrower: &[],
        reason: "CVM's category is Assembleia, and every one of them is a general meeting",
    },
    Equivalent {
        word: "naoconsideradosfatosrelevantes",
        same: &["nao considerados fatos relevantes"],
        narrower: &[],
        reason: "the end of CVM's most common type; its single words do not find it, see the index",
    },
    Equivalent {
        word: "rca",
        same: &[
            "reuniao do conselho de administracao",
            "reuniao de conselho de administracao",
            "reuniao conselho de administracao",
        ],
        narrower: &["reuniao da administracao conselho de administracao"],
        reason: "minutes of the board: CVM classifies them in words, companies write RCA",
    },
    Equivalent {
        word: "jcp",
        same: &[
            "jscp",
            "juros sobre capital proprio",
            "juros sobre o capital proprio",
            "juros sobre capital",
            "juros sobre o capital",
            "juros s capital proprio",
        ],
        narrower: &[],
        reason: "both abbreviations and both wordings occur, the article is optional",
    },
    Equivalent {
        word: "opa",
        same: &["oferta publica de aquisicao", "oferta publica de aquisicao de acoes"],
        narrower: &["oferta publica para aquisicao"],
        reason: "CVM's category is OPA, subjects spell it out",
    },
    Equivalent {
        word: "ipo",
        same: &["oferta publica inicial", "oferta inicial de acoes"],
        narrower: &["oferta publica inicial de acoes"],
        reason: "the English abbreviation is the usual one in the press",
    },
    Equivalent {
        word: "dfp",
        same: &["demonstracao financeira padronizada"],
        narrower: &[],
        reason: "CVM's name of the yearly form",
    },
    Equivalent {
        word: "itr",
        same: &["informacao trimestral", "formulario de informacao trimestral"],
        narrower: &[],
        reason: "CVM's name of the quarterly form",
    },
    Equivalent {
        word: "fre",
        same: &["formulario de referencia"],
        narrower: &[],
        reason: "CVM's name of the reference form",
    },
    Equivalent {
        word: "fca",
        same: &["formulario cadastral"],
        narrower: &[],
        reason: "CVM's name of the registration form",
    },
    Equivalent {
        word: "cri",
        same: &["certificado de recebivel imobiliario"],
        narrower: &[],
        reason: "securitizers write both",
    },
    Equivalent {
        word: "cra",
        same: &["certificado de recebivel do agronegocio"],
        narrower: &[],
        reason: "securitizers write both",
    },
    Equivalent {
        word: "guidance",
        same: &["projecao"],
        narrower: &[],
        reason: "companies publish projections under either word",
    },
    Equivalent {
        word: "resultado",
        same: &[],
        narrower: &["press release", "earnings release"],
        reason: "a search for results means the release, whose class does not say so",
    },
    Equivalent {
        word: "release",
        same: &["press release", "earnings release"],
        narrower: &[],
        reason: "CVM's type is press-release, companies write release",
    },
    Equivalent {
        word: "privatizacao",
        same: &["desestatizacao"],
        narrower: &[],
        reason: "the law says desestatização, everybody else privatização",
    },
    Equivalent {
        word: "fusao",
        same: &["combinacao de negocios"],
        narrower: &["combinacao dos negocios", "business combination"],
        reason: "what the press calls a merger is filed as a combination of businesses",
    },
    Equivalent {
        word: "recompra",
        same: &["buyback", "share buyback"],
        narrower: &[
            "aquisicao de acoes de propria emissao",
            "aquisicao de acoes de emissao da propria companhia",
        ],
        reason: "programmes to buy back shares have a legal name that is never typed",
    },
    Equivalent {
        word: "bvd",
        same: &["boletim de voto a distancia", "boletim de voto"],
        narrower: &[],
        reason: "the abbreviation of the remote voting form",
    },
    Equivalent {
        word: "balanco",
        same: &[],
        narrower: &["demonstracao financeira"],
        reason: "the everyday word for financial statements",
    },
    Equivalent { word: "janeiro", same: &[], narrower: &["jan"], reason: MONTH },
    Equivalent { word: "fevereiro", same: &[], narrower: &["fev"], reason: MONTH },
    Equivalent { word: "marco", same: &[], narrower: &["mar"], reason: MONTH },
    Equivalent { word: "abril", same: &[], narrower: &["abr"], reason: MONTH },
    Equivalent { word: "maio", same: &[], narrower: &["mai"], reason: MONTH },
    Equivalent { word: "junho", same: &[], narrower: &["jun"], reason: MONTH },
    Equivalent { word: "julho", same: &[], narrower: &["jul"], reason: MONTH },
    Equivalent { word: "setembro", same: &[], narrower: &["set"], reason: MONTH },
    Equivalent { word: "outubro", same: &[], narrower: &["out"], reason: MONTH },
    Equivalent { word: "novembro", same: &[], narrower: &["nov"], reason: MONTH },
    Equivalent { word: "dezembro", same: &[], narrower: &["dez"], reason: MONTH },
];

/// August is missing: its abbreviation is that of the yearly meeting.
const MONTH: &str = "reports of a month abbreviate it";

/// An expression, each of its words in all forms, and the word that stands for it.
struct Expression {
    words: Vec<Vec<String>>,
    word: &'static str,
}

impl Expression {
    fn new(text: &str, word: &'static str) -> Expression {
        Expression { words: text.split(' ').map(forms).collect(), word }
    }

    fn starts(&self, words: &[&str]) -> bool {
        let is_one = |(forms, word): (&Vec<String>, &&str)| forms.iter().any(|form| form == word);
        self.words.len() <= words.len() && self.words.iter().zip(words).all(is_one)
    }
}

/// Expressions by the forms of their first word.
struct ByFirstWord(HashMap<String, Vec<Arc<Expression>>>);

impl ByFirstWord {
    fn new(expressions: impl Fn(&'static Equivalent) -> Vec<&'static str>) -> ByFirstWord {
        let mut all: HashMap<String, Vec<Arc<Expression>>> = HashMap::new();
        for line in EQUIVALENTS {
            for text in expressions(line) {
                let expression = Arc::new(Expression::new(text, line.word));
                for first in &expression.words[0] {
                    all.entry(first.clone()).or_default().push(expression.clone());
                }
            }
        }
        ByFirstWord(all)
    }

    /// The expressions that these words begin with.
    fn starting<'e>(&'e self, words: &'e [&str]) -> impl Iterator<Item = &'e Expression> {
        let known = words.first().and_then(|first| self.0.get(*first)).into_iter().flatten();
        known.map(AsRef::as_ref).filter(|expression| expression.starts(words))
    }
}

/// Every word with the expressions by which it finds documents.
pub(crate) fn lines() -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    EQUIVALENTS.iter().map(|line| (line.word, [line.same, line.narrower].concat()))
}

/// The words of all expressions that these words begin with.
pub(super) fn words_for<'w>(words: &'w [&str]) -> impl Iterator<Item = &'static str> + 'w {
    static ALL: LazyLock<ByFirstWord> =
        LazyLock::new(|| ByFirstWord::new(|line| [line.same, line.narrower].concat()));
    ALL.starting(words).map(|expression| expression.word)
}

/// The longest expression that these words begin with and that means the same as a word: its length, and the word.
pub(super) fn longest_synonym(words: &[&str]) -> Option<(usize, String)> {
    static SAME: LazyLock<ByFirstWord> =
        LazyLock::new(|| ByFirstWord::new(|line| line.same.to_vec()));
    let longest = SAME.starting(words).max_by_key(|expression| expression.words.len())?;
    Some((longest.words.len(), longest.word.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::fold;

    #[test]
    fn every_line_is_folded_and_has_a_reason() {
        for line in EQUIVALENTS {
            assert!(!line.reason.is_empty(), "{}", line.word);
            for text in [&[line.word], line.same, line.narrower].concat() {
                assert_eq!(fold(text), text);
                assert!(text.split(' ').all(|word| !word.is_empty()));
            }
        }
    }
}
