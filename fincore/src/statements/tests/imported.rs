//! Figures of odd rows, odd columns and odd periods.
use super::*;

/// A row of the year 2024, whose value is in thousands.
fn year_row(code: &'static str, name: &'static str, value: &'static str) -> IncomeRow {
    ("2024-12-31", 1, "ÚLTIMO", "2024-01-01", "2024-12-31", code, name, value)
}

/// Imports a table of annual income statements. Returns the remarks, and the codes, names and values that are served.
fn of_table(table: Vec<u8>) -> (Vec<String>, Vec<String>) {
    let dir = tempfile::tempdir().unwrap();
    let catalogue = Catalogue::open(dir.path().join("catalogue.db")).unwrap();
    let imported = import(&catalogue, &[("dfp_cia_aberta_DRE_con_2024.csv", table)]);
    let snapshot = catalogue.snapshot("2026-11-01".parse().unwrap()).unwrap();
    let query = StatementQuery::new("9512".parse().unwrap(), StatementKind::Income);
    let page = statement(&snapshot, query).unwrap();
    let accounts = page.data.iter().flat_map(|row| &row.accounts);
    let text = |account: &Account| format!("{} {} {}", account.code, account.name, account.value);
    (imported[0].remarks(), accounts.map(text).collect())
}

/// Replaces the rows of the plan with a company's own.
fn own(table: &[u8], rows: &[&str]) -> Vec<u8> {
    let text = encoding_rs::WINDOWS_1252.decode(table).0.into_owned();
    let line = |line: &str| {
        let is_own = rows.iter().any(|row| line.contains(row));
        if is_own { line.replace(";S\r", ";N\r") } else { line.to_owned() }
    };
    let text = text.split('\n').map(line).collect::<Vec<_>>().join("\n");
    encoding_rs::WINDOWS_1252.encode(&text).0.into_owned()
}

#[test]
fn two_contradicting_rows_of_a_small_table_are_reported_and_the_rest_is_imported() {
    let names = ["A", "B", "A", "B", "C", "D", "E"];
    let codes = ["3.01", "3.02", "3.01", "3.02", "3.03", "3.04", "3.05"];
    let values = ["1", "2", "3", "4", "5", "6", "7"];
    let rows = codes.into_iter().zip(names).zip(values);
    let rows: Vec<_> = rows.map(|((code, name), value)| year_row(code, name, value)).collect();
    let (remarks, served) = of_table(income(&rows));
    let told = "2 rows with another value of the same account: the last is kept (line 4, line 5)";
    assert_eq!(remarks, [told]);
    assert_eq!(served, ["3.01 A 3000", "3.02 B 4000", "3.03 C 5000", "3.04 D 6000", "3.05 E 7000"]);
}

#[test]
fn two_unreadable_rows_of_a_small_table_are_reported_and_the_rest_is_imported() {
    let mut rows: Vec<_> = (0..20).map(|_| year_row("3.01", "A", "1")).collect();
    rows.extend([year_row("3.02", "B", "n/d"), year_row("3.03", "C", "")]);
    let (remarks, served) = of_table(income(&rows));
    assert!(remarks[0].starts_with("left out: 2 rows that cannot be read"), "{remarks:?}");
    assert_eq!(served, ["3.01 A 1000"]);
}

#[test]
fn an_account_is_served_once_in_a_period() {
    // Once in CVM's plan and once not, it is the same.
    let both = [year_row("3.01", "A", "1"), year_row("3.01", "A", "2")];
    let table = own(&income(&both), &[";2.0"]);
    let (remarks, served) = of_table(table);
    assert_eq!((remarks.len(), served), (1, vec!["3.01 A 2000".to_owned()]));
    // An account of the plan has one name.
    let both = [year_row("3.02", "A", "1"), year_row("3.02", "B", "2")];
    let (remarks, served) = of_table(income(&both));
    assert_eq!((remarks.len(), served), (1, vec!["3.02 B 2000".to_owned()]));
    // Companies use a number of their own twice, as BCO BMG in 2021.
    let (remarks, served) = of_table(own(&income(&both), &["3.02"]));
    assert_eq!(
        (remarks, served),
        (vec![], vec!["3.02 A 1000".to_owned(), "3.02 B 2000".to_owned()])
    );
}

