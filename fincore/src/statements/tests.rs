use super::*;
use crate::{
    import::{Import, sample_files::upstream},
    publish::events,
    store::Catalogue,
    values::Limit,
};

pub(crate) mod computed;
pub(crate) mod imported;

fn import(
    catalogue: &Catalogue,
    files: &[(&str, Vec<u8>)],
) -> Vec<crate::import::report::Imported> {
    let mut import = Import::begin(catalogue, "2026-11-01T12:00:00Z".parse().unwrap()).unwrap();
    let imported = files.iter().map(|(name, bytes)| import.file(name, bytes).unwrap()).collect();
    import.commit().unwrap();
    imported
}

#[test]
fn official_archives_are_read() {
    let Some(folder) = upstream("cvm") else { return };
    let dir = tempfile::tempdir().unwrap();
    let catalogue = Catalogue::open(dir.path().join("catalogue.db")).unwrap();
    let files = [
        ("dfp_cia_aberta_2025.zip", std::fs::read(folder.join("dfp_cia_aberta_2025.zip")).unwrap()),
        (
            "itr_cia_aberta_2026.zip",
            std::fs::read(folder.join("statements/itr-2026/itr_cia_aberta_2026.zip")).unwrap(),
        ),
    ];
    let imported = import(&catalogue, &files);
    assert!(imported.iter().all(|file| file.remarks().is_empty()), "{imported:?}");
    let snapshot = catalogue.snapshot("2026-11-01".parse().unwrap()).unwrap();
    let page = list(&snapshot, FormsQuery::new("23981".parse().unwrap())).unwrap();
    assert_eq!(page.total, 2);
    assert_eq!(page.data[0].kinds, StatementKind::ALL);
    assert_eq!(page.data[0].filing_id.unwrap().to_string(), "dfp-148167");
    // Of Unipar, both quarters of 2026 were filed as such.
    let query = StatementQuery {
        depth: Some(Limit::new(2).unwrap()),
        period: Period::Quarter,
        ..StatementQuery::new("11592".parse().unwrap(), StatementKind::Income)
    };
    let page = statement(&snapshot, query).unwrap();
    let revenue = |row: &Statement| (row.period_end.to_string(), row.accounts[0].value.to_string());
    let quarters: Vec<_> = page.data.iter().map(revenue).collect();
    let wanted = [("2026-06-30", "1495676000"), ("2026-03-31", "1238235000")];
    assert_eq!(quarters, wanted.map(|(end, value)| (end.to_owned(), value.to_owned())));
}

/// The header of a table with flows.
const FLOWS: &str = "CNPJ_CIA;DT_REFER;VERSAO;DENOM_CIA;CD_CVM;GRUPO_DFP;MOEDA;ESCALA_MOEDA;ORDEM_EXERC;DT_INI_EXERC;DT_FIM_EXERC;CD_CONTA;DS_CONTA;VL_CONTA;ST_CONTA_FIXA\r\n";

/// Reference day, version, order, first day, last day, code, name, value in thousands.
type IncomeRow = (
    &'static str,
    u32,
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static str,
);

/// A table of income statements.
fn income(rows: &[IncomeRow]) -> Vec<u8> {
    let mut text = FLOWS.to_owned();
    for (reference, version, order, start, end, code, name, value) in rows {
        text += &format!(
            "33.000.167/0001-01;{reference};{version};COMPANHIA EXEMPLO S.A.;009512;DF Consolidado;REAL;MIL;{order};\
            {start};{end};{code};{name};{value}.0000000000;S\r\n"
        );
    }
    encoding_rs::WINDOWS_1252.encode(&text).0.into_owned()
}

const REVENUE: (&str, &str) = ("3.01", "Receita de Venda de Bens e/ou Serviços");
const PROFIT: (&str, &str) = ("3.11", "Lucro/Prejuízo Consolidado do Período");

