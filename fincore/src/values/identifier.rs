//! Companies by what identifies them: a CVM code, a CNPJ, a ticker or an ISIN, in all forms that people paste.
//!
//! One parser reads look-ups in paths and filters ([`CompanyRef`]), the words of searches
//! ([`Words`](crate::values::words::Words)) and their single words.
use std::{fmt, str::FromStr};

use crate::values::{Error, Result, Wanted, decimal::whole_number, fold};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Identifier {
    /// A CVM code.
    Code(CvmCode),
    /// A CNPJ or the beginning of one: 8 to 14 characters without marks, in small letters.
    Cnpj(String),
    /// A ticker, in small letters, without the name of the exchange.
    Ticker(String),
    /// An ISIN of a Brazilian issuer, in small letters.
    Isin(String),
}

/// The letters that all tickers and ISINs of a company share.
pub(crate) const TICKER_ROOT: usize = 4;

/// The characters of a CNPJ that stand for the company; the rest is for the branch.
pub(crate) const CNPJ_ROOT: usize = 8;

/// All characters of a CNPJ.
const CNPJ: usize = 14;

/// The names that price services give the exchange, before a ticker.
const EXCHANGES: [&str; 14] = [
    "b3",
    "bmf",
    "bmfbovespa",
    "bovespa",
    "bsp",
    "bvmf",
    "bvsp",
    "nasdaq",
    "nyse",
    "otc",
    "otcmkts",
    "sao",
    "sp",
    "xbsp",
];

/// Suffixes of tickers: `PETR4.SA`, `PETR4:BZ`, `PETR4 BZ Equity`, `VALE3-BR`, `PBR US Equity`.
const SUFFIXES: [&str; 10] = ["sa", "sao", "bz", "bs", "br", "bvmf", "b3", "us", "un", "adr"];

/// Words that announce a number: `inscrita no CNPJ/MF sob o nº 33.000.167/0001-01`, `código CVM nº 00951-2`.
const LABELS: [&str; 28] = [
    "c", "cad", "cadastro", "cd", "cgc", "cnpj", "cod", "code", "codigo", "cvm", "f", "inscrita",
    "inscrito", "isin", "j", "m", "me", "mf", "n", "no", "nr", "num", "number", "numero", "o", "p",
    "registro", "sob",
];

/// Hardly a number is announced with more words.
const MOST_LABELS: usize = 9;

impl Identifier {
    /// The identifier that a text is as a whole.
    pub(crate) fn of_text(text: &str) -> Option<Identifier> {
        let tokens: Vec<&str> = tokens(text).collect();
        match Identifier::leading(&tokens) {
            Some((taken, found)) if taken == tokens.len() => Some(found),
            Some(_) => None,
            None => match tokens[..] {
                [token] => Identifier::of_word(&fold(token)),
                _ => None,
            },
        }
    }

    /// The identifier that a folded word without marks may be. A short number is a CVM code, and may be much else.
    pub(crate) fn of_word(word: &str) -> Option<Identifier> {
        if word.bytes().all(|byte| byte.is_ascii_digit()) {
            let with_zero = format!("0{word}");
            return match word.len() {
                0 => None,
                1..CNPJ_ROOT => word.parse().ok().map(Identifier::Code),
                // Spreadsheets drop the zero at the beginning.
                length if length + 1 == CNPJ && with_zero.parse::<Cnpj>().is_ok() => {
                    Some(Identifier::Cnpj(with_zero))
                }
                CNPJ_ROOT..=CNPJ => Some(Identifier::Cnpj(word.to_owned())),
                _ => None,
            };
        }
        if is_isin(word) {
            return Some(Identifier::Isin(word.to_owned()));
        }
        if is_ticker(word) {
            return Some(Identifier::Ticker(word.to_owned()));
        }
        let is_cnpj = word.len() == CNPJ && word.parse::<Cnpj>().is_ok();
        is_cnpj.then(|| Identifier::Cnpj(word.to_owned()))
    }