#[test]
fn a_form_of_thousands_of_periods_takes_no_memory_for_them() {
    let first: crate::values::date::Date = "2000-01-01".parse().unwrap();
    let day = |number| {
        crate::values::date::Date::from_day_number(first.day_number() + number).unwrap().to_string()
    };
    let rows = |form: &str, count: i32| {
        let row = |number: i32| {
            let end = day(number);
            format!(
                "33.000.167/0001-01;2024-12-31;{form};X;009512;DF;REAL;MIL;PENÚLTIMO;1999-01-01;{end};3.04.{number};\
                 Conta {number};1;N\r\n"
            )
        };
        (1..=count).map(row).collect::<String>()
    };
    let table = |text: String| encoding_rs::WINDOWS_1252.encode(&text).0.into_owned();
    let dir = tempfile::tempdir().unwrap();
    let catalogue = Catalogue::open(dir.path().join("catalogue.db")).unwrap();
    let mut begun = Import::begin(&catalogue, "2026-11-02T12:00:00Z".parse().unwrap()).unwrap();
    let name = "dfp_cia_aberta_DRE_con_2024.csv";
    let refused = begun.file(name, &table(FLOWS.to_owned() + &rows("1", 3000))).unwrap_err();
    let told = "is not a period of the form, which has 100 others";
    assert!(refused.to_string().contains(told), "{refused}");
    drop(begun);
    let few = table(FLOWS.to_owned() + &rows("1", 100));
    let told =
        "left out: 1 statements whose accounts are scattered over periods (9512 dfp 2024-12-31 1)";
    assert_eq!(import(&catalogue, &[(name, few)])[0].remarks(), [told]);
}

#[test]
fn three_months_alone_are_no_year_to_date() {
    let (code, name) = PROFIT;
    let quarter = |start, end| (end, 1, "ÚLTIMO", start, end, code, name, "1");
    let (first, second) =
        (quarter("2024-01-01", "2024-03-31"), quarter("2024-04-01", "2024-06-30"));
    let year_before = ("2023-12-31", 1, "ÚLTIMO", "2023-01-01", "2023-12-31", code, name, "9");
    let itr = "itr_cia_aberta_DRE_con_2024.csv";
    let dfp = |row| ("dfp_cia_aberta_DRE_con_2023.csv", income(&[row]));
    let (_dir, catalogue) = catalogue_of(&[(itr, income(&[first, second]))]);
    let only = ["2024-01-01 2024-03-31 filed 1000"];
    assert_eq!(shown(&catalogue, Period::YearToDate), only);
    let (_dir, catalogue) = catalogue_of(&[(itr, income(&[second])), dfp(year_before)]);
    assert_eq!(shown(&catalogue, Period::YearToDate), ["2023-01-01 2023-12-31 filed 9000"]);
    let year = ("2024-12-31", 1, "ÚLTIMO", "2024-01-01", "2024-12-31", code, name, "9");
    let (_dir, catalogue) = catalogue_of(&[(itr, income(&[first, second])), dfp(year)]);
    let both = ["2024-01-01 2024-12-31 filed 9000", only[0]];
    assert_eq!(shown(&catalogue, Period::YearToDate), both);
    assert_eq!(shown(&catalogue, Period::Quarter).len(), 2);
}

#[test]
fn a_form_whose_period_ends_on_another_day_passes_the_check() {
    let (code, name) = PROFIT;
    let row = ("2024-12-31", 1, "ÚLTIMO", "2024-01-01", "2024-11-30", code, name, "1");
    let table = income(&[row]);
    let (remarks, served) = of_table(table.clone());
    let told = "forms with a period that ends on another day than they do, which is in exports only: 1 (9512 dfp 2024-12-31 1)";
    assert_eq!((remarks, served), (vec![told.to_owned()], vec![]));
    let (_dir, catalogue) = catalogue_of(&[("dfp_cia_aberta_DRE_con_2024.csv", table)]);
    assert_eq!(catalogue.check().unwrap().problems, [""; 0]);
}

#[test]
fn another_name_of_an_account_does_not_restate_a_year() {
    let before = ("2023-12-31", 1, "ÚLTIMO", "2023-01-01", "2023-12-31", "3.01", "Receita", "7");
    let later =
        ("2024-12-31", 1, "PENÚLTIMO", "2023-01-01", "2023-12-31", "3.01", "Receita líquida", "7");
    let (_dir, catalogue) = catalogue_of(&[
        ("dfp_cia_aberta_DRE_con_2023.csv", income(&[before])),
        ("dfp_cia_aberta_DRE_con_2024.csv", income(&[later, year_row("3.01", "Receita", "8")])),
    ]);
    let snapshot = catalogue.snapshot("2026-11-01".parse().unwrap()).unwrap();
    let query = StatementQuery {
        restated: Restated::Yes,
        ..StatementQuery::new("9512".parse().unwrap(), StatementKind::Income)
    };
    let page = statement(&snapshot, query).unwrap();
    let origins: Vec<_> = page.data.iter().map(|row| row.origin.name()).collect();
    assert_eq!(origins, ["filed", "filed"]);
}

#[test]
fn a_number_of_shares_that_cannot_be_stored_is_left_out() {
    let row =
        |count: &str| format!("33.000.167/0001-01;2024-12-31;1;X;{count};0;{count};0;0;0\r\n");
    let head = "CNPJ_CIA;DT_REFER;VERSAO;DENOM_CIA;QT_ACAO_ORDIN_CAP_INTEGR;QT_ACAO_PREF_CAP_INTEGR;QT_ACAO_TOTAL_CAP_INTEGR;QT_ACAO_ORDIN_TESOURO;QT_ACAO_PREF_TESOURO;QT_ACAO_TOTAL_TESOURO\r\n";
    let text = head.to_owned() + &row("9223372036854775808") + &row("9223372036854775807");
    let dir = tempfile::tempdir().unwrap();
    let catalogue = Catalogue::open(dir.path().join("catalogue.db")).unwrap();
    let name = "dfp_cia_aberta_composicao_capital_2024.csv";
    let imported = import(&catalogue, &[(name, text.into_bytes())]);
    let told = "\"9223372036854775808\" is not a number of shares";
    assert!(imported[0].remarks()[0].contains(told), "{imported:?}");
}

