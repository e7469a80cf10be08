//! The plans of accounts of banks and insurers, and statements that follow none.
use super::*;

#[test]
fn reads_banks_since_2020_before_it_and_in_old_individual_statements() {
    let since = figures_of(
        "1 Ativo Total = 2000
        1.01 Caixa e Equivalentes de Caixa = 80
        2.01 Passivos Financeiros Avaliados ao Valor Justo através do Resultado = 5
        2.02 Passivos Financeiros ao Custo Amortizado = 1700
        2.03 Provisões = 40
        2.07 Patrimônio Líquido Consolidado = 200
        2.07.01 Patrimônio Líquido Atribuído ao Controlador = 190
        3.01 Receitas de Intermediação Financeira = 160
        3.03 Resultado Bruto de Intermediação Financeira = 50
        3.05 Resultado antes dos Tributos sobre o Lucro = 30
        3.06 Imposto de Renda e Contribuição Social sobre o Lucro = -4
        3.07 Lucro ou Prejuízo das Operações Continuadas = 26
        3.09 Lucro ou Prejuízo antes das Participações e Contribuições Estatutárias = 26
        3.10 Participações nos Lucros e Contribuições Estatutárias = -2
        3.11 Lucro ou Prejuízo Líquido Consolidado do Período = 24
        3.11.01 Atribuído aos Sócios da Empresa Controladora = 20
        3.11.02 Atribuído aos Sócios não Controladores = 4
        7.05.01 Depreciação, Amortização e Exaustão = -3",
        None,
    );
    assert_eq!(since.plan, Some(AccountPlan::Bank));
    check(
        &since,
        "revenue 160 [3.01]
        gross_profit 50 [3.03]
        ebit null [] not_in_plan
        ebitda null [] not_in_plan
        depreciation_amortisation 3 [7.05.01]
        financial_result null [] not_in_plan
        net_income 24 [3.11]
        net_income_controlling 20 [3.11.01]
        current_assets null [] not_in_plan
        current_liabilities null [] not_in_plan
        cash 80 [1.01]
        gross_debt null [] not_in_plan
        net_debt null [] not_in_plan
        equity 200 [2.07]
        ebit_margin null [] not_in_plan
        roe 12.00 [net_income equity]",
    );
    let before = figures_of(
        "1.01 Caixa e Equivalentes de Caixa = 80
        2.03 Passivos Financeiros ao Custo Amortizado = 9
        2.08 Patrimônio Líquido Consolidado = 228
        3.01 Receitas da Intermediação Financeira = 199
        3.03 Resultado Bruto Intermediação Financeira = 70
        3.05 Resultado Antes dos Tributos sobre o Lucro = 31
        3.09 Lucro/Prejuízo Consolidado do Período = 24
        3.09.01 Atribuído a Sócios da Empresa Controladora = 23
        3.09.02 Atribuído a Sócios Não Controladores = 1",
        None,
    );
    assert_eq!(before.plan, Some(AccountPlan::Bank));
    check(
        &before,
        "net_income 24 [3.09]
        net_income_controlling 23 [3.09.01]
        equity 228 [2.08]
        gross_profit 70 [3.03]
        ebit null [] not_in_plan",
    );
    let individual = figures_of(
        "1.01 Ativo Circulante = 500
        1.01.01 Disponibilidades = 7
        2.03 Resultados de Exercícios Futuros = 1
        2.05 Patrimônio Líquido = 60
        3.01 Receitas da Intermediação Financeira = 100
        3.05 Resultado Operacional = 12
        3.11 Reversão dos Juros sobre Capital Próprio = 0
        3.13 Lucro/Prejuízo do Período = 9",
        None,
    );
    check(
        &individual,
        "net_income 9 [3.13]
        net_income_controlling null [] not_divided
        equity 60 [2.05]
        cash 7 [1.01.01]",
    );
}

