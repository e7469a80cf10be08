//! Figures of accounts made up for the purpose, with names that occur.
use super::*;

pub(crate) mod cash;
mod official;
pub(crate) mod plan;
pub(crate) mod shares;

fn account(code: &str, name: &str, value: &str) -> Account {
    let value = value.parse().expect("a number");
    Account { code: code.to_owned(), name: name.to_owned(), column: None, value, fixed: true }
}

/// Accounts of lines `code name = value`.
fn accounts(lines: &str) -> Vec<Account> {
    let parse = |line: &str| {
        let (code, rest) = line.trim().split_once(' ')?;
        let (name, value) = rest.rsplit_once(" = ")?;
        Some(account(code, name, value))
    };
    lines.trim().lines().map(|line| parse(line).expect(line)).collect()
}

/// The figures of statements whose accounts stand in one text, and of a number of shares.
fn figures_of(lines: &str, capital: Option<Capital>) -> Figures {
    let all = accounts(lines);
    let begins = |digits: [char; 2]| {
        let of = all.iter().filter(|account| account.code.starts_with(digits)).cloned();
        let of: Vec<Account> = of.collect();
        (!of.is_empty()).then_some(of)
    };
    let statements = [['1', '2'], ['3', '3'], ['4', '4'], ['6', '6'], ['7', '7']].map(begins);
    let [balance_sheet, income, comprehensive_income, cash_flow, value_added] = &statements;
    figures(&PeriodStatements {
        balance_sheet: balance_sheet.as_deref(),
        income: income.as_deref(),
        comprehensive_income: comprehensive_income.as_deref(),
        cash_flow: cash_flow.as_deref(),
        value_added: value_added.as_deref(),
        capital,
        ..PeriodStatements::default()
    })
}

/// Renders a figure: its value and its accounts, or the reason why it is null.
fn shown(figures: &Figures, metric: Metric) -> String {
    let FigureValue { value, from, reason } = figures.get(metric);
    let value = value.map_or("null".to_owned(), |value| value.to_string());
    let reason = reason.map_or(String::new(), |reason| format!(" {}", reason.name()));
    format!("{value} [{}]{reason}", from.join(" "))
}

/// Compares figures with lines `metric value [from] reason`.
fn check(figures: &Figures, expected: &str) {
    for line in expected.trim().lines() {
        let (metric, expected) = line.trim().split_once(' ').expect("a metric and its figure");
        assert_eq!(shown(figures, metric.parse().unwrap()), expected, "{metric}");
    }
}

fn count(total: u64) -> Option<Capital> {
    Some(Capital { total, ..Capital::default() })
}

const GENERAL: &str = "
    1 Ativo Total = 10000
    1.01 Ativo Circulante = 4000
    1.01.01 Caixa e Equivalentes de Caixa = 700
    1.01.02 Aplicações Financeiras = 300
    1.01.03 Contas a Receber = 900
    2 Passivo Total = 10000
    2.01 Passivo Circulante = 2000
    2.01.04 Empréstimos e Financiamentos = 500
    2.01.04.03 Financiamento por Arrendamento = 20
    2.02 Passivo Não Circulante = 3000
    2.02.01 Empréstimos e Financiamentos = 1500
    2.03 Patrimônio Líquido Consolidado = 5000
    2.03.09 Participação dos Acionistas Não Controladores = 100
    3.01 Receita de Venda de Bens e/ou Serviços = 8000
    3.03 Resultado Bruto = 3000
    3.05 Resultado Antes do Resultado Financeiro e dos Tributos = 1200
    3.06 Resultado Financeiro = -300
    3.07 Resultado Antes dos Tributos sobre o Lucro = 900
    3.09 Resultado Líquido das Operações Continuadas = 600
    3.11 Lucro/Prejuízo Consolidado do Período = 600
    3.11.01 Atribuído a Sócios da Empresa Controladora = 550
    3.11.02 Atribuído a Sócios Não Controladores = 50
    3.99 Lucro por Ação - (Reais / Ação) = 0
    3.99.01 Lucro Básico por Ação = 0
    3.99.01.01 ON = 0.5500000000
    3.99.02.01 ON = 0.54
    4.01 Lucro Líquido Consolidado do Período = 600
    6.01 Caixa Líquido Atividades Operacionais = 1100
    6.02 Caixa Líquido Atividades de Investimento = -700
    6.02.01 Aquisições de imobilizado = -600
    6.02.02 Compra de ativo intangível = -150
    6.02.03 Venda de Imobilizado = 50
    6.03 Caixa Líquido Atividades de Financiamento = -200
    6.03.01 Dividendos pagos = -90
    6.03.02 Juros sobre o capital próprio pagos = -10
    7.04 Retenções = -250
    7.04.01 Depreciação, Amortização e Exaustão = -240
    7.04.02 Outras = -10";

