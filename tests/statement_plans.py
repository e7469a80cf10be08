"""The plans of accounts of made-up statements: their codes and names, and which accounts are sums of others."""

EQUITY_PARTS = [
    "Capital Social Integralizado",
    "Reservas de Capital, Opções Outorgadas e Ações em Tesouraria",
    "Reservas de Lucro",
    "Lucros ou Prejuízos Acumulados",
    "Outros Resultados Abrangentes",
    "Patrimônio Líquido",
]
CONSOLIDATED_PARTS = ["Participação dos Não Controladores", "Patrimônio Líquido Consolidado"]

# What the names of the groups begin and end with.
SCOPES = {"con": "DF Consolidado", "ind": "DF Individual"}
TITLES = {
    "BPA": "Balanço Patrimonial Ativo",
    "BPP": "Balanço Patrimonial Passivo",
    "DRE": "Demonstração do Resultado",
    "DRA": "Demonstração de Resultado Abrangente",
    "DFC_MD": "Demonstração do Fluxo de Caixa (Método Direto)",
    "DFC_MI": "Demonstração do Fluxo de Caixa (Método Indireto)",
    "DVA": "Demonstração de Valor Adicionado",
    "DMPL": "Demonstração das Mutações do Patrimônio Líquido",
}


def accounts(text):
    """Codes and names, one of each a line."""
    return [tuple(line.strip().split(" ", 1)) for line in text.strip().splitlines()]


