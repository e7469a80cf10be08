//! Periods that no form has: quarters and twelve months that are computed, and the figures of them.
use super::*;

const NET_INCOME: (&str, &str) = ("4.01", "Lucro Líquido Consolidado do Período");

/// Rows of one column: the reference day, the first and the last day, and the accounts with their values.
fn column(
    (reference, start, end): (&'static str, &'static str, &'static str),
    accounts: &[(&'static str, &'static str, &'static str)],
) -> Vec<IncomeRow> {
    let row = |(code, name, value)| (reference, 1, "ÚLTIMO", start, end, code, name, value);
    accounts.iter().copied().map(row).collect()
}

/// From the first of January to the reference day.
fn to_date(
    reference: &'static str,
    accounts: &[(&'static str, &'static str, &'static str)],
) -> Vec<IncomeRow> {
    let start = if reference.starts_with("2019") { "2019-01-01" } else { "2020-01-01" };
    column((reference, start, reference), accounts)
}

/// The end and the value of a figure in each period, newest first, with the reason where it is null.
fn figure_of(catalogue: &Catalogue, period: Period, metric: Metric) -> Vec<String> {
    let snapshot = catalogue.snapshot("2026-11-01".parse().unwrap()).unwrap();
    let query = FinancialsQuery {
        period,
        sources: FigureSources::Listed,
        ..FinancialsQuery::new("9512".parse().unwrap())
    };
    let page = financials(&snapshot, query).unwrap();
    let text = |row: &CompanyFinancials| {
        let figure = row.figure(metric);
        let reason = figure.reason.map(Reason::name);
        let value = figure.value.map(|value| value.to_string());
        format!("{} {}", row.period_end, value.or(reason.map(str::to_owned)).unwrap())
    };
    page.data.iter().map(text).collect()
}

#[test]
fn a_fourth_quarter_is_computed_where_the_annual_form_has_no_income_statement() {
    let (code, name) = NET_INCOME;
    let ends = ["2019-03-31", "2019-06-30", "2019-09-30"];
    let quarters = |code, name| {
        let form = |(end, value)| to_date(end, &[(code, name, value)]);
        ends.into_iter().zip(["1", "2", "3"]).flat_map(form).collect::<Vec<_>>()
    };
    let files = [
        // The annual form has comprehensive income only, so that its plan of accounts is unknown.
        (
            "dfp_cia_aberta_DRA_con_2019.csv",
            income(&[to_date("2019-12-31", &[(code, name, "6")])].concat()),
        ),
        ("itr_cia_aberta_DRE_con_2019.csv", income(&quarters(REVENUE.0, REVENUE.1))),
        ("itr_cia_aberta_DRA_con_2019.csv", income(&quarters(code, name))),
    ];
    let (_dir, catalogue) = catalogue_of(&files);
    let of = |period| figure_of(&catalogue, period, Metric::NetIncome);
    let quarters = ["2019-12-31 3000", "2019-09-30 1000", "2019-06-30 1000", "2019-03-31 1000"];
    assert_eq!(of(Period::Quarter), quarters);
    assert_eq!(of(Period::TrailingTwelveMonths), ["2019-12-31 6000"]);
}

/// Four quarters, of which the last is the first of 2020 with a profit of this code and name.
fn bank(profit: (&'static str, &'static str)) -> (tempfile::TempDir, Catalogue) {
    let before = [
        ("3.01", "Receitas da Intermediação Financeira", "9"),
        ("3.09", "Lucro/Prejuízo Consolidado do Período", "4"),
    ];
    let since = [("3.01", "Receitas da Intermediação Financeira", "9"), (profit.0, profit.1, "4")];
    let itr = [
        to_date("2019-03-31", &before),
        to_date("2019-06-30", &before),
        to_date("2019-09-30", &before),
        to_date("2020-03-31", &since),
    ];
    catalogue_of(&[
        ("itr_cia_aberta_DRE_con_2019.csv", income(&itr.concat())),
        ("dfp_cia_aberta_DRE_con_2019.csv", income(&to_date("2019-12-31", &before))),
    ])
}

#[test]
fn twelve_months_are_not_added_up_across_the_two_plans_of_banks() {
    let revenue = |catalogue| figure_of(catalogue, Period::TrailingTwelveMonths, Metric::Revenue);
    let (_dir, catalogue) = bank(("3.09", "Lucro/Prejuízo Consolidado do Período"));
    assert_eq!(revenue(&catalogue), ["2020-03-31 9000", "2019-12-31 9000"]);
    let (_dir, catalogue) = bank(("3.11", "Lucro ou Prejuízo Líquido Consolidado do Período"));
    assert_eq!(revenue(&catalogue), ["2019-12-31 9000"]);
    let snapshot = catalogue.snapshot("2026-11-01".parse().unwrap()).unwrap();
    let query = FinancialsQuery {
        period: Period::Quarter,
        ..FinancialsQuery::new("9512".parse().unwrap())
    };
    let plans: Vec<_> =
        financials(&snapshot, query).unwrap().data.iter().map(|row| row.plan).collect();
    assert_eq!(plans, [Some(AccountPlan::Bank); 5]);
}

/// The nine months and the year of a cash flow.
fn cash_flow(
    nine_months: &[(&'static str, &'static str, &'static str)],
    year: &[(&'static str, &'static str, &'static str)],
) -> (tempfile::TempDir, Catalogue) {
    let nine_months = income(&to_date("2019-09-30", nine_months));
    let year = income(&to_date("2019-12-31", year));
    catalogue_of(&[
        ("itr_cia_aberta_DFC_MI_con_2019.csv", nine_months),
        ("dfp_cia_aberta_DFC_MI_con_2019.csv", year),
    ])
}

#[test]
fn outflows_of_computed_quarters_add_up_to_the_year_whatever_their_sign() {
    let bought = ("6.02.01", "Aquisição de imobilizado");
    for (nine_months, year, quarter) in
        [("-100", "-80", "-20000"), ("-100", "-130", "30000"), ("100", "-130", "30000")]
    {
        let line = |value| [(bought.0, bought.1, value)];
        let (_dir, catalogue) = cash_flow(&line(nine_months), &line(year));
        let made = figure_of(&catalogue, Period::Quarter, Metric::CapitalExpenditure);
        assert_eq!(made, [format!("2019-12-31 {quarter}")]);
    }
    let line = |value| [("7.04.01", "Depreciação, Amortização e Exaustão", value)];
    let (_dir, catalogue) = catalogue_of(&[
        ("itr_cia_aberta_DVA_con_2019.csv", income(&to_date("2019-09-30", &line("-100")))),
        ("dfp_cia_aberta_DVA_con_2019.csv", income(&to_date("2019-12-31", &line("-80")))),
    ]);
    let made = figure_of(&catalogue, Period::Quarter, Metric::DepreciationAmortisation);
    assert_eq!(made, ["2019-12-31 -20000"]);
}

#[test]
fn a_sum_of_accounts_is_null_where_one_of_the_forms_lacks_one_of_them() {
    let (dividends, interest) =
        (("6.03.01", "Dividendos pagos"), ("6.03.02", "Juros sobre o capital próprio pagos"));
    let one = |value| (dividends.0, dividends.1, value);
    let other = |value| (interest.0, interest.1, value);
    for (nine_months, year, quarter) in [
        (vec![one("-30")], vec![one("-40"), other("-50")], "no_account"),
        (vec![one("-30"), other("-5")], vec![one("-40")], "no_account"),
        (vec![], vec![one("-40")], "no_account"),
        (vec![one("-30")], vec![one("-40"), other("0")], "10000"),
        (vec![one("-30"), other("-20")], vec![one("-40"), other("-50")], "40000"),
    ] {
        let cash = ("6.03", "Caixa Líquido Atividades de Financiamento", "-99");
        let with_cash = |lines: Vec<_>| [vec![cash], lines].concat();
        let (_dir, catalogue) = cash_flow(&with_cash(nine_months), &with_cash(year));
        let made = figure_of(&catalogue, Period::Quarter, Metric::DividendsPaid);
        assert_eq!(made, [format!("2019-12-31 {quarter}")]);
    }
}

#[test]
fn what_is_computed_is_restated_by_columns_of_following_forms_alone() {
    let (code, name) = PROFIT;
    let row = |reference, order, end: &'static str, value| {
        let start = if end.starts_with("2019") { "2019-01-01" } else { "2020-01-01" };
        (reference, 1, order, start, end, code, name, value)
    };
    let itr_2019 = income(&[row("2019-09-30", "ÚLTIMO", "2019-09-30", "300")]);
    let dfp_2019 = income(&[row("2019-12-31", "ÚLTIMO", "2019-12-31", "405")]);
    let nine_months = row("2020-09-30", "PENÚLTIMO", "2019-09-30", "330");
    let own = row("2020-09-30", "ÚLTIMO", "2020-09-30", "360");
    let dfp_2020 = income(&[
        row("2020-12-31", "PENÚLTIMO", "2019-12-31", "450"),
        row("2020-12-31", "ÚLTIMO", "2020-12-31", "500"),
    ]);
    for (itr_2020, fourth) in [
        (income(&[nine_months, own]), "2019-12-31 restated 120000"),
        (income(&[own]), "2019-12-31 computed 105000"),
    ] {
        let (_dir, catalogue) = catalogue_of(&[
            ("itr_cia_aberta_DRE_con_2019.csv", itr_2019.clone()),
            ("dfp_cia_aberta_DRE_con_2019.csv", dfp_2019.clone()),
            ("itr_cia_aberta_DRE_con_2020.csv", itr_2020),
            ("dfp_cia_aberta_DRE_con_2020.csv", dfp_2020.clone()),
        ]);
        let snapshot = catalogue.snapshot("2026-11-01".parse().unwrap()).unwrap();
        let query = StatementQuery {
            period: Period::Quarter,
            restated: Restated::Yes,
            ..StatementQuery::new("9512".parse().unwrap(), StatementKind::Income)
        };
        let page = statement(&snapshot, query).unwrap();
        let told = page.data.iter().map(|row| {
            format!("{} {} {}", row.period_end, row.origin.name(), row.accounts[0].value)
        });
        assert_eq!(told.collect::<Vec<_>>(), ["2020-12-31 computed 140000", fourth]);
    }
}

#[test]
fn a_check_counts_what_does_not_add_up_as_filed() {
    let (code, name) = PROFIT;
    let row = |start, end, value| (end, 1, "ÚLTIMO", start, end, code, name, value);
    let part =
        |code, value| ("2019-09-30", 1, "ÚLTIMO", "2019-01-01", "2019-09-30", code, "Parte", value);
    let rows = |third| {
        income(&[
            row("2019-01-01", "2019-03-31", "10"),
            row("2019-04-01", "2019-06-30", "20"),
            row("2019-07-01", "2019-09-30", third),
            row("2019-01-01", "2019-09-30", "60"),
            part("3.04", "7"),
            part("3.04.01", "3"),
            part("3.04.02", if third == "31" { "4" } else { "-4" }),
        ])
    };
    for (third, notes) in [
        ("31", vec![]),
        (
            "50",
            vec![
                "1 of 1 subtotals do not add up as filed, such as 9512 2019-09-30 consolidated 3.04",
                "1 of 1 nine months are not the sum of their quarters as filed, such as 9512 2019-09-30 consolidated",
            ],
        ),
    ] {
        let (_dir, catalogue) = catalogue_of(&[("itr_cia_aberta_DRE_con_2019.csv", rows(third))]);
        let report = catalogue.check().unwrap();
        assert_eq!(
            (report.problems, report.notes),
            (Vec::new(), notes.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>())
        );
    }
}

#[test]
fn earnings_per_share_are_those_of_all_classes_where_no_class_has_them() {
    for (accounts, wanted) in [
        (&[("3.99", "2"), ("3.99.01.01", "0")][..], "2"),
        (&[("3.99.01", "3")], "3"),
        (&[("3.99.01", "3"), ("3.99.01.01", "4")], "4"),
        (&[("3.99.01.01", "0")], "left_at_zero"),
    ] {
        let lines = accounts.iter().map(|(code, value)| (*code, "ON", *value));
        let lines: Vec<_> = [(PROFIT.0, PROFIT.1, "7")].into_iter().chain(lines).collect();
        let rows = income(&to_date("2019-12-31", &lines));
        let (_dir, catalogue) = catalogue_of(&[("dfp_cia_aberta_DRE_con_2019.csv", rows)]);
        let made = figure_of(&catalogue, Period::Annual, Metric::Eps);
        assert_eq!(made, [format!("2019-12-31 {wanted}")]);
    }
}
