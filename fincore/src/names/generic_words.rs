//! Words that are in names of companies, and in much else: by themselves they name no company for certain.
//!
//! Beside those of [`is_common`], they are the words that names share with the documents of many other companies (found by
//! counting those companies), regions, and what people write beside a name.
use crate::language::is_particle;

/// Words that many names have, and that say nothing about which company it is.
const COMMON: [&str; 13] = [
    "sa",
    "cia",
    "companhia",
    "banco",
    "bco",
    "grupo",
    "holding",
    "participacoes",
    "part",
    "comercio",
    "industria",
    "ltda",
    "empresa",
];

/// Whether a word says nothing about which company it is.
pub(super) fn is_common(word: &str) -> bool {
    COMMON.contains(&word) || is_particle(word)
}

/// Words of documents, and of names.
#[rustfmt::skip]
const OF_DOCUMENTS: [&str; 113] = [
    "abril", "acao", "acoes", "acordo", "adm", "administracao", "agencia", "ages", "agosto", "aquisicao", "art",
    "artigos", "ativos", "atual", "aval", "base", "bonds", "br", "brasil", "brasileira", "brasileiro", "caixa",
    "capital", "capitalizacao", "captacao", "central", "cessao", "comerciais", "comercial", "compartilhamento",
    "comunicacao", "concessao", "conhecimento", "consultoria", "corona", "credito", "creditos", "dados", "data",
    "desenvolvimento", "dezembro", "distribuicao", "divida", "economico", "eleva", "empresas", "energia",
    "engenharia", "esg", "estado", "extensao", "exterior", "extra", "extrajudicial", "federal", "fevereiro", "fianca",
    "fiduciaria", "financas", "financeira", "financeiros", "financiamento", "gerais", "geral", "gestao", "global",
    "grande", "internacionais", "investimento", "investimentos", "janeiro", "jornal", "judicial", "julho", "junho",
    "liquidacao", "mais", "marco", "meio", "multi", "multiplo", "nacional", "nao", "negocios", "novembro", "operacao",
    "operacoes", "ordinaria", "original", "outras", "outubro", "pagamento", "participacao", "planejamento", "plano",
    "presidente", "projetos", "real", "recebiveis", "recuperacao", "recursos", "ref", "reserva", "seguranca",
    "seguro", "ser", "servico", "servicos", "setembro", "sistema", "social", "sociedade", "tecnologia",
];

/// Words that names start with, and that say nothing about a company unless other words of its name follow: subjects of
/// at least six other companies have them.
#[rustfmt::skip]
const ORDINARY: [&str; 133] = [
    "abril", "acao", "acoes", "agro", "agua", "alianca", "alta", "america", "american", "arrendamento", "ativos",
    "aval", "bank", "base", "bolsa", "brasil", "brasileira", "brazil", "canal", "capital", "ccb", "cedula", "cem",
    "centrais", "centro", "comercial", "comercio", "concessao", "concessionaria", "consorcio", "construtora", "costa",
    "credito", "dados", "desenvolvimento", "digital", "distribuidora", "economico", "eleva", "elevacao",
    "empreendimentos", "empresa", "energetica", "energia", "energy", "escritorio", "estado", "fabrica", "fianca",
    "fiel", "financeira", "fundo", "gas", "general", "geral", "global", "hoteis", "imobiliaria", "industria",
    "industrial", "instituicao", "instituto", "internacional", "international", "investimento", "investimentos", "joao",
    "jornal", "leilao", "linha", "linhas", "locacao", "logistica", "lojas", "maio", "mercado", "mesma", "minas",
    "nacional", "nao", "nordeste", "norte", "nova", "novo", "oeste", "oliveira", "pagamento", "parana", "paulista",
    "petroleo", "plano", "pontual", "pratica", "primeira", "pro", "produtos", "programa", "real", "recuperacao", "rede",
    "rio", "rj", "rural", "saneamento", "santa", "santos", "sao", "sec", "securitizadora", "seguros", "senior", "ser",
    "serra", "servicos", "shopping", "sociedade", "souza", "spe", "standard", "sul", "tecnica", "tecnologia", "telecom",
    "telecomunicacoes", "tempo", "terminal", "terra", "transmissora", "tres", "uniao", "unico", "up", "venture",
];

/// Regions, states and cities, and words for them.
#[rustfmt::skip]
const REGIONS: [&str; 49] = [
    "acre", "alagoas", "amapa", "amazonas", "ampla", "bahia", "brasilia", "brazil", "brazilian", "campinas",
    "catarina", "ceara", "espirito", "estadual", "goias", "janeiro", "leste", "litoral", "maranhao", "mato", "minas",
    "mundial", "municipal", "nordeste", "norte", "nova", "novo", "oeste", "para", "paraiba", "parana", "paulista",
    "paulo", "pernambuco", "piaui", "rio", "rondonia", "roraima", "santa", "santo", "sao", "sergipe", "sp", "sudeste",
    "sul", "tocantins", "tres", "unico", "vi",
];

/// What people write beside a name: what the company is, does or sells, in Portuguese and English.
#[rustfmt::skip]
const BESIDE_NAMES: [&str; 98] = [
    "academia", "acionista", "acionistas", "adr", "adrs", "aircraft", "airline", "airlines", "airways", "alimentos",
    "balanco", "bank", "bdr", "bdrs", "bebidas", "biscoitos", "bolsa", "cerveja", "cervejaria", "companies",
    "company", "construtora", "conveniencia", "corporation", "corretora", "cotacao", "cvm", "dividendos", "drogaria",
    "electric", "empresa", "energy", "estate", "exchange", "faculdade", "farmacia", "farmacias", "ferrovia",
    "financial", "foods", "gas", "group", "grupo", "health", "hipermercado", "hospital", "hoteis", "imoveis",
    "incorporadora", "industrial", "insurance", "internet", "investor", "investors", "laboratorio", "laboratorios",
    "loja", "lojas", "malls", "market", "mercado", "metal", "metalurgica", "mineracao", "mining", "motors", "nyse",
    "oil", "operadora", "papeis", "papel", "paper", "pontos", "power", "preco", "pulp", "receipts", "relations",
    "relogios", "resultado", "resultados", "retailer", "ri", "sandalias", "saneamento", "saude", "seguros", "share",
    "shares", "steel", "stock", "store", "stores", "supermercados", "telecom", "universidade", "utility", "varejo",
];

/// Whether a name that a search starts with this word needs other words to be meant.
pub(super) fn is_ordinary(word: &str) -> bool {
    is_common(word) || ORDINARY.binary_search(&word).is_ok()
}

/// Whether a word says where a company is.
pub(super) fn is_region(word: &str) -> bool {
    REGIONS.binary_search(&word).is_ok()
}

/// Whether a word by itself names no company for certain.
pub(super) fn is_generic(word: &str) -> bool {
    is_common(word)
        || word.len() < 2
        || word.bytes().all(|byte| byte.is_ascii_digit())
        || [&OF_DOCUMENTS[..], &REGIONS, &BESIDE_NAMES]
            .iter()
            .any(|table| table.binary_search(&word).is_ok())
}

/// Whether a word stands beside names, and says little about which one.
pub(super) fn is_beside_names(word: &str) -> bool {
    BESIDE_NAMES.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_in_order() {
        for table in [&OF_DOCUMENTS[..], &ORDINARY, &REGIONS, &BESIDE_NAMES] {
            assert!(table.is_sorted(), "{:?}", table.windows(2).find(|two| two[0] > two[1]));
        }
    }
}
