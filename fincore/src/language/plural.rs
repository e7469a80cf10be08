//! Singular and plural of Portuguese words, folded.

/// Shorter words are abbreviations, numbers and particles.
const SHORTEST: usize = 3;

/// The word itself and its other number: `acao` and `acoes`, `dividendos` and `dividendo`. If one word is a form of
/// another, the other is a form of it.
pub(crate) fn forms(word: &str) -> Vec<String> {
    let mut forms = vec![word.to_owned()];
    if word.len() < SHORTEST || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return forms;
    }
    forms.extend(plurals(word));
    let singulars = possible_singulars(word).into_iter();
    forms.extend(singulars.filter(|singular| {
        singular.len() >= SHORTEST && plurals(singular).iter().any(|plural| plural == word)
    }));
    forms
}

/// The endings of singulars, and those of their plurals. The first that fits counts.
const ENDINGS: [(&str, &[&str]); 12] = [
    ("ao", &["oes", "aes", "aos"]),
    ("al", &["ais"]),
    ("el", &["eis"]),
    ("ol", &["ois"]),
    ("ul", &["uis"]),
    ("il", &["is", "eis"]),
    ("m", &["ns"]),
    ("r", &["res"]),
    ("z", &["zes"]),
    ("s", &["ses"]),
    ("n", &["ns"]),
    ("", &["s"]),
];

fn plurals(singular: &str) -> Vec<String> {
    let vowel = singular.ends_with(['a', 'e', 'i', 'o', 'u']);
    for (ending, plurals) in ENDINGS {
        let Some(stem) = singular.strip_suffix(ending) else { continue };
        if ending.is_empty() && !vowel {
            continue;
        }
        return plurals.iter().map(|plural| format!("{stem}{plural}")).collect();
    }
    Vec::new()
}

fn possible_singulars(plural: &str) -> Vec<String> {
    let singulars = ENDINGS.iter().flat_map(|(ending, plurals)| {
        let stems = plurals.iter().filter_map(|with| plural.strip_suffix(with));
        stems.map(move |stem| format!("{stem}{ending}"))
    });
    singulars.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_numbers_are_found() {
        let pairs = [
            ("dividendo", "dividendos"),
            ("acao", "acoes"),
            ("capital", "capitais"),
            ("papel", "papeis"),
            ("perfil", "perfis"),
            ("ordem", "ordens"),
            ("auditor", "auditores"),
            ("juiz", "juizes"),
            ("mes", "meses"),
            ("debenture", "debentures"),
            ("fato", "fatos"),
            ("ata", "atas"),
        ];
        for (one, many) in pairs {
            assert!(forms(one).contains(&many.to_owned()), "{one}: {:?}", forms(one));
            assert!(forms(many).contains(&one.to_owned()), "{many}: {:?}", forms(many));
        }
    }

    #[test]
    fn numbers_and_particles_have_one_form() {
        for word in ["3t24", "2024", "de", "sa", "jcp"] {
            assert_eq!(forms(word), [word]);
        }
    }

    #[test]
    fn being_a_form_is_mutual() {
        for word in ["acoes", "aos", "gas", "lapis", "bens", "itaus", "vales", "reais", "pais"] {
            for form in forms(word) {
                assert!(forms(&form).contains(&word.to_owned()), "{word} {form}");
            }
        }
    }
}
