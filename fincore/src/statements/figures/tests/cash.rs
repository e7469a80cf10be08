//! Capital expenditure and dividends.
use super::*;

#[test]
fn finds_purchases_of_property_by_their_names() {
    for (name, value, expected) in [
        ("Aquisição de ativo imobilizado / Intangível", "-5", Some("5")),
        ("Adições ao imobilizado", "-5", Some("5")),
        ("(Aquisição) do Intangivel", "-5", Some("5")),
        ("Pagamento pela compra de ativo permanente - Imobilizado", "-5", Some("5")),
        (
            "Aquisição de Ativos Financeiros da Concessão, Intangíveis e Imobilizados",
            "-5",
            Some("5"),
        ),
        ("Aquisição de Ativo de Contrato", "-5", Some("5")),
        ("Infraestrutura da transmissão - ativo contratual", "-5", Some("5")),
        ("Caixa usado no imobilizado e investimentos", "-5", Some("5")),
        ("Aquisição de imobilizado", "5", Some("5")), // without the minus sign
        ("Imobilizado", "-5", Some("5")),
        ("Imobilizado", "5", None),
        ("Aquisição de imobilizado", "0", Some("0")),
        ("Venda de Imobilizado", "5", None),
        ("Alienação de imobilizado de uso e intangível", "5", None),
        ("Caixa recebido na alienação de ativo imobilizado", "5", None),
        ("(Aquisição) Alienação de imobilizado de uso", "-5", None),
        ("Baixa de intangível", "-5", None),
        ("Pagamento pela compra de ativo permanente - Investimentos", "-5", None),
        ("Aquisição de controladas, líquido de caixa adquirido", "-5", None),
        ("Aumento de capital em controlada de infraestrutura", "-5", None),
        ("Concessão de Empréstimos", "-5", None),
        ("Recebimento de Indenização do Ativo Financeiro de Transmissão", "5", None),
        ("Aplicações financeiras", "-5", None),
    ] {
        let figures = figures_of(&format!("6.02.01 {name} = {value}"), None);
        let figure = figures.get(Metric::CapitalExpenditure);
        assert_eq!(figure.value, expected.map(|text| text.parse().unwrap()), "{name}");
        assert_eq!(figure.reason, expected.is_none().then_some(Reason::NoAccount), "{name}");
    }
}

#[test]
fn finds_dividends_that_were_paid_by_their_names() {
    for (name, value, expected) in [
        ("Dividendos pagos", "-5", Some("5")),
        ("Dividendos / Juros Acionistas", "-5", Some("5")),
        ("Juros Pagos sobre o Capital Próprio e Dividendos", "-5", Some("5")),
        ("Pagamento de JCP", "-5", Some("5")),
        ("Distribuição de dividendos e juros sobre o capital próprio", "-5", Some("5")),
        ("Dividendos e juros sobre cpaital próprio distribuídos", "-5", Some("5")),
        ("Pagamento e remuneração aos acionistas", "-5", Some("5")),
        ("Dividendos pagos", "5", Some("5")),
        ("Dividendos", "5", None),
        ("Dividendos recebidos de controladas", "5", None),
        ("Juros pagos sobre debêntures", "-5", None),
        ("Aumento de capital", "5", None),
    ] {
        let figures = figures_of(&format!("6.03.01 {name} = {value}"), None);
        let figure = figures.get(Metric::DividendsPaid);
        assert_eq!(figure.value, expected.map(|text| text.parse().unwrap()), "{name}");
    }
}

#[test]
fn counts_no_purchase_twice() {
    let with_parts = "6.02.01 Aquisição de imobilizado e intangível = -9
        6.02.01.01 Aquisição de imobilizado = -6
        6.02.01.02 Aquisição de intangível = -3
        6.02.02 Outros = -4
        6.02.02.01 Adições ao intangível = -1
        6.02.10 Adições ao imobilizado = -2
        6.02.10 Adições ao imobilizado = -2
        6.01.01 Aquisição de imobilizado = -100";
    check(&figures_of(with_parts, None), "capital_expenditure 12 [6.02.01 6.02.02.01 6.02.10]");
    let empty_parent = "6.02.01 Aquisição de imobilizado = 0
        6.02.01.01 Aquisição de imobilizado, controladora = -6";
    check(&figures_of(empty_parent, None), "capital_expenditure 6 [6.02.01 6.02.01.01]");
}