    /// The identifier that these tokens begin with and that its marks or the words before it tell from other words, and how
    /// many tokens it takes: a CNPJ with its marks, a CVM code with its check digit, a ticker with its exchange.
    pub(crate) fn leading(tokens: &[&str]) -> Option<(usize, Identifier)> {
        let first = tokens.first()?;
        if !first.bytes().any(|byte| byte.is_ascii_alphanumeric()) {
            return None;
        }
        if let Some((taken, cnpj)) = cnpj(tokens) {
            return Some((taken, Identifier::Cnpj(cnpj)));
        }
        if let Some(code) = code_with_check_digit(first) {
            return Some((1, Identifier::Code(code)));
        }
        at_exchange(tokens).or_else(|| after_labels(tokens))
    }

    /// The four letters of tickers that a ticker or an ISIN begins with.
    pub(crate) fn ticker_root(&self) -> Option<&str> {
        match self {
            Identifier::Ticker(ticker) => ticker.get(..TICKER_ROOT),
            Identifier::Isin(isin) => isin.get(2..2 + TICKER_ROOT),
            Identifier::Code(_) | Identifier::Cnpj(_) => None,
        }
    }
}

/// The tokens of a text: runs without whitespace and without the marks that stand around identifiers.
pub(crate) fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let ends = |c: char| c.is_whitespace() || ":=#$()[]{},;|*\"'".contains(c);
    text.split(ends).map(trimmed).filter(|token| !token.is_empty())
}

/// A token without marks at its ends.
fn trimmed(token: &str) -> &str {
    token.trim_matches(|c: char| matches!(c, '.' | '/' | '-' | '–' | '—' | '_'))
}

/// A ticker with the name of an exchange before or after it.
fn at_exchange(tokens: &[&str]) -> Option<(usize, Identifier)> {
    let (first, rest) = tokens.split_first()?;
    let first = fold(first);
    if EXCHANGES.contains(&first.as_str())
        && let Some(second) = rest.first().map(|token| fold(token))
    {
        let abroad = matches!(first.as_str(), "nyse" | "nasdaq" | "otc" | "otcmkts");
        let is_abroad =
            abroad && second.len() <= 5 && second.bytes().all(|b| b.is_ascii_lowercase());
        if is_ticker(&second) || is_abroad {
            return Some((2, Identifier::Ticker(second)));
        }
        return None;
    }
    let is_suffix = |word: &str| SUFFIXES.contains(&word);
    let ends = |from: usize| {
        let is = |at: usize, word: &str| rest.get(at).is_some_and(|token| fold(token) == word);
        from + usize::from(is(from, "equity"))
    };
    if let Some((ticker, suffix)) = first.split_once(['.', '-', '/']) {
        let found = is_ticker(ticker) && is_suffix(suffix);
        return found.then(|| (1 + ends(0), Identifier::Ticker(ticker.to_owned())));
    }
    let suffix = rest.first().map(|token| fold(token))?;
    let is_marked = is_ticker(&first) && is_suffix(&suffix) && suffix != "br";
    // Letters alone are a word unless it says `Equity`.
    let is_abroad = matches!(suffix.as_str(), "us" | "un") && ends(1) == 2 && first.len() <= 5;
    (is_marked || is_abroad).then(|| (1 + ends(1), Identifier::Ticker(first)))
}