PER_SHARE = accounts("""
    3.99 Lucro por Ação - (Reais / Ação)
    3.99.01 Lucro Básico por Ação
    3.99.01.01 ON
    3.99.01.02 PN
    3.99.02 Lucro Diluído por Ação
    3.99.02.01 ON
""")
COMMON = {
    "DRA": accounts("""
        4.01 Lucro Líquido Consolidado do Período
        4.02 Outros Resultados Abrangentes
        4.02.01 Ajustes de Conversão
        4.03 Resultado Abrangente Consolidado do Período
    """),
    "DFC_MI": accounts("""
        6.01 Caixa Líquido Atividades Operacionais
        6.01.01 Caixa Gerado nas Operações
        6.01.02 Variações nos Ativos e Passivos
        6.02 Caixa Líquido Atividades de Investimento
        6.02.01 Aquisição de Imobilizado e Intangível
        6.03 Caixa Líquido Atividades de Financiamento
        6.03.01 Dividendos pagos
        6.04 Variação Cambial s/ Caixa e Equivalentes
        6.05 Aumento (Redução) de Caixa e Equivalentes
        6.05.01 Saldo Inicial de Caixa e Equivalentes
        6.05.02 Saldo Final de Caixa e Equivalentes
    """),
    "DFC_MD": accounts("""
        6.01 Caixa Líquido Atividades Operacionais
        6.01.01 Recebimentos de clientes
        6.01.02 Pagamentos a fornecedores
        6.02 Caixa Líquido Atividades de Investimento
        6.02.01 Aplicação no imobilizado
        6.03 Caixa Líquido Atividades de Financiamento
        6.04 Variação Cambial s/ Caixa e Equivalentes
        6.05 Aumento (Redução) de Caixa e Equivalentes
    """),
    "DVA": accounts("""
        7.01 Receitas
        7.01.01 Vendas de Mercadorias, Produtos e Serviços
        7.02 Insumos Adquiridos de Terceiros
        7.03 Valor Adicionado Bruto
        7.04 Retenções
        7.04.01 Depreciação, Amortização e Exaustão
        7.05 Valor Adicionado Líquido Produzido
        7.06 Vlr Adicionado Recebido em Transferência
        7.07 Valor Adicionado Total a Distribuir
        7.08 Distribuição do Valor Adicionado
    """),
    "DMPL": accounts("""
        5.01 Saldos Iniciais
        5.03 Saldos Iniciais Ajustados
        5.04 Transações de Capital com os Sócios
        5.04.01 Aumentos de Capital
        5.05 Resultado Abrangente Total
        5.07 Saldos Finais
    """),
}
PLANS = {
    "general": {
        "BPA": accounts("""
            1 Ativo Total
            1.01 Ativo Circulante
            1.01.01 Caixa e Equivalentes de Caixa
            1.01.02 Aplicações Financeiras
            1.01.03 Contas a Receber
            1.02 Ativo Não Circulante
            1.02.03 Imobilizado
        """),
        "BPP": accounts("""
            2 Passivo Total
            2.01 Passivo Circulante
            2.01.02 Fornecedores
            2.01.04 Empréstimos e Financiamentos
            2.02 Passivo Não Circulante
            2.02.01 Empréstimos e Financiamentos
            2.03 Patrimônio Líquido Consolidado
            2.03.01 Capital Social Realizado
        """),
        "DRE": accounts("""
            3.01 Receita de Venda de Bens e/ou Serviços
            3.02 Custo dos Bens e/ou Serviços Vendidos
            3.03 Resultado Bruto
            3.04 Despesas/Receitas Operacionais
            3.04.01 Despesas com Vendas
            3.04.02 Despesas Gerais e Administrativas
            3.05 Resultado Antes do Resultado Financeiro e dos Tributos
            3.06 Resultado Financeiro
            3.07 Resultado Antes dos Tributos sobre o Lucro
            3.08 Imposto de Renda e Contribuição Social sobre o Lucro
            3.09 Resultado Líquido das Operações Continuadas
            3.10 Resultado Líquido de Operações Descontinuadas
            3.11 Lucro/Prejuízo Consolidado do Período
            3.11.01 Atribuído a Sócios da Empresa Controladora
            3.11.02 Atribuído a Sócios Não Controladores
        """),
    },
    "old bank": {
        "BPA": accounts("""
            1 Ativo Total
            1.01 Caixa e Equivalentes de Caixa
            1.02 Ativos Financeiros
            1.03 Empréstimos e Recebíveis
        """),
        "BPP": accounts("""
            2 Passivo Total
            2.01 Passivos Financeiros para Negociação
            2.03 Passivos Financeiros ao Custo Amortizado
            2.04 Provisões
            2.08 Patrimônio Líquido Consolidado
        """),
        "DRE": accounts("""
            3.01 Receitas da Intermediação Financeira
            3.02 Despesas da Intermediação Financeira
            3.03 Resultado Bruto Intermediação Financeira
            3.04 Outras Despesas/Receitas Operacionais
            3.04.02 Despesas de Pessoal
            3.05 Resultado Antes dos Tributos sobre o Lucro
            3.06 Imposto de Renda e Contribuição Social sobre o Lucro
            3.07 Resultado Líquido das Operações Continuadas
            3.08 Resultado Líquido das Operações Descontinuadas
            3.09 Lucro/Prejuízo Consolidado do Período
            3.09.01 Atribuído a Sócios da Empresa Controladora
            3.09.02 Atribuído a Sócios Não Controladores
        """),
    },
    "new bank": {
        "BPA": accounts("""
            1 Ativo Total
            1.01 Caixa e Equivalentes de Caixa
            1.02 Ativos Financeiros
            1.03 Tributos
            1.04 Outros Ativos
        """),
        "BPP": accounts("""
            2 Passivo Total
            2.01 Passivos Financeiros Avaliados ao Valor Justo através do Resultado
            2.02 Passivos Financeiros ao Custo Amortizado
            2.03 Provisões
            2.07 Patrimônio Líquido Consolidado
        """),
        "DRE": accounts("""
            3.01 Receitas de Intermediação Financeira
            3.02 Despesas de Intermediação Financeira
            3.03 Resultado Bruto de Intermediação Financeira
            3.04 Outras Despesas e Receitas Operacionais
            3.05 Resultado antes dos Tributos sobre o Lucro
            3.06 Imposto de Renda e Contribuição Social sobre o Lucro
            3.07 Lucro ou Prejuízo das Operações Continuadas
            3.08 Resultado Líquido das Operações Descontinuadas
            3.09 Lucro ou Prejuízo antes das Participações e Contribuições Estatutárias
            3.10 Participações nos Lucros e Contribuições Estatutárias
            3.11 Lucro ou Prejuízo Líquido Consolidado do Período
            3.11.01 Atribuído aos Sócios da Empresa Controladora
            3.11.02 Atribuído aos Sócios não Controladores
        """),
    },
    "insurer": {
        "BPA": accounts("""
            1 Ativo Total
            1.01 Ativo Circulante
            1.01.01 Caixa e Equivalentes de Caixa
            1.02 Ativo Não Circulante
        """),
        "BPP": accounts("""
            2 Passivo Total
            2.01 Passivo Circulante
            2.02 Passivo Não Circulante
            2.03 Patrimônio Líquido Consolidado
        """),
        "DRE": accounts("""
            3.01 Receitas das Operações
            3.02 Sinistros e Despesas das Operações
            3.03 Resultado Bruto
            3.04 Despesas Administrativas
            3.05 Outras Receitas e Despesas Operacionais
            3.06 Resultado de Equivalência Patrimonial
            3.07 Resultado Antes do Resultado Financeiro e dos Tributos
            3.08 Resultado Financeiro
            3.09 Resultado Antes dos Tributos sobre o Lucro
            3.10 Imposto de Renda e Contribuição Social sobre o Lucro
            3.11 Resultado Líquido das Operações Continuadas
            3.12 Resultado Líquido de Operações Descontinuadas
            3.13 Lucro/Prejuízo Consolidado do Período
            3.13.01 Atribuído a Sócios da Empresa Controladora
            3.13.02 Atribuído a Sócios Não Controladores
        """),
    },
}
# The profit of each plan, and which accounts are added to give which.
PROFIT = {"general": "3.11", "old bank": "3.09", "new bank": "3.11", "insurer": "3.13"}
EQUITY = {"general": "2.03", "old bank": "2.08", "new bank": "2.07", "insurer": "2.03"}
SUMS = {
    "general": ["3.03=3.01+3.02", "3.05=3.03+3.04", "3.07=3.05+3.06", "3.09=3.07+3.08", "3.11=3.09+3.10"],
    "old bank": ["3.03=3.01+3.02", "3.05=3.03+3.04", "3.07=3.05+3.06", "3.09=3.07+3.08"],
    "new bank": ["3.03=3.01+3.02", "3.05=3.03+3.04", "3.07=3.05+3.06", "3.09=3.07+3.08", "3.11=3.09+3.10"],
    "insurer": ["3.03=3.01+3.02", "3.07=3.03+3.04+3.05+3.06", "3.09=3.07+3.08", "3.11=3.09+3.10", "3.13=3.11+3.12"],
}


def plan_accounts(plan, scope, member):
    """The fixed accounts of a member, as a company with this plan and scope files them."""
    listed = list(PLANS[plan].get(member) or COMMON[member])
    if member == "DRE":
        listed += PER_SHARE
    if scope == "ind":
        shared = {f"{PROFIT[plan]}.01", f"{PROFIT[plan]}.02"}
        listed = [(code, name.replace("Consolidado do", "do").replace(" Consolidado", ""))
                  for code, name in listed if code not in shared]
    return listed