#[test]
fn reads_insurers_whose_codes_mean_other_things() {
    let insurer = figures_of(
        "1 Ativo Total = 900
        1.01 Ativo Circulante = 600
        1.01.01 Disponível = 10
        1.01.02 Aplicações = 200
        2.01 Passivo Circulante = 300
        2.01.04 Capitalização = 99
        2.02.01 Passivo Exigível a Longo Prazo = 77
        2.03 Patrimônio Líquido Consolidado = 250
        3.01 Receitas das Atividades Seguradoras/Resseguradoras = 0
        3.03 Resultado Bruto = 0
        3.05 Outras Receitas e Despesas Operacionais = 48
        3.06 Resultado de Equivalência Patrimonial = 50
        3.07 Resultado Antes do Resultado Financeiro e dos Tributos = 98
        3.08 Resultado Financeiro = 12
        3.09 Resultado Antes dos Tributos sobre o Lucro = 110
        3.11 Resultado Líquido das Operações Continuadas = 90
        3.13 Lucro/Prejuízo Consolidado do Período = 90
        3.13.01 Atribuído a Sócios da Empresa Controladora = 90
        3.13.02 Atribuído a Sócios Não Controladores = 0",
        None,
    );
    assert_eq!(insurer.plan, Some(AccountPlan::Insurer));
    check(
        &insurer,
        "ebit 98 [3.07]
        financial_result 12 [3.08]
        net_income 90 [3.13]
        net_income_controlling 90 [3.13.01]
        cash 210 [1.01.01 1.01.02]
        gross_debt null [] no_account
        net_debt null [] no_account
        equity 250 [2.03]
        net_margin null [] divisor_not_positive
        roa 10.00 [net_income total_assets]
        debt_to_equity null [] no_account
        net_debt_to_ebitda null [] no_account",
    );
}

#[test]
fn knows_the_plan_by_names_and_codes_of_either_statement() {
    for (income, balance_sheet, plan) in [
        ("3.01 RECEITA DE VENDA DE BENS E/OU SERVIÇOS = 1", "", Some(AccountPlan::General)),
        ("3.01 Receitas da Intermediação Financeira = 1", "", Some(AccountPlan::Bank)),
        ("3.01 Receitas das Operações = 1", "", Some(AccountPlan::Insurer)),
        ("3.02 Sinistros e Despesas das Operações = 1", "", Some(AccountPlan::Insurer)),
        ("3.01.01 Receitas da Intermediação Financeira = 1", "", None),
        ("", "2.07 Patrimônio Líquido = 1", Some(AccountPlan::Bank)),
        ("", "2.07 Provisões = 1", None),
        ("", "1.01 Caixa e Equivalentes de Caixa = 1", Some(AccountPlan::Bank)),
        ("", "1.01 Ativo Circulante = 1", Some(AccountPlan::General)),
        (
            "",
            "1.01 Ativo Circulante = 1\n1.01.03 Créditos das Operações com Seguros e Resseguros = 1",
            Some(AccountPlan::Insurer),
        ),
        ("", "", None),
    ] {
        let [income, balance_sheet] = [income, balance_sheet].map(accounts);
        assert_eq!(
            plan_of(Some(&income), Some(&balance_sheet)),
            plan,
            "{income:?} {balance_sheet:?}"
        );
        assert_eq!(plan_of(None, None), None);
    }
}

#[test]
fn takes_no_account_for_its_code_alone() {
    let odd = figures_of(
        "1.01.01 Estoques = 5
        1.01.02 Aplicações Financeiras = 3
        2.03 Provisões = 1
        3.01 Receita = 10
        3.05 Resultado antes dos Tributos sobre o Lucro = 4
        3.06 Imposto de Renda e Contribuição Social sobre o Lucro = -1
        3.11 Reversão dos Juros sobre Capital Próprio = 0",
        None,
    );
    check(
        &odd,
        "cash null [] no_account
        equity null [] no_account
        ebit null [] no_account
        financial_result null [] no_account
        net_income null [] no_account
        net_income_controlling null [] no_account
        roe null [] no_account",
    );
}