/// A year of forms: the quarters, the third of which says only the year to date, and the year.
fn year_of_forms() -> [(&'static str, Vec<u8>); 2] {
    let mut itr = Vec::new();
    let quarters = [
        ("2024-03-31", "2024-01-01", "100", "10"),
        ("2024-06-30", "2024-01-01", "210", "21"),
        ("2024-06-30", "2024-04-01", "111", "12"),
        ("2024-09-30", "2024-01-01", "330", "33"),
    ];
    for (end, start, revenue, profit) in quarters {
        for ((code, name), value) in [(REVENUE, revenue), (PROFIT, profit)] {
            itr.push((end, 1, "ÚLTIMO", start, end, code, name, value));
        }
    }
    let mut dfp = Vec::new();
    for ((code, name), value) in [(REVENUE, "500"), (PROFIT, "-5")] {
        dfp.push(("2024-12-31", 1, "ÚLTIMO", "2024-01-01", "2024-12-31", code, name, value));
    }
    dfp.push(("2024-12-31", 1, "ÚLTIMO", "2024-01-01", "2024-12-31", "3.99.01.01", "ON", "1"));
    [
        ("itr_cia_aberta_DRE_con_2024.csv", income(&itr)),
        ("dfp_cia_aberta_DRE_con_2024.csv", income(&dfp)),
    ]
}

fn catalogue_of(files: &[(&str, Vec<u8>)]) -> (tempfile::TempDir, Catalogue) {
    let dir = tempfile::tempdir().unwrap();
    let catalogue = Catalogue::open(dir.path().join("catalogue.db")).unwrap();
    import(&catalogue, files);
    (dir, catalogue)
}

/// The end, origin and values of each period.
fn shown(catalogue: &Catalogue, period: Period) -> Vec<String> {
    let snapshot = catalogue.snapshot("2026-11-01".parse().unwrap()).unwrap();
    let query = StatementQuery {
        period,
        ..StatementQuery::new("9512".parse().unwrap(), StatementKind::Income)
    };
    let page = statement(&snapshot, query).unwrap();
    assert_eq!(page.total, page.data.len() as u64);
    let row = |row: &Statement| {
        let values = row.accounts.iter().map(|account| account.value.to_string());
        let values = values.collect::<Vec<_>>().join(" ");
        let start = row.period_start.unwrap();
        format!("{start} {} {} {values}", row.period_end, row.origin.name())
    };
    page.data.iter().map(row).collect()
}

#[test]
fn quarters_are_taken_or_subtracted_and_four_of_them_are_twelve_months() {
    let (_dir, catalogue) = catalogue_of(&year_of_forms());
    assert_eq!(shown(&catalogue, Period::Annual), ["2024-01-01 2024-12-31 filed 500000 -5000 1"]);
    let quarters = [
        "2024-10-01 2024-12-31 computed 170000 -38000",
        "2024-07-01 2024-09-30 computed 120000 12000",
        "2024-04-01 2024-06-30 filed 111000 12000",
        "2024-01-01 2024-03-31 filed 100000 10000",
    ];
    assert_eq!(shown(&catalogue, Period::Quarter), quarters);
    let to_date = [
        "2024-01-01 2024-12-31 filed 500000 -5000 1",
        "2024-01-01 2024-09-30 filed 330000 33000",
        "2024-01-01 2024-06-30 filed 210000 21000",
        "2024-01-01 2024-03-31 filed 100000 10000",
    ];
    assert_eq!(shown(&catalogue, Period::YearToDate), to_date);
    // The quarters as filed, which add up to another sum than the year.
    let trailing = ["2024-01-01 2024-12-31 computed 501000 -4000"];
    assert_eq!(shown(&catalogue, Period::TrailingTwelveMonths), trailing);
}

#[test]
fn a_year_without_its_quarters_is_its_own_twelve_months() {
    let [_, dfp] = year_of_forms();
    let (_dir, catalogue) = catalogue_of(&[dfp]);
    let year = ["2024-01-01 2024-12-31 filed 500000 -5000 1"];
    assert_eq!(shown(&catalogue, Period::TrailingTwelveMonths), year);
    assert!(shown(&catalogue, Period::Quarter).is_empty());
}

#[test]
fn a_short_year_has_no_fourth_quarter() {
    let rows = |end: &'static str, value| {
        let (code, name) = REVENUE;
        [(end, 1, "ÚLTIMO", "2024-04-01", end, code, name, value)]
    };
    let (_dir, catalogue) = catalogue_of(&[
        ("itr_cia_aberta_DRE_con_2024.csv", income(&rows("2024-09-30", "330"))),
        ("dfp_cia_aberta_DRE_con_2024.csv", income(&rows("2024-12-31", "500"))),
    ]);
    assert_eq!(shown(&catalogue, Period::Annual), ["2024-04-01 2024-12-31 filed 500000"]);
    assert!(shown(&catalogue, Period::Quarter).is_empty());
    assert!(shown(&catalogue, Period::TrailingTwelveMonths).is_empty());
}