/// A code or an ISIN that is announced: `código CVM 417-0`, `ISIN: BRPETRACNPR6`.
fn after_labels(tokens: &[&str]) -> Option<(usize, Identifier)> {
    let is_label = |token: &&&str| {
        let folded = fold(token);
        folded.split(|c: char| !c.is_alphanumeric()).all(|word| LABELS.contains(&word))
    };
    let labels = tokens.iter().take(MOST_LABELS).take_while(is_label).count();
    let number = tokens.get(labels).filter(|_| labels > 0)?;
    let said = |word: &str| {
        tokens[..labels]
            .iter()
            .any(|token| fold(token).split(|c: char| !c.is_alphanumeric()).any(|part| part == word))
    };
    let taken = labels + 1;
    if let Some((more, cnpj)) = cnpj(&tokens[labels..]) {
        return Some((labels + more, Identifier::Cnpj(cnpj)));
    }
    let word = fold(number);
    if is_isin(&word) {
        return Some((taken, Identifier::Isin(word)));
    }
    if ["cnpj", "cgc"].iter().any(|label| said(label)) {
        let found = Identifier::of_word(&word)?;
        return matches!(found, Identifier::Cnpj(_)).then_some((taken, found));
    }
    if !said("cvm") {
        return None;
    }
    // `CVM 358` may be a rule of CVM.
    let is_code = ["codigo", "cod", "code", "cd", "cad", "cadastro", "registro"]
        .iter()
        .any(|label| said(label));
    let digits: String = word.chars().filter(|c| !matches!(c, '.' | '-')).collect();
    let is_marked = word.contains('-') || word.len() == 6;
    let code = digits.parse().ok().filter(|_| is_code || is_marked)?;
    Some((taken, Identifier::Code(code)))
}

/// A CVM code of six digits whose last one stands apart: `00951-2`.
fn code_with_check_digit(token: &str) -> Option<CvmCode> {
    let (number, digit) = token.split_once(['-', '–'])?;
    let weights = [6, 5, 4, 3, 2];
    if number.len() != weights.len() || digit.len() != 1 || digit.starts_with('-') {
        return None;
    }
    let digits: Option<Vec<u32>> = number.chars().map(|c| c.to_digit(10)).collect();
    let sum: u32 = digits?.iter().zip(weights).map(|(digit, weight)| digit * weight).sum();
    let check = match 11 - sum % 11 {
        10 | 11 => 0,
        check => check,
    };
    let is_right = digit.chars().next()?.to_digit(10) == Some(check);
    format!("{number}{digit}").parse().ok().filter(|_| is_right)
}

/// The characters of a CNPJ that is written with marks, or of its beginning (`33.000.167/0001`), and the number of tokens
/// that it is spread over.
fn cnpj(tokens: &[&str]) -> Option<(usize, String)> {
    const MASKS: [&[u8]; 2] = [b"##.###.###/####-##", b"########/####-##"];
    const SHORTEST: usize = "33.000.167".len();
    let first = tokens.first()?;
    // `CNPJ33.000.167/0001-01`
    let first = first
        .get(4..)
        .filter(|_| first.get(..4).is_some_and(|label| label.eq_ignore_ascii_case("cnpj")))
        .unwrap_or(first);
    let first = first.replace(['–', '—'], "-");
    let fits = |(byte, mask): (&u8, &u8)| match mask {
        b'#' => byte.is_ascii_alphanumeric(),
        mark => byte == mark,
    };
    let is_masked = |mask: &&[u8]| {
        (SHORTEST..=mask.len()).contains(&first.len())
            && first.bytes().zip(*mask).all(|(byte, mask)| fits((&byte, mask)))
    };
    let characters = |text: &str| -> String {
        text.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
    };
    let begins = MASKS.iter().any(is_masked) && first.contains(['.', '/']);
    if begins && characters(&first).len() == CNPJ {
        return Some((1, characters(&first)));
    }
    // A spreadsheet dropped the zero at the beginning.
    let with_zero = format!("0{}", characters(&first));
    if first.contains('/') && with_zero.len() == CNPJ && with_zero.parse::<Cnpj>().is_ok() {
        return Some((1, with_zero));
    }
    // Other marks, or blanks: then the check digits must be right.
    let mut joined = String::new();
    for (at, token) in tokens.iter().enumerate().take(5) {
        let token = if at == 0 { first.clone() } else { token.replace(['–', '—'], "-") };
        let is_part = token.bytes().all(|b| b.is_ascii_alphanumeric() || b"./-".contains(&b))
            && token.bytes().any(|byte| byte.is_ascii_digit());
        if !is_part {
            break;
        }
        let is_marked = at > 0 || token.contains(['.', '/', '-']);
        joined.push_str(&characters(&token));
        match joined.len() {
            CNPJ if is_marked && joined.parse::<Cnpj>().is_ok() => return Some((at + 1, joined)),
            CNPJ.. => break,
            _ => (),
        }
    }
    begins.then(|| (1, characters(&first)))
}

