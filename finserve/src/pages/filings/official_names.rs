//! English names for the words of CVM: categories of filings, and the status of companies.
use maud::{Markup, html};

use crate::pages::{language::Language, view::View};

/// The categories, as CVM writes them.
const CATEGORIES: [(&str, &str); 52] = [
    ("Acordo de Acionistas", "Shareholders’ agreement"),
    ("Assembleia", "Shareholders’ meeting"),
    ("Ato Homologatório emitido pelo Banco Central", "Central bank approval"),
    ("Aviso aos Acionistas", "Notice to shareholders"),
    ("Aviso aos Debenturistas", "Notice to debenture holders"),
    ("Calendário de Eventos Corporativos", "Corporate events calendar"),
    ("Carta Anual de Governança Corporativa", "Annual corporate governance letter"),
    ("Código de Conduta", "Code of conduct"),
    ("Comunicado ao Mercado", "Market announcement"),
    ("Comunicação sobre Transação entre Partes Relacionadas", "Related-party transaction notice"),
    ("Comunicação sobre demandas societárias", "Corporate litigation notice"),
    ("Contratos de Indenidade", "Indemnity agreements"),
    ("DFP", "Annual financial statements"),
    ("Dados Econômico-Financeiros", "Financial data"),
    ("Dados cadastrais de companhias incentivadas", "Registration data of incentivised companies"),
    ("Documentos de Oferta de Distribuição Pública", "Public offering documents"),
    ("Emissor Estrangeiro (entidade de investimentos)", "Foreign issuer (investment entity)"),
    ("Escrituras e aditamentos de debêntures", "Debenture deeds and amendments"),
    ("Estatuto Social", "Bylaws"),
    ("FCA", "Registration form"),
    ("FRE", "Reference form"),
    ("FRE WEB", "Reference form"),
    ("Fato Relevante", "Material fact"),
    ("ITR", "Quarterly financial statements"),
    ("Informação Prestada às Bolsas Estrangeiras", "Information given to foreign exchanges"),
    ("Informações Companhias em Falência", "Information on bankrupt companies"),
    ("Informações Companhias em Liquidação", "Information on companies in liquidation"),
    (
        "Informações de Companhias em Recuperação Judicial ou Extrajudicial",
        "Information on companies under reorganisation",
    ),
    (
        "Informações sobre acordos de acionistas previstas no art. 30, XIX, IN 480/09",
        "Information on shareholders’ agreements",
    ),
    ("OPA - Edital de Oferta Pública de Ações", "Tender offer notice"),
    ("Plano de Remuneração Baseado em Ações", "Share-based compensation plan"),
    (
        "Plano de Remuneração Baseado em Ações (exceto Plano de Opções)",
        "Share-based compensation plan (other than options)",
    ),
    ("Política de Destinação de Resultados", "Policy on allocation of results"),
    ("Política de Dividendos", "Dividend policy"),
    ("Política de Divulgação de Ato ou Fato Relevante", "Disclosure policy"),
    ("Política de Gerenciamento de Riscos", "Risk management policy"),
    ("Política de Negociação das Ações da Companhia", "Policy on trading the company’s shares"),
    ("Política de Negociação de Valores Mobiliários", "Securities trading policy"),
    ("Política de Remuneração", "Compensation policy"),
    ("Política de Sustentabilidade", "Sustainability policy"),
    ("Política de Transações entre Partes Relacionadas", "Related-party transactions policy"),
    ("Política de indicação", "Nomination policy"),
    (
        "Política para Contratação de Serviços Extra-Auditoria de seus Auditores Independentes",
        "Policy on non-audit services of the auditors",
    ),
    ("Política sobre Contribuições e Doações", "Policy on contributions and donations"),
    ("Regimento Interno da Diretoria", "Charter of the executive board"),
    ("Regimento Interno do Comitê de Auditoria Estatutário", "Charter of the audit committee"),
    ("Regimento interno de Comitês", "Charters of committees"),
    ("Regimento interno do Conselho Fiscal", "Charter of the fiscal council"),
    ("Regimento interno do Conselho de Administração", "Charter of the board of directors"),
    ("Relato Integrado", "Integrated report"),
    ("Relatório Proventos", "Report on dividends and other payouts"),
    ("Relatório de Sustentabilidade", "Sustainability report"),
];

/// Further categories, which have long names or are rare.
const RARE_CATEGORIES: [(&str, &str); 4] = [
    (
        "Relatório de Informações Financeiras Relacionadas à Sustentabilidade - Padrão ISSB",
        "Sustainability-related financial disclosures (ISSB)",
    ),
    ("Reunião da Administração", "Board meeting"),
    ("Sentença de Falência", "Bankruptcy ruling"),
    (
        "Valores Mobiliários negociados e detidos (art. 11 da Instr. CVM nº 358)",
        "Securities traded and held by insiders",
    ),
];

/// The status of a company, as CVM writes it.
const STATUSES: [(&str, &str); 3] = [
    ("ATIVO", "Active"),
    ("CANCELADA", "Cancelled"),
    ("SUSPENSO(A) - DECISÃO ADM", "Suspended by the regulator"),
];

fn look_up(table: &[(&'static str, &'static str)], official: &str) -> Option<&'static str> {
    let same = |word: &str| word.split_whitespace().eq(official.split_whitespace());
    table.iter().find(|(word, _)| same(word)).map(|(_, english)| *english)
}

fn english(view: &View, name: Option<&'static str>) -> Option<&'static str> {
    name.filter(|_| view.language == Language::English)
}

/// The English name of a category, on English pages.
pub(crate) fn category_name(view: &View, category: &str) -> Option<&'static str> {
    let name = look_up(&CATEGORIES, category).or_else(|| look_up(&RARE_CATEGORIES, category));
    english(view, name)
}

/// A category in the language of the page, with the official word beside it.
pub(crate) fn category(view: &View, category: &str) -> Markup {
    with_official_word(category_name(view, category), category)
}

/// The status of a company in the language of the page, with the official word beside it.
pub(crate) fn status(view: &View, status: &str) -> Markup {
    with_official_word(english(view, look_up(&STATUSES, status)), status)
}

fn with_official_word(name: Option<&str>, official: &str) -> Markup {
    html! {
        @match name {
            Some(name) => { span lang="en" { (name) } " " small.official lang="pt-BR" { (official) } }
            None => span lang="pt-BR" { (official) },
        }
    }
}

#[cfg(test)]
mod tests {
    use fincore::{Date, bundle, companies, filings};

    use super::*;

    #[test]
    fn every_bundled_category_and_status_has_an_english_name() {
        let dir = tempfile::tempdir().unwrap();
        let catalogue = bundle::filled_copy(dir.path()).unwrap();
        let snapshot = catalogue.snapshot(Date::MAX).unwrap();
        let all =
            fincore::PageQuery { limit: fincore::Limit::new(1000).unwrap(), ..Default::default() };
        for row in filings::categories(&snapshot, all).unwrap().data {
            let name = look_up(&CATEGORIES, &row.category)
                .or_else(|| look_up(&RARE_CATEGORIES, &row.category));
            assert!(name.is_some(), "{}", row.category);
        }
        for status in companies::filter_values(&snapshot).unwrap().statuses {
            assert!(look_up(&STATUSES, &status).is_some(), "{status}");
        }
    }
}