#[test]
fn figures_of_a_company_and_of_all_follow_its_statements() {
    let (_dir, catalogue) = catalogue_of(&year_of_forms());
    let snapshot = catalogue.snapshot("2026-11-01".parse().unwrap()).unwrap();
    let of = |period| {
        let query = FinancialsQuery { period, ..FinancialsQuery::new("9512".parse().unwrap()) };
        financials(&snapshot, query).unwrap()
    };
    let profit = |row: &CompanyFinancials| row.figure(Metric::NetIncome).value.unwrap().to_string();
    let quarters: Vec<_> = of(Period::Quarter).data.iter().map(profit).collect();
    assert_eq!(quarters, ["-38000", "12000", "12000", "10000"]);
    let year = of(Period::Annual);
    assert_eq!(year.total, 1);
    assert_eq!(year.data[0].plan, Some(AccountPlan::General));
    assert_eq!(year.data[0].figure(Metric::NetMargin).value.unwrap().to_string(), "-1.00");
    let query = FinancialsQuery {
        sources: FigureSources::Listed,
        ..FinancialsQuery::new("9512".parse().unwrap())
    };
    let sourced = financials(&snapshot, query).unwrap();
    assert_eq!(sourced.data[0].figure(Metric::NetIncome).from, ["3.11"]);
    let query = ScreenQuery {
        metric: Some("net_income,revenue".parse().unwrap()),
        year: Some("2024".parse().unwrap()),
        order: "-net_income".parse().unwrap(),
        ..ScreenQuery::default()
    };
    let page = screen(&snapshot, query).unwrap();
    let json = serde_json::to_value(&page).unwrap();
    assert_eq!(json["total"], 1);
    assert_eq!(json["data"][0]["net_income"].to_string(), "-5000");
    assert_eq!(json["data"][0].as_object().unwrap().len(), 7);
    for (period, year) in [(Period::Annual, "2023"), (Period::Annual, "2025")] {
        let year = Some(year.parse().unwrap());
        assert_eq!(
            screen(&snapshot, ScreenQuery { period, year, ..Default::default() }).unwrap().total,
            0
        );
    }
}

#[test]
fn an_older_version_never_replaces_a_newer_one() {
    let form = |version, value| {
        let (code, name) = PROFIT;
        let row =
            [("2024-12-31", version, "ÚLTIMO", "2024-01-01", "2024-12-31", code, name, value)];
        ("dfp_cia_aberta_DRE_con_2024.csv", income(&row))
    };
    let (_dir, catalogue) = catalogue_of(&[form(2, "20")]);
    import(&catalogue, &[form(1, "10")]);
    assert_eq!(shown(&catalogue, Period::Annual), ["2024-01-01 2024-12-31 filed 20000"]);
    let snapshot = catalogue.snapshot("2026-11-01".parse().unwrap()).unwrap();
    let forms = list(&snapshot, FormsQuery::new("9512".parse().unwrap())).unwrap();
    let versions: Vec<u32> = forms.data.iter().map(|form| form.version).collect();
    assert_eq!(versions, [2, 1]);
}

/// All rows of an export, or the changes since a version.
fn exported(catalogue: &Catalogue, dataset: &str, since: Option<u64>) -> Vec<serde_json::Value> {
    use crate::publish::export::{Export, Format, Query};
    let snapshot = catalogue.snapshot("2026-11-01".parse().unwrap()).unwrap();
    let query = Query { since, ..Query::new(dataset.parse().unwrap(), Format::Ndjson) };
    let mut export = Export::begin(snapshot, query).unwrap();
    let mut out = Vec::new();
    while export.write(&mut out).unwrap() {}
    let rows: Vec<_> = out
        .split(|byte| *byte == b'\n')
        .filter_map(|line| serde_json::from_slice(line).ok())
        .collect();
    assert_eq!(export.total(), rows.len() as u64);
    rows
}