#[test]
fn companies_and_the_screen_choose_the_same_scope_and_say_why_nothing_fits() {
    let (code, name) = PROFIT;
    let year = |day: &'static str, start| [(day, 1, "ÚLTIMO", start, day, code, name, "1")];
    let (before, now) = (year("2023-12-31", "2023-01-01"), year("2024-12-31", "2024-01-01"));
    let (_dir, catalogue) = catalogue_of(&[
        ("dfp_cia_aberta_DRE_con_2023.csv", income(&before)),
        ("dfp_cia_aberta_DRE_ind_2023.csv", income(&before)),
        ("dfp_cia_aberta_DRE_ind_2024.csv", income(&now)),
    ]);
    let snapshot = catalogue.snapshot("2026-11-01".parse().unwrap()).unwrap();
    let shown = |row: &CompanyFinancials| format!("{} {}", row.period_end, row.scope.name());
    for sources in [FigureSources::Omitted, FigureSources::Listed] {
        let query = FinancialsQuery { sources, ..FinancialsQuery::new("9512".parse().unwrap()) };
        let page = financials(&snapshot, query).unwrap();
        let rows: Vec<_> = page.data.iter().map(shown).collect();
        assert_eq!(rows, ["2024-12-31 individual", "2023-12-31 consolidated"]);
    }
    let screened = |year: Option<&str>, sector: Option<&str>| {
        let year = year.map(|year| year.parse().unwrap());
        let query = ScreenQuery { year, sector: sector.map(str::to_owned), ..Default::default() };
        screen(&snapshot, query).unwrap()
    };
    for (year, row) in [(None, "2024-12-31 individual"), (Some("2023"), "2023-12-31 consolidated")]
    {
        assert_eq!(shown(&screened(year, None).data[0].financials), row);
    }
    let hints = |year, sector| -> Vec<String> {
        screened(year, sector).meta.hints.iter().map(ToString::to_string).collect()
    };
    assert!(hints(Some("1950"), None)[0].contains("2023-12-31"), "{:?}", hints(Some("1950"), None));
    assert!(hints(None, Some("xyz"))[0].contains("xyz"), "{:?}", hints(None, Some("xyz")));
    assert!(hints(Some("2023"), None).is_empty());
}

#[test]
fn forms_that_an_index_no_longer_lists_are_told_and_go_with_force() {
    let index = |companies: &[u32]| {
        let row = |code: &u32| {
            format!(
                "33.000.167/0001-01;2024-12-31;1;X;{code:06};DFP;{code};2025-03-{:02};http://www.rad.cvm.gov.br/{code}\r\n",
                code % 10
            )
        };
        let head =
            "CNPJ_CIA;DT_REFER;VERSAO;DENOM_CIA;CD_CVM;CATEG_DOC;ID_DOC;DT_RECEB;LINK_DOC\r\n";
        let table = head.to_owned() + &companies.iter().map(row).collect::<String>();
        ("dfp_cia_aberta_2024.csv", table.into_bytes())
    };
    let statements = ("dfp_cia_aberta_DRE_con_2024.csv", income(&[year_row("3.01", "A", "1")]));
    // A newer index was downloaded, which reaches further.
    let (_dir, catalogue) = catalogue_of(&[]);
    let now = "2026-11-02T12:00:00Z".parse().unwrap();
    let mut whole = Import::begin(&catalogue, now).unwrap().from_publisher();
    for (name, bytes) in [index(&[9512, 9513, 9514, 9519]), statements] {
        whole.file(name, &bytes).unwrap();
    }
    whole.commit().unwrap();
    let remarks = import(&catalogue, &[index(&[9513, 9514])])[0].remarks();
    let told = "the file lacks 1 of 4 stored filings, which are kept: \
                only a forced import removes them, because they are over 2 %, or the file is older or an excerpt";
    assert_eq!(remarks, [told]);
    assert_eq!(shown(&catalogue, Period::Annual).len(), 1);
    let mut forced = Import::begin(&catalogue, now).unwrap().force();
    let (name, bytes) = index(&[9513, 9514]);
    assert_eq!(forced.file(name, &bytes).unwrap().tally.removed, 1);
    forced.commit().unwrap();
    let snapshot = catalogue.snapshot("2026-11-01".parse().unwrap()).unwrap();
    let query = FormsQuery::new("9512".parse().unwrap());
    assert!(!list(&snapshot, query).is_ok_and(|page| page.total > 0));
}
