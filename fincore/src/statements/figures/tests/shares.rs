//! Earnings per share and the number of shares.
use super::*;

#[test]
fn takes_basic_earnings_of_common_shares() {
    for (lines, expected) in [
        ("3.99.01.01 ON = 2.5", "2.5 [3.99.01.01]"),
        ("3.99.01.01 PN = 1\n3.99.01.02 ON = 2", "2 [3.99.01.02]"),
        ("3.99.01.01 Ações Ordinárias = -2", "-2 [3.99.01.01]"),
        ("3.99.01.01 Por ação = 2", "2 [3.99.01.01]"),
        ("3.99.01.01 PN = 1", "null [] no_account"),
        ("3.99.01.01 PNA = 1", "null [] no_account"),
        ("3.99.02.01 ON = 1", "null [] no_account"),
        ("3.99.01.01 ON = 0.0000000000", "null [] left_at_zero"),
    ] {
        let lines = format!("3.11 Lucro/Prejuízo do Período = 10\n{lines}");
        assert_eq!(shown(&figures_of(&lines, None), Metric::Eps), expected, "{lines}");
    }
    let nothing_earned = "3.11 Lucro/Prejuízo do Período = 0\n3.99.01.01 ON = 0";
    assert_eq!(shown(&figures_of(nothing_earned, None), Metric::Eps), "0 [3.99.01.01]");
}

#[test]
fn gives_shares_only_where_their_scale_is_beyond_doubt() {
    let none = "";
    for (filed, net_income, eps, equity, expected) in [
        // Net income by earnings per share.
        (1_000_000, "2000000", "2", none, "1000000"),
        (1_000_000, "-2000000", "-2", none, "1000000"),
        (1_000, "2000000", "2", none, "1000000 counted_in_thousands"),
        (600_000, "2000000", "2", "90000000000", "600000"),
        (400_000, "2000000", "2", none, "null scale_in_doubt"),
        // Opposite signs, or earnings left at 0, show nothing.
        (1_000_000, "2000000", "-2", none, "null scale_in_doubt"),
        (1_000_000, "2000000", "0", "20000000", "1000000"),
        // Equity per share.
        (11_021_872, "24199000000", none, "228026000000", "11021872000 counted_in_thousands"),
        (1_000_000, none, none, "20000000", "1000000"),
        (1_000_000, none, none, "500000000", "null scale_in_doubt"),
        (1_000, none, none, "20000000", "null scale_in_doubt"),
        (1_000_000, none, none, "5000", "null scale_in_doubt"),
        (1_000_000, none, none, "-20000000", "null scale_in_doubt"),
        // The count itself.
        (200_000_000, none, none, "-20000000", "200000000"),
        (200_000_000, none, none, none, "200000000"),
        (0, "2000000", "2", "20000000", "null no_shares"),
        (u64::MAX, none, none, none, "null too_large"),
        (u64::MAX, "999999999999999999", "0.0000000001", "999999999999999999", "null too_large"),
    ] {
        let line = |code_and_name: &str, value: &str| match value {
            "" => String::new(),
            value => format!("{code_and_name} = {value}\n"),
        };
        let lines = [
            line("3.11 Lucro/Prejuízo do Período", net_income),
            line("3.99.01.01 ON", eps),
            line("2.03 Patrimônio Líquido", equity),
        ]
        .concat();
        let figures = figures_of(&lines, count(filed));
        let shown = shown(&figures, Metric::Shares);
        let shown = shown.replace(" [composicao_capital]", "").replace(" []", "");
        assert_eq!(shown, expected, "{filed} {lines}");
    }
}

#[test]
fn counts_shares_outstanding() {
    let outstanding = |capital| shown(&figures_of("", Some(capital)), Metric::Shares);
    let capital = Capital {
        common: 200_000_000,
        preferred: 100_000_000,
        treasury_common: 5,
        treasury_preferred: 6,
        ..Capital::default()
    };
    assert_eq!(outstanding(capital), "299999989 [composicao_capital]");
    let capital = Capital { total: 300_000_001, treasury_total: 1, ..capital };
    assert_eq!(outstanding(capital), "300000000 [composicao_capital]");
    let capital = Capital { treasury_total: u64::MAX, ..capital };
    assert_eq!(outstanding(capital), "null [] no_shares");
    let capital = Capital { common: u64::MAX, preferred: 1, ..Capital::default() };
    assert_eq!(outstanding(capital), "null [] no_shares");
}