#[test]
fn an_old_export_and_its_changes_make_the_new_one() {
    let (code, name) = PROFIT;
    let form = |day: &'static str, version, value| {
        let start = if day == "2024-12-31" { "2024-01-01" } else { "2023-01-01" };
        (day, version, "ÚLTIMO", start, day, code, name, value)
    };
    let file = |rows: &[IncomeRow]| ("dfp_cia_aberta_DRE_con_2024.csv", income(rows));
    let (_dir, catalogue) =
        catalogue_of(&[file(&[form("2023-12-31", 1, "7"), form("2024-12-31", 1, "8")])]);
    let version = catalogue.snapshot("2026-11-01".parse().unwrap()).unwrap().version().unwrap();
    let before =
        [exported(&catalogue, "statements", None), exported(&catalogue, "financials", None)];
    assert_eq!(before.each_ref().map(Vec::len), [2, 4]);
    import(&catalogue, &[file(&[form("2023-12-31", 1, "9"), form("2024-12-31", 2, "10")])]);
    let identity: [&[&str]; 2] = [
        &["company_id", "form", "period_end", "version"],
        &["company_id", "period", "period_end", "scope"],
    ];
    for ((dataset, mut rows), identity) in
        ["statements", "financials"].into_iter().zip(before).zip(identity)
    {
        for mut change in exported(&catalogue, dataset, Some(version)) {
            let kind = change.as_object_mut().unwrap().remove("change").unwrap();
            let is_it =
                |row: &serde_json::Value| identity.iter().all(|name| row[name] == change[name]);
            if kind != "added" {
                assert!(rows.iter().any(is_it), "{dataset} {change}");
                rows.retain(|row| !is_it(row));
            }
            if kind != "removed" {
                rows.push(change);
            }
        }
        let text = |rows: Vec<serde_json::Value>| {
            let mut texts: Vec<String> = rows.iter().map(ToString::to_string).collect();
            texts.sort();
            texts
        };
        assert_eq!(text(rows), text(exported(&catalogue, dataset, None)), "{dataset}");
    }
    let values: Vec<_> = exported(&catalogue, "statements", None)
        .iter()
        .map(|row| row["value"].to_string())
        .collect();
    assert_eq!(values, ["9000", "8000", "10000"]);
}

#[test]
fn a_new_version_of_a_form_is_an_event() {
    use crate::publish::events::{EventWindow, EventsQuery};
    let (_dir, catalogue) = catalogue_of(&year_of_forms());
    let snapshot = catalogue.snapshot("2026-11-01".parse().unwrap()).unwrap();
    let news = events::list(&snapshot, EventWindow::default(), EventsQuery::default()).unwrap();
    let forms: Vec<_> =
        news.data.iter().map(|event| (event.kind, event.data.get().to_owned())).collect();
    assert_eq!(forms.len(), 4);
    let first = r#"{"company_id":"9512","form":"DFP","period_end":"2024-12-31","version":1,"received":null,"filing_id":null,"scopes":["consolidated"],"kinds":["income"]}"#;
    assert_eq!(forms[0], ("statement.published", first.to_owned()));
}

#[test]
fn a_comparative_that_differs_restates_the_year_before() {
    let (code, name) = PROFIT;
    let year = |year: &'static str, order, end: &'static str, value| {
        let start = if end == "2023-12-31" { "2023-01-01" } else { "2024-01-01" };
        (year, 1, order, start, end, code, name, value)
    };
    let (_dir, catalogue) = catalogue_of(&[
        (
            "dfp_cia_aberta_DRE_con_2023.csv",
            income(&[year("2023-12-31", "ÚLTIMO", "2023-12-31", "7")]),
        ),
        (
            "dfp_cia_aberta_DRE_con_2024.csv",
            income(&[
                year("2024-12-31", "PENÚLTIMO", "2023-12-31", "8"),
                year("2024-12-31", "ÚLTIMO", "2024-12-31", "9"),
            ]),
        ),
    ]);
    let snapshot = catalogue.snapshot("2026-11-01".parse().unwrap()).unwrap();
    let of = |restated| {
        let query = StatementQuery {
            restated,
            ..StatementQuery::new("9512".parse().unwrap(), StatementKind::Income)
        };
        let page = statement(&snapshot, query).unwrap();
        let row = |row: &Statement| format!("{} {}", row.origin.name(), row.accounts[0].value);
        page.data.iter().map(row).collect::<Vec<_>>()
    };
    assert_eq!(of(Restated::No), ["filed 9000", "filed 7000"]);
    assert_eq!(of(Restated::Yes), ["filed 9000", "restated 8000"]);
}

