//! What identifies a company: a CVM code, a CNPJ, a ticker or an ISIN, in all forms that people paste.
//!
//! The same parser reads look-ups in paths and filters ([`CompanyRef`](super::CompanyRef)), the words of searches
//! ([`Words`](super::Words)) and their single words.
use super::{Cnpj, CvmCode, fold};

/// What identifies a company.
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

/// What they write after a ticker: `PETR4.SA`, `PETR4:BZ`, `PETR4 BZ Equity`, `VALE3-BR`, `PBR US Equity`.
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

#[cfg(test)]
mod tests;