#[test]
fn makes_every_figure_of_the_general_plan_and_says_of_what() {
    let figures = figures_of(GENERAL, count(1000));
    assert_eq!(figures.plan, Some(AccountPlan::General));
    check(
        &figures,
        "revenue 8000 [3.01]
        gross_profit 3000 [3.03]
        ebit 1200 [3.05]
        depreciation_amortisation 240 [7.04.01]
        ebitda 1440 [3.05 7.04.01]
        financial_result -300 [3.06]
        net_income 600 [3.11]
        net_income_controlling 550 [3.11.01]
        total_assets 10000 [1]
        current_assets 4000 [1.01]
        current_liabilities 2000 [2.01]
        cash 1000 [1.01.01 1.01.02]
        gross_debt 2000 [2.01.04 2.02.01]
        net_debt 1000 [2.01.04 2.02.01 1.01.01 1.01.02]
        equity 5000 [2.03]
        operating_cash_flow 1100 [6.01]
        investing_cash_flow -700 [6.02]
        financing_cash_flow -200 [6.03]
        capital_expenditure 750 [6.02.01 6.02.02]
        dividends_paid 100 [6.03.01 6.03.02]
        eps 0.5500000000 [3.99.01.01]
        shares 1000 [composicao_capital]
        gross_margin 37.50 [gross_profit revenue]
        ebit_margin 15.00 [ebit revenue]
        net_margin 7.50 [net_income revenue]
        roe 12.00 [net_income equity]
        roa 6.00 [net_income total_assets]
        debt_to_equity 0.40 [gross_debt equity]
        net_debt_to_ebitda 0.69 [net_debt ebitda]",
    );
}

#[test]
fn takes_net_income_from_comprehensive_income_where_that_is_all() {
    for name in ["Lucro Líquido Consolidado do Período", "Lucro ou Prejuízo Líquido do Período"]
    {
        let figures = figures_of(
            &format!(
                "4.01 {name} = -7\n4.03 Resultado Abrangente do Período = 5\n4.03.01 Atribuído a Sócios da Empresa Controladora = 5"
            ),
            None,
        );
        assert_eq!(figures.plan, None);
        check(
            &figures,
            "net_income -7 [4.01]
            net_income_controlling null [] no_statement
            revenue null [] no_statement
            ebitda null [] no_statement
            capital_expenditure null [] no_statement
            dividends_paid null [] no_statement
            eps null [] no_statement
            shares null [] no_statement
            net_margin null [] no_statement",
        );
    }
}

#[test]
fn does_not_take_an_undivided_profit_for_a_share_of_zero() {
    for (net_income, controlling, others, expected) in [
        ("100", "0", "0", "null [] not_divided"),
        ("100", "0", "100", "0 [3.11.01]"),
        ("100", "100", "0", "100 [3.11.01]"),
        ("-5", "-6", "1", "-6 [3.11.01]"),
        ("0", "0", "0", "0 [3.11.01]"),
    ] {
        let figures = figures_of(
            &format!(
                "3.11 Lucro/Prejuízo Consolidado do Período = {net_income}
                3.11.01 Atribuído a Sócios da Empresa Controladora = {controlling}
                3.11.02 Atribuído a Sócios Não Controladores = {others}"
            ),
            None,
        );
        assert_eq!(shown(&figures, Metric::NetIncomeControlling), expected);
    }
}

