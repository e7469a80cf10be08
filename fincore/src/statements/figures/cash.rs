//! Capital expenditure and dividends paid. Companies name the accounts of their cash flow themselves, so these figures
//! are found by the words of the names.
use super::{FigureValue, Reason, absolute, plan::is_below};
use crate::{
    statements::account::Account,
    types::{Decimal, fold, words},
};

/// What was paid for property and intangibles.
pub(super) fn capital_expenditure(cash_flow: Option<&[Account]>) -> FigureValue {
    outflow(cash_flow, "6.02", purchase)
}

/// Dividends and interest on equity that were paid.
pub(super) fn dividends_paid(cash_flow: Option<&[Account]>) -> FigureValue {
    outflow(cash_flow, "6.03", distribution)
}

/// What the name of an account says about an outflow.
#[derive(PartialEq, Eq)]
enum Naming {
    /// It names the outflow: `Aquisição de imobilizado`.
    Outflow,
    /// It names only what the cash was for: `Imobilizado`. The sign decides.
    Either,
    /// Something else, or an inflow: `Venda de imobilizado`.
    Other,
}

/// The sum of the accounts below `parent` that are named as this outflow, positive.
fn outflow(cash_flow: Option<&[Account]>, parent: &str, naming: fn(&str) -> Naming) -> FigureValue {
    let Some(accounts) = cash_flow else { return FigureValue::none(Reason::NoStatement) };
    let zero = Decimal::from(0);
    let is_outflow = |account: &Account| match naming(&fold(&account.name)) {
        Naming::Outflow => true,
        Naming::Either => account.value <= zero,
        Naming::Other => false,
    };
    let mut found: Vec<&Account> = Vec::new();
    for account in accounts.iter().filter(|account| is_below(&account.code, parent)) {
        // Some files have rows twice.
        if is_outflow(account) && !found.iter().any(|other| other.code == account.code) {
            found.push(account);
        }
    }
    if found.is_empty() {
        return FigureValue::none(Reason::NoAccount);
    }
    // An account contains those below it, unless the company filled in only these.
    let is_part = |account: &Account| {
        found.iter().any(|other| other.value != zero && is_below(&account.code, &other.code))
    };
    let counted: Vec<&Account> =
        found.iter().copied().filter(|account| !is_part(account)).collect();
    let sum = counted.iter().try_fold(zero, |sum, account| sum.checked_add(account.value));
    let from = counted.iter().map(|account| account.code.clone()).collect();
    // Some companies file outflows without the minus sign.
    FigureValue::made(sum.map(absolute), from)
}

fn purchase(name: &str) -> Naming {
    // `imobiza` is a frequent misspelling.
    const PROPERTY: &str = "imobiliza|imobiza|intangive|ativo de contrato|ativos de contrato|\
        ativo contratual|ativos contratuais";
    // Companies that are bought have these words in their names, too.
    const GOODS: &str = "infraestrutura|propriedade|oleo e gas|ativo fixo|software|instalacoes|\
        equipamento|imoveis|terreno|maquina";
    const HOLDINGS: &str = "participac|controlad|coligad|capital|fundo|titulos";
    const INFLOW: &str = "venda|vendid|alienac|alienad|baixa|recebi|receita|ganho|resgate|\
        reembols|devoluc|indeniza|cisao|incorporac|arrendamento";
    const PURCHASE: &str = "aquisic|adquiri|adic|compra|invest|aplicac|pagament|pgto|pago|gasto|\
        desembols|construc|usado|utilizado";
    let is_property =
        has(name, PROPERTY) || is_concession(name) || (has(name, GOODS) && !has(name, HOLDINGS));
    if !is_property || has(name, INFLOW) {
        return Naming::Other;
    }
    // `Propriedades para investimento` says what it was for, not that it was bought.
    if has(&name.replace("para investimento", ""), PURCHASE) {
        Naming::Outflow
    } else {
        Naming::Either
    }
}

/// Whether the name speaks of the assets of a public concession. To grant a loan is `concessão` too.
fn is_concession(name: &str) -> bool {
    name.contains("concess") && has(name, "ativo|bens|direito")
}

fn distribution(name: &str) -> Naming {
    const INFLOW: &str = "recebi|a receber|prescri|nao reclamad";
    const PAYMENT: &str = "pag|pgto|distribu|adiantament|antecipa|remunerac";
    let is_distribution = name.contains("dividendo")
        || (name.contains("juros") && name.contains("capital propri"))
        || (name.contains("remunerac") && name.contains("acionistas"))
        || words(name).any(|word| matches!(word, "jcp" | "jscp" | "jsc"));
    if !is_distribution || has(name, INFLOW) {
        Naming::Other
    } else if has(name, PAYMENT) {
        Naming::Outflow
    } else {
        Naming::Either
    }
}

/// Whether the name has one of the parts, which `|` separates.
fn has(name: &str, parts: &str) -> bool {
    parts.split('|').any(|part| name.contains(part))
}