/// Four letters or digits, then one or two digits, and perhaps the mark of fractional lots or of the market over the counter.
pub(crate) fn is_ticker(word: &str) -> bool {
    let Some((root, number)) = word.split_at_checked(TICKER_ROOT) else { return false };
    let number = number.strip_suffix(['f', 'b']).unwrap_or(number);
    root.starts_with(|c: char| c.is_ascii_lowercase())
        && root.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && (1..=2).contains(&number.len())
        && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// `br`, the issuer, the kind of security, and a check digit.
fn is_isin(word: &str) -> bool {
    word.len() == 12
        && word.starts_with("br")
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && word[2..].starts_with(|c: char| c.is_ascii_lowercase())
        && word.ends_with(|c: char| c.is_ascii_digit())
        && luhn_of_isin(word)
}

/// Whether the check digit of an ISIN is right: letters count as two digits, and every second digit from the right is doubled.
fn luhn_of_isin(word: &str) -> bool {
    let values = word.chars().filter_map(|c| c.to_digit(36));
    let digits: Vec<u32> = values
        .flat_map(|value| [value / 10, value % 10].into_iter().skip(usize::from(value < 10)))
        .collect();
    let doubled = |(at, digit): (usize, &u32)| match at % 2 {
        0 => *digit,
        _ => digit * 2 / 10 + digit * 2 % 10,
    };
    digits.iter().rev().enumerate().map(doubled).sum::<u32>() % 10 == 0
}

/// The number of a company in CVM's registry, 1 to 999999; `009512` is read as `9512`.
///
/// ```
/// let code: fincore::CvmCode = "009512".parse()?;
/// assert_eq!(code.to_string(), "9512");
/// # Ok::<(), fincore::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CvmCode(u32);

impl CvmCode {
    /// The code with this number. Fails outside 1 to 999999.
    pub fn new(number: u32) -> Result<CvmCode> {
        Self::check(number).ok_or_else(|| Error::invalid(&number.to_string(), Wanted::CvmCode))
    }

    /// The number.
    #[must_use]
    pub fn get(self) -> u32 {
        self.0
    }

    fn check(number: u32) -> Option<CvmCode> {
        (1..=999_999).contains(&number).then_some(CvmCode(number))
    }

    fn parse(text: &str) -> Option<CvmCode> {
        whole_number(text).and_then(Self::check)
    }
}

impl fmt::Display for CvmCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

super::as_text!(CvmCode, Wanted::CvmCode);

/// A CNPJ with valid check digits, written `33.000.167/0001-01`.
///
/// The punctuation is optional when parsing. Since July 2026 the first twelve characters may be letters.
///
/// ```
/// let cnpj: fincore::Cnpj = "33000167000101".parse()?;
/// assert_eq!(cnpj.to_string(), "33.000.167/0001-01");
/// # Ok::<(), fincore::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cnpj([u8; 14]);

/// Weights of the thirteen characters before the second check digit; the first check digit skips the
/// first weight.
const WEIGHTS: [u32; 13] = [6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2];

impl Cnpj {
    fn parse(text: &str) -> Option<Cnpj> {
        let mut characters = [0; 14];
        let mut length = 0;
        for byte in text.bytes().filter(|byte| !matches!(byte, b'.' | b'/' | b'-' | b' ')) {
            *characters.get_mut(length)? = byte.to_ascii_uppercase();
            length += 1;
        }
        let (body, [first, second]) = characters.split_last_chunk::<2>()?;
        let right = length == characters.len()
            && body.iter().all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase())
            && check_digit(body) == *first
            && check_digit(&characters[..13]) == *second;
        right.then_some(Cnpj(characters))
    }

    /// The CNPJ that begins with these characters without marks: the first eight, which stand for the company and get the
    /// number of its head office, or twelve; the check digits are calculated.
    pub(crate) fn beginning(text: &str) -> Option<Cnpj> {
        const HEAD_OFFICE: &str = "0001";
        let office = if text.len() == CNPJ_ROOT { HEAD_OFFICE } else { "" };
        let body = [text, office].concat().to_ascii_uppercase();
        let body: [u8; 12] = body.as_bytes().try_into().ok()?;
        if !body.iter().all(u8::is_ascii_alphanumeric) {
            return None;
        }
        let mut characters = [0; 14];
        characters[..12].copy_from_slice(&body);
        characters[12] = check_digit(&characters[..12]);
        characters[13] = check_digit(&characters[..13]);
        Some(Cnpj(characters))
    }

    /// The digits shared by all branches of the company: `33.000.167`.
    pub(crate) fn root(&self) -> String {
        self.to_string()[.."33.000.167".len()].to_owned()
    }
}

