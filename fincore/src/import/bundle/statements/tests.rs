//! The bundled statements: that they are there, stay behind imported ones, and are refused where damaged.
use super::*;
use crate::{
    import::{Import, bundle},
    statements::{FinancialsQuery, Metric, ScreenQuery, financials::financials, screen::screen},
    store::catalogue::noon,
};

const HEADER: &str = "CNPJ_CIA;DT_REFER;VERSAO;DENOM_CIA;CD_CVM;GRUPO_DFP;MOEDA;ESCALA_MOEDA;ORDEM_EXERC;DT_INI_EXERC;DT_FIM_EXERC;CD_CONTA;DS_CONTA;VL_CONTA;ST_CONTA_FIXA";

/// The net income of Petrobras by year, newest first.
fn net_incomes(snapshot: &Snapshot) -> Vec<(u16, String)> {
    let page = financials(snapshot, FinancialsQuery::new("PETR4".parse().unwrap())).unwrap();
    let net_income = |of: &crate::statements::financials::CompanyFinancials| {
        let value = of.figure(Metric::NetIncome).value;
        (of.period_end.year(), value.map(|value| value.to_string()).unwrap_or_default())
    };
    page.data.iter().map(net_income).collect()
}

#[test]
fn net_income_of_five_years_is_there_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let snapshot =
        bundle::filled_copy(dir.path()).unwrap().snapshot(crate::values::date::Date::MAX).unwrap();
    let want = [
        (2025, "110605000000"),
        (2024, "37009000000"),
        (2023, "125166000000"),
        (2022, "189005000000"),
        (2021, "107264000000"),
    ];
    assert_eq!(net_incomes(&snapshot), want.map(|(year, value)| (year, value.to_owned())));
    let query = ScreenQuery { year: Some("2024".parse().unwrap()), ..ScreenQuery::default() };
    assert!(screen(&snapshot, query).unwrap().total > 700);
}

#[test]
fn what_was_imported_stays_when_a_newer_program_fills() {
    let dir = tempfile::tempdir().unwrap();
    let catalogue = bundle::filled_copy(dir.path()).unwrap();
    let row = "33.000.167/0001-01;2024-12-31;1;PETROBRAS;009512;DF Consolidado - Demonstração de Resultado Abrangente;REAL;MIL;ÚLTIMO;2024-01-01;2024-12-31;4.01;Lucro Líquido Consolidado do Período;7.0000000000;S";
    let table = format!("{HEADER}\r\n{row}\r\n");
    let mut import = Import::begin(&catalogue, noon()).unwrap();
    let bytes: Vec<u8> = table.chars().map(|letter| u8::try_from(letter).unwrap()).collect();
    import.file("dfp_cia_aberta_DRA_con_2024.csv", &bytes).unwrap();
    import.commit().unwrap();
    let before = net_incomes(&catalogue.snapshot(crate::values::date::Date::MAX).unwrap());
    assert_eq!(before[1], (2024, "7000".to_owned()));

    let writer = catalogue.write(noon()).unwrap();
    writer.set_meta(bundle::META_ENTRY, "that of an older program").unwrap();
    writer.commit().unwrap();
    assert!(bundle::fill(&catalogue).unwrap());
    let after = net_incomes(&catalogue.snapshot(crate::values::date::Date::MAX).unwrap());
    assert_eq!(after, before);
}

#[test]
fn refuses_a_damaged_line() {
    let (_dir, catalogue) = crate::store::catalogue::temporary();
    let refused = |line: &str| {
        let writer = catalogue.write(noon()).unwrap();
        let mut statements = BundledStatements::default();
        statements.store_table(&writer, ACCOUNTS, "code\tname\n4.01\tLucro\n").unwrap();
        let table = format!("{STATEMENTS_HEADER}\n{line}\n");
        statements.store_table(&writer, "statements_2024.tsv", &table).unwrap_err().to_string()
    };
    let with = |order: &str, account: &str, value: &str| {
        refused(&format!(
            "9512\tdfp\t2024-12-31\t1\tconsolidated\tDRA\t{order}\t2024-01-01\t2024-12-31\t\t{account}\t{value}"
        ))
    };
    assert_eq!(
        with("last", "2", "7"),
        "statements_2024.tsv, line 2: \"2\" is not the number of an account"
    );
    assert_eq!(with("next", "1", "7"), "statements_2024.tsv, line 2: \"next\" is not an order");
    assert_eq!(
        with("last", "1*", "x"),
        "statements_2024.tsv, line 2: \"x\" is not a number like 1.25"
    );
    assert!(refused("9512\tdfp").starts_with("statements_2024.tsv, line 2: the fields are not "));
}
