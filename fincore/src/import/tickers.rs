//! Securities from the registration form, `fca_cia_aberta_valor_mobiliario_YYYY.csv`: the tickers of
//! companies.
use std::collections::BTreeMap;

use super::{table, text::Refusal};
use crate::{companies::store::Security, types::Cnpj};

const COLUMNS: [&str; 18] = [
    "CNPJ_Companhia",
    "Data_Referencia",
    "Versao",
    "ID_Documento",
    "Nome_Empresarial",
    "Valor_Mobiliario",
    "Sigla_Classe_Acao_Preferencial",
    "Classe_Acao_Preferencial",
    "Codigo_Negociacao",
    "Composicao_BDR_Unit",
    "Mercado",
    "Sigla_Entidade_Administradora",
    "Entidade_Administradora",
    "Data_Inicio_Negociacao",
    "Data_Fim_Negociacao",
    "Segmento",
    "Data_Inicio_Listagem",
    "Data_Fim_Listagem",
];

/// The tickers of each company from its newest form, and the number of rows without a ticker.
///
/// A company whose form lists no exchange-traded security has an empty list.
pub(super) fn parse(bytes: &[u8]) -> Result<(Vec<Security>, usize), Refusal> {
    let mut companies: BTreeMap<Cnpj, Security> = BTreeMap::new();
    let mut without = 0;
    for row in table::rows(bytes, COLUMNS)? {
        let (number, fields) = row?;
        let [cnpj, _, _, document, _, _, _, _, code, _, market, _, _, _, ended, ..] = fields;
        let refuse = |err| Refusal::at(number, err);
        let cnpj = table::value(cnpj).map_err(refuse)?;
        let document = table::number(document, "the number of a document").map_err(refuse)?;
        let security =
            companies.entry(cnpj).or_insert(Security { cnpj, document, tickers: Vec::new() });
        if document > security.document {
            *security = Security { cnpj, document, tickers: Vec::new() };
        }
        let code = table::text(code);
        let traded = *market == *b"Bolsa" && ended.is_empty() && is_ticker(code.as_bytes());
        if !traded || document < security.document {
            without += 1;
        } else if !security.tickers.iter().any(|known| *known == code) {
            security.tickers.push(code.into_owned());
            security.tickers.sort();
        }
    }
    Ok((companies.into_values().collect(), without))
}

/// Four capitals or digits, at least one of them a letter, then a number of one or two digits. Anything
/// else in the column (`0`, `N/A`, `tgma3`) is not a ticker.
fn is_ticker(code: &[u8]) -> bool {
    let Some((root, number)) = code.split_at_checked(4) else { return false };
    root.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
        && root.iter().any(u8::is_ascii_uppercase)
        && (1..=2).contains(&number.len())
        && number.iter().all(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_tickers() {
        for code in ["PETR4", "ENGI11", "B3SA3", "AAPL34"] {
            assert!(is_ticker(code.as_bytes()), "{code}");
        }
        for code in
            ["", "0", "8192", "713854", "N/A", "NÃO HÁ", "tgma3", "CPTP3B", "PETR", "PETR444"]
        {
            assert!(!is_ticker(code.as_bytes()), "{code}");
        }
    }

    #[test]
    fn keeps_what_the_newest_form_trades_on_the_exchange() {
        let row = |document, code, market, ended| {
            format!(
                "33.000.167/0001-01;2025-01-01;1;{document};PETROBRAS;Ações;;;{code};;{market};B3;B3 S.A.;1977-01-01;{ended};Nível 2;;\n"
            )
        };
        let text = COLUMNS.join(";")
            + "\n"
            + &row(1, "OLDD3", "Bolsa", "")
            + &row(2, "PETR4", "Bolsa", "")
            + &row(2, "PETR3", "Bolsa", "")
            + &row(2, "PETR4", "Bolsa", "")
            + &row(2, "PETR5", "Bolsa", "2020-01-01")
            + &row(2, "PETR11", "Balcão Organizado", "")
            + &row(2, "N/A", "Bolsa", "")
            + &row(1, "OLDD4", "Bolsa", "");
        let bytes = encoding_rs::WINDOWS_1252.encode(&text).0.into_owned();
        let (securities, without) = parse(&bytes).unwrap();
        let cnpj = "33000167000101".parse().unwrap();
        let tickers = vec!["PETR3".to_owned(), "PETR4".to_owned()];
        assert_eq!(securities, [Security { cnpj, document: 2, tickers }]);
        assert_eq!(without, 4);
    }
}