/// The check digit for `characters`, by the tax authority's rule: a character is worth its ASCII code
/// minus 48, so a digit is worth itself.
fn check_digit(characters: &[u8]) -> u8 {
    let weights = &WEIGHTS[WEIGHTS.len() - characters.len()..];
    let sum: u32 =
        characters.iter().zip(weights).map(|(byte, weight)| u32::from(byte - b'0') * weight).sum();
    match u8::try_from(sum % 11) {
        Ok(rest @ 2..) => b'0' + 11 - rest,
        _ => b'0',
    }
}

impl fmt::Display for Cnpj {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c, d, e, g, h, i, j, k, l, m, n, o] = self.0;
        let text = [a, b, b'.', c, d, e, b'.', g, h, i, b'/', j, k, l, m, b'-', n, o];
        f.pad(str::from_utf8(&text).expect("ASCII digits and letters"))
    }
}

super::as_text!(Cnpj, Wanted::Cnpj);

/// A CVM code or a CNPJ: either identifies a company.
///
/// Fourteen characters are always a CNPJ, even if they are digits with leading zeros.
///
/// ```
/// use fincore::{CompanyId, CvmCode};
///
/// let by_code: CompanyId = "009512".parse()?;
/// assert_eq!(by_code, CompanyId::Cvm(CvmCode::new(9512)?));
/// let by_cnpj: CompanyId = "33.000.167/0001-01".parse()?;
/// assert!(matches!(by_cnpj, CompanyId::Cnpj(_)));
/// # Ok::<(), fincore::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompanyId {
    /// Its number in CVM's registry.
    Cvm(CvmCode),
    /// Its tax number.
    Cnpj(Cnpj),
}

impl FromStr for CompanyId {
    type Err = Error;

    fn from_str(text: &str) -> Result<CompanyId> {
        let id = match Identifier::of_text(text) {
            Some(Identifier::Code(code)) => Some(CompanyId::Cvm(code)),
            Some(Identifier::Cnpj(characters)) => characters.parse().ok().map(CompanyId::Cnpj),
            Some(Identifier::Ticker(_) | Identifier::Isin(_)) | None => None,
        };
        id.ok_or_else(|| Error::invalid(text, Wanted::CompanyId))
    }
}

impl From<CvmCode> for CompanyId {
    fn from(code: CvmCode) -> CompanyId {
        CompanyId::Cvm(code)
    }
}

impl From<Cnpj> for CompanyId {
    fn from(cnpj: Cnpj) -> CompanyId {
        CompanyId::Cnpj(cnpj)
    }
}