#[test]
fn a_check_makes_figures_again_and_a_repair_puts_them_right() {
    let (_dir, catalogue) = catalogue_of(&year_of_forms());
    assert_eq!(catalogue.check().unwrap().problems, [""; 0]);
    let before = exported(&catalogue, "financials", None);
    let now = "2026-11-02T12:00:00Z".parse().unwrap();
    let damage = |sql: &str| {
        let writer = catalogue.write(now).unwrap();
        writer.prepare(sql).unwrap().execute([]).unwrap();
        writer.commit_unversioned().unwrap();
    };
    damage("UPDATE financial SET figures = replace(figures, '-5000', '5000') WHERE period = 0");
    let problems = catalogue.check().unwrap().problems;
    assert_eq!(
        problems,
        ["1 period whose figures do not follow from the statements: 9512 0 2024-12-31 0"]
    );
    catalogue.rebuild(now).unwrap();
    assert_eq!(catalogue.check().unwrap().problems, [""; 0]);
    assert_eq!(exported(&catalogue, "financials", None), before);
    damage("UPDATE statement SET content = x'00' WHERE id = (SELECT MIN(id) FROM statement)");
    let problems = catalogue.check().unwrap().problems;
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(
        problems[0].starts_with(
            "1 statement that cannot be read: 9512 itr 2024-03-31 1 consolidated income"
        )
    );
    catalogue.rebuild(now).unwrap();
    assert_eq!(catalogue.check().unwrap().problems, [""; 0]);
    assert_eq!(shown(&catalogue, Period::Quarter).len(), 3);
}

#[test]
fn renamed_columns_are_read_and_a_missing_one_is_named() {
    let [_, (name, file)] = year_of_forms();
    let renamed = |columns: &[(&str, &str)]| {
        let mut text = encoding_rs::WINDOWS_1252.decode(&file).0.into_owned();
        for (column, other) in columns {
            text = text.replacen(column, other, 1);
        }
        encoding_rs::WINDOWS_1252.encode(&text).0.into_owned()
    };
    let others = [
        ("CD_CONTA", "Codigo_Conta"),
        ("DS_CONTA", "Descricao_Conta"),
        ("VL_CONTA", "Valor_Conta"),
        ("GRUPO_DFP", "Grupo"),
        ("DT_INI_EXERC", "Data_Inicio_Exercicio"),
    ];
    let (_dir, catalogue) = catalogue_of(&[(name, renamed(&others))]);
    assert_eq!(shown(&catalogue, Period::Annual), ["2024-01-01 2024-12-31 filed 500000 -5000 1"]);
    let mut import = Import::begin(&catalogue, "2026-11-02T12:00:00Z".parse().unwrap()).unwrap();
    let err = import.file(name, &renamed(&[("VL_CONTA", "VL_OUTRO")])).unwrap_err();
    assert!(err.to_string().ends_with("line 1: the column VL_CONTA is missing"), "{err}");
}

#[test]
fn the_status_has_the_forms_that_are_held() {
    let (_dir, catalogue) = catalogue_of(&year_of_forms());
    let snapshot = catalogue.snapshot("2026-11-01".parse().unwrap()).unwrap();
    let status = crate::search::datasets::status(&snapshot).unwrap();
    let held = status.data.iter().find(|dataset| dataset.dataset == "statements").unwrap();
    let days = (held.first.unwrap().to_string(), held.newest.unwrap().to_string());
    assert_eq!((held.rows, days), (4, ("2024-03-31".to_owned(), "2024-12-31".to_owned())));
}
