//! Words, and the folding of every character.
use proptest::prelude::*;

use super::*;

fn check(text: &str) -> Vec<String> {
    text.parse::<Words>().unwrap().all().map(str::to_owned).collect()
}

#[test]
fn ignores_case_accents_and_punctuation() {
    let long = "x".repeat(500);
    let cases: [(&str, &[&str]); 11] = [
        ("PETRÓLEO BRASILEIRO", &["petroleo", "brasileiro"]),
        ("petro\u{301}leo", &["petroleo"]),
        ("  S.A.  ", &["sa"]),
        ("Vale S/A, s a, SA, s", &["vale", "sa", "sa", "sa", "s"]),
        ("s b a s a", &["s", "b", "a", "sa"]),
        (&long, &[&long[..64]]),
        ("Econômico-Financeiros", &["economico", "financeiros"]),
        ("nº 358/02", &["no", "358", "02"]),
        ("NEAR(a b) OR \"x\"*", &["near", "a", "b", "or", "x"]),
        ("100%", &["100"]),
        ("株式 Ж", &["株式", "ж"]),
    ];
    for (text, want) in cases {
        assert_eq!(check(text), want, "{text}");
    }
}

#[test]
fn refuses_what_has_no_word_or_too_many() {
    let long = ["a ".repeat(33), "x".repeat(501)];
    let wrong = [
        ("", "at least one letter"),
        (" . ", "at least one letter"),
        ("\"", "at least one letter"),
        ("😀", "at least one letter"),
        (&long[0], "at most 32 words (it has 33)"),
        (&long[1], "at most 500 characters"),
    ];
    for (text, reason) in wrong {
        let message = text.parse::<Words>().unwrap_err().to_string();
        assert!(message.contains(reason), "{message}");
    }
}

#[test]
fn quotation_marks_make_phrases_where_there_are_two() {
    let parts = |text: &str| text.parse::<Words>().unwrap().parts;
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let cases = [
        ("\"aumento de capital\"", vec![Part::Phrase(words(&["aumento", "de", "capital"]))]),
        (
            "vale “Fato Relevante” 2024",
            vec![
                Part::Words(words(&["vale"])),
                Part::Phrase(words(&["fato", "relevante"])),
                Part::Words(words(&["2024"])),
            ],
        ),
        ("vale \"fato", vec![Part::Words(words(&["vale", "fato"]))]),
        ("\"\" vale \"", vec![Part::Words(words(&["vale"]))]),
    ];
    for (text, wanted) in cases {
        assert_eq!(parts(text), wanted, "{text}");
    }
}

#[test]
fn a_cnpj_is_one_word_with_its_marks() {
    for (text, digits) in [
        ("33.000.167/0001-01", "33000167000101"),
        ("33.000.167", "33000167"),
        ("33.000.167/0001", "330001670001"),
        ("1A.B2C.3D4/0001-55,", "1ab2c3d4000155"),
    ] {
        let words: Words = format!("cnpj {text}").parse().unwrap();
        // The word that introduces the number is not a search word.
        assert_eq!(words.all().collect::<Vec<_>>(), [digits]);
    }
    assert_eq!(
        check("33.000 33.000.167/0001-010"),
        ["33", "000", "33", "000", "167", "0001", "010"]
    );
}

/// The folding of each Windows-1252 character between two letters. Stored search indexes depend on it: if
/// an entry changes, every index must be rebuilt.
#[rustfmt::skip]
const WINDOWS_1252: [&str; 256] = [
    " ", " ", " ", " ", " ", " ", " ", " ", " ", " ", " ", " ", " ", " ", " ", " ",
    " ", " ", " ", " ", " ", " ", " ", " ", " ", " ", " ", " ", " ", " ", " ", " ",
    " ", "!", "\"", "#", "$", "%", "&", "'", "(", ")", "*", "+", ",", "-", ".", "/",
    "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", ":", ";", "<", "=", ">", "?",
    "@", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o",
    "p", "q", "r", "s", "t", "u", "v", "w", "x", "y", "z", "[", "\\", "]", "^", "_",
    "`", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o",
    "p", "q", "r", "s", "t", "u", "v", "w", "x", "y", "z", "{", "|", "}", "~", " ",
    "€", " ", "‚", "f", "„", "…", "†", "‡", "", "‰", "s", "‹", "oe", " ", "z", " ",
    " ", "‘", "’", "“", "”", "•", "–", "—", "˜", "™", "s", "›", "oe", " ", "z", "y",
    " ", "¡", "¢", "£", "¤", "¥", "¦", "§", "¨", "©", "a", "«", "¬", "\u{ad}", "®", "¯",
    "°", "±", "2", "3", "´", "u", "¶", "·", "¸", "1", "o", "»", "1/4", "1/2", "3/4", "¿",
    "a", "a", "a", "a", "a", "a", "ae", "c", "e", "e", "e", "e", "i", "i", "i", "i",
    "d", "n", "o", "o", "o", "o", "o", "×", "o", "u", "u", "u", "u", "y", "th", "ss",
    "a", "a", "a", "a", "a", "a", "ae", "c", "e", "e", "e", "e", "i", "i", "i", "i",
    "d", "n", "o", "o", "o", "o", "o", "÷", "o", "u", "u", "u", "u", "y", "th", "y",
];

#[test]
fn every_character_of_windows_1252_folds_as_it_always_did() {
    for (byte, want) in (0..=255_u8).zip(WINDOWS_1252) {
        let text = encoding_rs::WINDOWS_1252.decode(&[b'x', byte, b'y']).0.into_owned();
        assert_eq!(fold(&text), format!("x{want}y"), "{byte:#x} {text:?}");
        let alone = &text[1..text.len() - 1];
        assert_eq!(fold(alone), want.trim(), "{byte:#x} {alone:?}");
        assert!(words(want).all(str::is_ascii), "{byte:#x} {want:?}");
    }
}

#[test]
fn folding_any_character_twice_changes_nothing() {
    for c in char::MIN..=char::MAX {
        for text in [c.to_string(), format!("a{c}"), format!("{c}a")] {
            let folded = fold(&text);
            assert_eq!(fold(&folded), folded, "{c:?} U+{:04X}", u32::from(c));
        }
    }
}

#[test]
fn letters_beyond_windows_1252_lose_their_accents_too() {
    let cases = [
        // The ångström sign, whose lowercase is a letter with an accent.
        ("\u{212b}", "a"),
        ("\u{130}stanbul", "istanbul"),
        ("Łódź", "lodz"),
        ("ẞ", "ss"),
        ("μ", "u"),
        ("ﬁm", "fim"),
        ("Ⅳ", "iv"),
        ("ＡＢ１", "ab1"),
        ("10⁻⁶", "10⁻6"),
        ("Petrobras™", "petrobras™"),
    ];
    for (text, folded) in cases {
        assert_eq!(fold(text), folded, "{text}");
    }
}

proptest! {
    #[test]
    fn no_text_panics_and_folding_twice_changes_nothing(text in "\\PC*") {
        let _ = text.parse::<Words>();
        prop_assert_eq!(fold(&fold(&text)), fold(&text));
    }
}