#[test]
fn rounds_ratios_half_away_from_zero() {
    for (net_income, equity, expected) in [
        ("1", "3", "33.33"),
        ("2", "3", "66.67"),
        ("1", "20000", "0.01"),
        ("-1", "20000", "-0.01"),
        ("1", "20001", "0.00"),
        ("-1", "3", "-33.33"),
        ("0", "3", "0.00"),
        ("0.5", "3.00", "16.67"),
        ("999999999999999999", "1", "null too_large"),
        ("999999999999999999", "0.000000000000000001", "null too_large"),
        ("9999999999999", "0.0000000001", "null too_large"),
        ("5", "0", "null divisor_not_positive"),
        ("5", "-1", "null divisor_not_positive"),
    ] {
        let lines = format!(
            "2.03 Patrimônio Líquido = {equity}\n3.11 Lucro/Prejuízo do Período = {net_income}"
        );
        let shown = shown(&figures_of(&lines, None), Metric::Roe);
        let shown = shown.replace(" [net_income equity]", "").replace(" []", "");
        assert_eq!(shown, expected, "{net_income} / {equity}");
    }
}

#[test]
fn makes_nothing_of_sums_that_are_too_large() {
    let large = "999999999999999999";
    let figures = figures_of(
        &format!(
            "1.01.01 Caixa = {large}
            1.01.02 Aplicações = {large}
            2.01.04 Empréstimos = {large}
            3.05 Resultado Antes do Resultado Financeiro e dos Tributos = {large}
            6.02.01 Adições ao imobilizado = -{large}
            6.02.02 Adições ao intangível = -{large}
            7.04.01 Depreciação = -{large}"
        ),
        None,
    );
    for metric in [Metric::Cash, Metric::NetDebt, Metric::Ebitda, Metric::CapitalExpenditure] {
        assert_eq!(figures.get(metric).value, None, "{metric:?}");
        assert_eq!(figures.get(metric).reason, Some(Reason::TooLarge), "{metric:?}");
    }
}

#[test]
fn stores_base_figures_as_text_and_computes_ratios_again() {
    let made = figures_of(GENERAL, count(1000));
    let text = made.base_text();
    assert_eq!(
        text,
        "8000,3000,1200,240,1440,-300,600,550,10000,4000,2000,1000,2000,1000,5000,1100,-700,-200,\
         750,100,0.5500000000,1000"
    );
    let read = Figures::from_base_text(made.plan, &text).unwrap();
    assert_eq!(read.plan, made.plan);
    for metric in Metric::ALL {
        let digits = |figures: &Figures| figures.get(metric).value.map(|value| value.to_string());
        assert_eq!(digits(&read), digits(&made), "{metric:?}");
        assert!(read.get(metric).from.is_empty(), "{metric:?}");
    }
    let nothing = figures_of("", None);
    assert_eq!(nothing.base_text(), ",".repeat(BASE_METRICS - 1));
    let read = Figures::from_base_text(None, &nothing.base_text()).unwrap();
    assert!(Metric::ALL.iter().all(|metric| read.get(*metric).value.is_none()));
    for text in ["", "1,2", "x,,,,,,,,,,,,,,,,,,,,,", ",,,,,,,,,,,,,,,,,,,,,,"] {
        assert_eq!(Figures::from_base_text(None, text), None, "{text}");
    }
}

#[test]
fn parses_metrics_by_their_names() {
    for metric in Metric::ALL {
        assert_eq!(metric.name().parse::<Metric>().unwrap(), metric);
        assert_eq!(Metric::ALL[metric as usize], metric);
    }
    assert!("Revenue".parse::<Metric>().is_err());
}
