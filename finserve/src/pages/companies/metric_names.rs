//! The names of the figures that compare companies.
use fincore::statements::Metric;

use crate::pages::language::Language;

/// The name of a metric in the language of the page.
pub(crate) fn metric_name(language: Language, metric: Metric) -> &'static str {
    let (english, portuguese) = names(metric);
    language.pick(english, portuguese)
}

/// The one table of them.
fn names(metric: Metric) -> (&'static str, &'static str) {
    match metric {
        Metric::Revenue => ("Revenue", "Receita líquida"),
        Metric::GrossProfit => ("Gross profit", "Resultado bruto"),
        Metric::Ebit => ("EBIT", "EBIT"),
        Metric::DepreciationAmortisation => {
            ("Depreciation and amortisation", "Depreciação e amortização")
        }
        Metric::Ebitda => ("EBITDA", "EBITDA"),
        Metric::FinancialResult => ("Financial result", "Resultado financeiro"),
        Metric::NetIncome => ("Net income", "Lucro líquido"),
        Metric::NetIncomeControlling => {
            ("Net income of controlling shareholders", "Lucro líquido dos controladores")
        }
        Metric::TotalAssets => ("Total assets", "Ativo total"),
        Metric::CurrentAssets => ("Current assets", "Ativo circulante"),
        Metric::CurrentLiabilities => ("Current liabilities", "Passivo circulante"),
        Metric::Cash => {
            ("Cash and current financial investments", "Caixa e aplicações financeiras")
        }
        Metric::GrossDebt => ("Gross debt", "Dívida bruta"),
        Metric::NetDebt => ("Net debt", "Dívida líquida"),
        Metric::Equity => ("Equity", "Patrimônio líquido"),
        Metric::OperatingCashFlow => ("Operating cash flow", "Caixa das operações"),
        Metric::InvestingCashFlow => ("Investing cash flow", "Caixa de investimento"),
        Metric::FinancingCashFlow => ("Financing cash flow", "Caixa de financiamento"),
        Metric::CapitalExpenditure => ("Capital expenditure", "Investimentos (capex)"),
        Metric::DividendsPaid => ("Dividends paid", "Dividendos e JCP pagos"),
        Metric::Eps => ("Earnings per share (R$)", "Lucro por ação (R$)"),
        Metric::Shares => ("Shares outstanding", "Ações em circulação"),
        Metric::GrossMargin => ("Gross margin", "Margem bruta"),
        Metric::EbitMargin => ("EBIT margin", "Margem EBIT"),
        Metric::NetMargin => ("Net margin", "Margem líquida"),
        Metric::Roe => ("Return on equity (ROE)", "Retorno sobre o patrimônio (ROE)"),
        Metric::DebtToEquity => ("Gross debt / equity", "Dívida bruta / patrimônio"),
        Metric::NetDebtToEbitda => ("Net debt / EBITDA", "Dívida líquida / EBITDA"),
        Metric::Roa => ("Return on assets (ROA)", "Retorno sobre o ativo (ROA)"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_metrics_have_the_same_name() {
        for language in [Language::English, Language::Portuguese] {
            let mut names = Metric::ALL.map(|metric| metric_name(language, metric)).to_vec();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), Metric::ALL.len());
        }
    }
}