impl fmt::Display for CompanyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CompanyId::Cvm(code) => fmt::Display::fmt(code, f),
            CompanyId::Cnpj(cnpj) => fmt::Display::fmt(cnpj, f),
        }
    }
}

super::as_text!(CompanyId);

/// A CVM code, a CNPJ, a ticker or an ISIN: whatever names a company, in the forms in which people paste it.
///
/// The CNPJ may be that of a branch, or its first eight characters. The ISIN stands for its issuer, by the letters that its
/// tickers begin with.
///
/// ```
/// use fincore::CompanyRef;
///
/// for text in ["9512", "00951-2", "33.000.167/0001-01", "petr4", "PETR4.SA", "BVMF:PETR4", "BRPETRACNPR6"] {
///     text.parse::<CompanyRef>()?;
/// }
/// assert!("petrobras".parse::<CompanyRef>().is_err());
/// # Ok::<(), fincore::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompanyRef {
    /// Its CVM code or CNPJ.
    Id(CompanyId),
    /// The code that one of its securities trades under, in capital letters.
    Ticker(String),
}

impl FromStr for CompanyRef {
    type Err = Error;

    fn from_str(text: &str) -> Result<CompanyRef> {
        let found = Identifier::of_text(text);
        let root = found.as_ref().and_then(Identifier::ticker_root).map(str::to_ascii_uppercase);
        let company = match found {
            Some(Identifier::Code(code)) => Some(code.into()),
            Some(Identifier::Cnpj(characters)) => {
                let whole = characters.parse().ok();
                whole
                    .or_else(|| Cnpj::beginning(&characters))
                    .map(|cnpj| CompanyId::Cnpj(cnpj).into())
            }
            Some(Identifier::Ticker(ticker)) => {
                Some(CompanyRef::Ticker(ticker.to_ascii_uppercase()))
            }
            // Tickers and ISINs share the letters of the issuer.
            Some(Identifier::Isin(_)) => root.map(CompanyRef::Ticker),
            None => ticker(text.trim()).map(CompanyRef::Ticker),
        };
        company.ok_or_else(|| Error::invalid(text, Wanted::Company))
    }
}

/// Four characters and a number, which may end in letters.
fn ticker(text: &str) -> Option<String> {
    let text = text.to_ascii_uppercase();
    let (root, number) = text.split_at_checked(TICKER_ROOT)?;
    let is_root = root.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && root.starts_with(|c: char| c.is_ascii_uppercase());
    let is_number = (1..=3).contains(&number.len())
        && number.starts_with(|c: char| c.is_ascii_digit())
        && number.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (is_root && is_number).then_some(text)
}

impl From<CompanyId> for CompanyRef {
    fn from(id: CompanyId) -> CompanyRef {
        CompanyRef::Id(id)
    }
}

impl From<CvmCode> for CompanyRef {
    fn from(code: CvmCode) -> CompanyRef {
        CompanyRef::Id(code.into())
    }
}

impl fmt::Display for CompanyRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CompanyRef::Id(id) => id.fmt(f),
            CompanyRef::Ticker(ticker) => f.write_str(ticker),
        }
    }
}

super::as_text!(CompanyRef);

#[cfg(test)]
mod tests;

#[cfg(test)]
mod cvm_code_tests {
    use super::*;

    #[test]
    fn reads_leading_zeros() {
        for (text, want) in
            [("9512", "9512"), ("009512", "9512"), ("0000001", "1"), ("521027", "521027")]
        {
            assert_eq!(text.parse::<CvmCode>().unwrap().to_string(), want);
        }
    }

    #[test]
    fn refuses_everything_else() {
        for text in [
            "",
            "0",
            "000000",
            "1000000",
            "-1",
            "+1",
            " 1",
            "1 ",
            "1.0",
            "PETR4",
            "٣",
            "99999999999",
        ] {
            let message = text.parse::<CvmCode>().unwrap_err().to_string();
            assert_eq!(message, format!("{text:?} is not a CVM code (1 to 6 digits)"));
        }
    }
}

