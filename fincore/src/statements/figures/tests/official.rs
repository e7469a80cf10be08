//! The figures of the official files.
use std::{collections::BTreeMap, fs, path::Path};

use super::*;
use crate::import::sample_files::upstream;

/// The newest period of each company in a file of CVM, by code: rows of `ÚLTIMO` that end last and begin first.
type Companies = BTreeMap<String, Vec<Account>>;

fn read(folder: &Path, name: &str) -> Companies {
    let Ok(bytes) = fs::read(folder.join(name)) else { return Companies::new() };
    let text: String = bytes.into_iter().map(char::from).collect();
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().expect("a header").split(';').collect();
    let at = |column: &str| header.iter().position(|name| *name == column);
    let [company, order, end, code, label, value, scale] = [
        "CD_CVM",
        "ORDEM_EXERC",
        "DT_FIM_EXERC",
        "CD_CONTA",
        "DS_CONTA",
        "VL_CONTA",
        "ESCALA_MOEDA",
    ]
    .map(|column| at(column).expect(column));
    let start = at("DT_INI_EXERC");
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(';').collect()).collect();
    let rows = rows.iter().filter(|row| row[order] == "ÚLTIMO");
    let period = |row: &[&str]| {
        (row[end].to_owned(), std::cmp::Reverse(start.map(|start| row[start].to_owned())))
    };
    let mut newest = BTreeMap::new();
    for row in rows.clone() {
        let known = newest.entry(row[company]).or_insert_with(|| period(row));
        *known = period(row).max(known.clone());
    }
    let mut companies = Companies::new();
    for row in rows.filter(|row| newest[row[company]] == period(row)) {
        let decimal: Decimal = row[value]
            .trim_end_matches('0')
            .trim_end_matches('.')
            .parse()
            .unwrap_or(Decimal::from(0));
        let scaled = match row[scale] {
            "MIL" if !row[code].starts_with("3.99") => decimal.checked_mul(Decimal::from(1000)),
            _ => Some(decimal),
        };
        let value = scaled.expect("a value of at most 18 digits");
        companies.entry(row[company].to_owned()).or_default().push(Account {
            code: row[code].to_owned(),
            name: row[label].to_owned(),
            column: None,
            value,
            fixed: true,
        });
    }
    companies
}

#[test]
fn figures_of_2023_have_every_account_of_the_general_plan() {
    let Some(folder) = upstream("cvm") else { return };
    let [assets, liabilities, income] = ["BPA", "BPP", "DRE"]
        .map(|kind| read(&folder, &format!("dfp_cia_aberta_{kind}_con_2023.csv")));
    for (company, assets) in &assets {
        let balance_sheet = [&assets[..], &liabilities[company]].concat();
        let figures = figures(&PeriodStatements {
            balance_sheet: Some(&balance_sheet),
            income: income.get(company).map(Vec::as_slice),
            ..PeriodStatements::default()
        });
        assert_eq!(figures.plan, Some(AccountPlan::General), "{company}");
        for metric in Metric::ALL.into_iter().take(Metric::Equity as usize + 1) {
            let is_from_others =
                matches!(metric, Metric::DepreciationAmortisation | Metric::Ebitda);
            let figure = figures.get(metric);
            let is_undivided = figure.reason == Some(Reason::NotDivided);
            assert!(
                figure.value.is_some() || is_from_others || is_undivided,
                "{company} {metric:?}"
            );
        }
    }
}

#[test]
fn figures_of_two_banks_come_from_the_accounts_of_their_plans() {
    let Some(folder) = upstream("cvm/statements/itr-2026") else { return };
    let [assets, liabilities, income] = ["BPA", "BPP", "DRE"]
        .map(|kind| read(&folder, &format!("itr_cia_aberta_{kind}_con_2026.csv")));
    // Itaú files its shares in thousands.
    let capital = Capital { total: 11_026_869, treasury_total: 4_997, ..Capital::default() };
    for (company, expected) in [
        (
            "019348",
            "net_income 24199000000 [3.09]
            equity 228026000000 [2.08]
            ebit null [] not_in_plan
            shares 11021872000 [composicao_capital] counted_in_thousands",
        ),
        (
            "001023",
            "net_income 6362961000 [3.11]
            net_income_controlling 4794808000 [3.11.01]
            equity 190767860000 [2.07]
            ebitda null [] not_in_plan",
        ),
    ] {
        let balance_sheet = [assets[company].clone(), liabilities[company].clone()].concat();
        let figures = figures(&PeriodStatements {
            balance_sheet: Some(&balance_sheet),
            income: Some(&income[company]),
            capital: Some(capital),
            ..PeriodStatements::default()
        });
        assert_eq!(figures.plan, Some(AccountPlan::Bank));
        check(&figures, expected);
    }
}

#[test]
fn every_comprehensive_income_gives_a_net_income() {
    let Some(folder) = upstream("cvm/statements") else { return };
    for year in 2021..=2025 {
        for scope in ["con", "ind"] {
            let companies = read(&folder, &format!("dfp_cia_aberta_DRA_{scope}_{year}.csv"));
            for (company, accounts) in companies {
                let figures = figures(&PeriodStatements {
                    comprehensive_income: Some(&accounts),
                    ..PeriodStatements::default()
                });
                let filed = accounts.iter().find(|account| account.code == "4.01");
                let net_income = figures.get(Metric::NetIncome).value;
                assert_eq!(net_income, filed.map(|account| account.value), "{company} {year}");
            }
        }
    }
}