#[cfg(test)]
mod cnpj_tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn accepts_punctuation_and_letters() {
        let cases = [
            ("33.000.167/0001-01", "33.000.167/0001-01"),
            ("33000167000101", "33.000.167/0001-01"),
            (" 33.000.167/0001-01 ", "33.000.167/0001-01"),
            ("00000000000191", "00.000.000/0001-91"),
            // The example that the tax authority published for CNPJs with letters.
            ("12.ABC.345/01DE-35", "12.ABC.345/01DE-35"),
            ("12abc34501de35", "12.ABC.345/01DE-35"),
        ];
        for (text, want) in cases {
            assert_eq!(text.parse::<Cnpj>().unwrap().to_string(), want);
        }
    }

    #[test]
    fn refuses_a_wrong_digit_and_everything_else() {
        let wrong = [
            "",
            "9512",
            "33000167000102",
            "33000167000111",
            "3300016700010",
            "330001670001011",
            "33_000_167_0001_01",
            "12ABC34501DEX5",
            "12ÁBC34501DE35",
            "٣3000167000101",
        ];
        for text in wrong {
            let message = text.parse::<Cnpj>().unwrap_err().to_string();
            assert!(message.starts_with(&format!("{text:?} is not a CNPJ")), "{message}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[0-9A-Za-z./-]{0,20}|\\PC*") {
            if let Ok(cnpj) = text.parse::<Cnpj>() {
                prop_assert_eq!(cnpj.to_string().parse::<Cnpj>().unwrap(), cnpj);
            }
        }
    }
}

#[cfg(test)]
mod company_id_tests {
    use super::*;

    #[test]
    fn tells_a_code_from_a_cnpj() {
        let read = |text: &str| text.parse::<CompanyId>().map(|id| format!("{id:?}")).ok();
        assert_eq!(read("009512").as_deref(), Some("Cvm(9512)"));
        assert_eq!(read(" 9512 ").as_deref(), Some("Cvm(9512)"));
        assert_eq!(read("código CVM 00951-2").as_deref(), Some("Cvm(9512)"));
        assert_eq!(read("CNPJ nº 33000167/0001-01").as_deref(), Some("Cnpj(33.000.167/0001-01)"));
        assert_eq!(read("00000000000191").as_deref(), Some("Cnpj(00.000.000/0001-91)"));
        for text in ["", "0", "petrobras", "33000167000102"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}

#[cfg(test)]
mod company_ref_tests {
    use super::*;

    #[test]
    fn tells_tickers_from_ids_and_from_names() {
        let read = |text: &str| text.parse::<CompanyRef>().map(|company| company.to_string()).ok();
        assert_eq!(read("009512").as_deref(), Some("9512"));
        assert_eq!(read("33000167000101").as_deref(), Some("33.000.167/0001-01"));
        assert_eq!(read(" petr4 ").as_deref(), Some("PETR4"));
        assert_eq!(read("B3SA3.SA").as_deref(), Some("B3SA3"));
        assert_eq!(read("KLBN11").as_deref(), Some("KLBN11"));
        assert_eq!(read("CVM 00951-2").as_deref(), Some("9512"));
        assert_eq!(read("MRSA3B").as_deref(), Some("MRSA3B"));
        assert_eq!(read("BVMF:VALE3").as_deref(), Some("VALE3"));
        assert_eq!(read("ITUB4 BZ Equity").as_deref(), Some("ITUB4"));
        assert_eq!(read("BRPETRACNPR6").as_deref(), Some("PETR"));
        for text in ["33.000.167", "33000167", "33.000.167/0001", "CNPJ/MF nº 33000167/0001-01"] {
            assert_eq!(read(text).as_deref(), Some("33.000.167/0001-01"), "{text}");
        }
        for text in ["", "petrobras", "PETR", "PETR4 VALE3", "PETR4-1", "PETR\u{664}", "9.512"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
