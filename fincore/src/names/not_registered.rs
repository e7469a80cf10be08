//! Well-known companies that do not file with CVM: a search for them says so, and returns nothing that is merely spelled alike.
//!
//! Only what is searched for as if it did: foreign companies whose receipts trade here, unlisted companies of the daily news,
//! public bodies. A name that a registered company has is found before this table is asked.

/// A company that does not file with CVM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NotRegistered {
    /// Its name, folded.
    folded: &'static str,
    /// As it is written.
    pub(crate) name: &'static str,
    /// The receipts of its shares that trade in São Paulo.
    pub(crate) receipts: Option<&'static str>,
    /// Why it is not in the registry.
    reason: &'static str,
}

const FOREIGN: &str = "a foreign company that files with the SEC";
const UNLISTED: &str = "no public company";
const SUBSIDIARY: &str = "the subsidiary of a foreign company, and no public company";
const STATE: &str = "owned by the state, and no public company";

const fn line(
    folded: &'static str,
    name: &'static str,
    receipts: &'static str,
    reason: &'static str,
) -> NotRegistered {
    let receipts = if receipts.is_empty() { None } else { Some(receipts) };
    NotRegistered { folded, name, receipts, reason }
}

/// In the order of names.
#[rustfmt::skip]
const ALL: &[NotRegistered] = &[
    line("airbnb", "Airbnb", "AIRB34", FOREIGN),
    line("albert einstein", "Albert Einstein", "", UNLISTED),
    line("alibaba", "Alibaba", "BABA34", FOREIGN),
    line("alphabet", "Alphabet", "GOGL34", FOREIGN),
    line("amazon", "Amazon", "AMZO34", FOREIGN),
    line("apple", "Apple", "AAPL34", FOREIGN),
    line("arcos dorados", "Arcos Dorados", "", FOREIGN),
    line("aurora alimentos", "Aurora Coop", "", UNLISTED),
    line("aurora coop", "Aurora Coop", "", UNLISTED),
    line("bahiagas", "Bahiagás", "", STATE),
    line("banco original", "Banco Original", "", UNLISTED),
    line("bayer", "Bayer", "", SUBSIDIARY),
    line("beira rio calcados", "Calçados Beira Rio", "", UNLISTED),
    line("berkshire", "Berkshire Hathaway", "BERK34", FOREIGN),
    line("beto carrero", "Beto Carrero World", "", UNLISTED),
    line("boeing", "Boeing", "BOEI34", FOREIGN),
    line("boticario", "O Boticário", "", UNLISTED),
    line("byd", "BYD", "", SUBSIDIARY),
    line("c6", "C6 Bank", "", UNLISTED),
    line("c6 bank", "C6 Bank", "", UNLISTED),
    line("cacau show", "Cacau Show", "", UNLISTED),
    line("caixa economica", "Caixa Econômica Federal", "", STATE),
    line("caixa economica federal", "Caixa Econômica Federal", "", STATE),
    line("calcados beira rio", "Calçados Beira Rio", "", UNLISTED),
    line("caloi", "Caloi", "", SUBSIDIARY),
    line("cargill", "Cargill", "", SUBSIDIARY),
    line("casas pernambucanas", "Casas Pernambucanas", "", UNLISTED),
    line("coca cola", "Coca-Cola", "COCA34", FOREIGN),
    line("cocamar", "Cocamar", "", UNLISTED),
    line("compesa", "Compesa", "", STATE),
    line("correios", "Correios", "", STATE),
    line("creditas", "Creditas", "", FOREIGN),
    line("decolar", "Decolar", "", FOREIGN),
    line("disney", "Disney", "DISB34", FOREIGN),
    line("dpsp", "Grupo DPSP", "", UNLISTED),
    line("drogaria araujo", "Drogaria Araujo", "", UNLISTED),
    line("drogaria sao paulo", "Drogaria São Paulo", "", UNLISTED),
    line("drogarias pacheco", "Drogarias Pacheco", "", UNLISTED),
    line("ebanx", "EBANX", "", UNLISTED),
    line("eletronuclear", "Eletronuclear", "", STATE),
    line("embasa", "Embasa", "", STATE),
    line("facebook", "Facebook", "M1TA34", FOREIGN),
    line("fiat", "Fiat", "", SUBSIDIARY),
    line("ford", "Ford", "FDMO34", FOREIGN),
    line("general motors", "General Motors", "GMCO34", FOREIGN),
    line("globo", "Globo", "", UNLISTED),
    line("google", "Google", "GOGL34", FOREIGN),
    line("grow jogos", "Grow", "", UNLISTED),
    line("grupo boticario", "Grupo Boticário", "", UNLISTED),
    line("gympass", "Gympass", "", UNLISTED),
    line("havan", "Havan", "", UNLISTED),
    line("heineken", "Heineken", "", SUBSIDIARY),
    line("honda", "Honda", "", SUBSIDIARY),
    line("hope lingerie", "Hope", "", UNLISTED),
    line("hospital albert einstein", "Albert Einstein", "", UNLISTED),
    line("hospital sirio libanes", "Sírio-Libanês", "", UNLISTED),
    line("huawei", "Huawei", "", SUBSIDIARY),
    line("hyundai", "Hyundai", "", SUBSIDIARY),
    line("ifood", "iFood", "", UNLISTED),
    line("infraero", "Infraero", "", STATE),
    line("kavak", "Kavak", "", UNLISTED),
    line("leroy merlin", "Leroy Merlin", "", SUBSIDIARY),
    line("loft", "Loft", "", UNLISTED),
    line("loggi", "Loggi", "", UNLISTED),
    line("madeiramadeira", "MadeiraMadeira", "", UNLISTED),
    line("mc donalds", "McDonald's", "MCDC34", FOREIGN),
    line("mcdonalds", "McDonald's", "MCDC34", FOREIGN),
    line("mercado libre", "Mercado Libre", "MELI34", FOREIGN),
    line("mercado livre", "Mercado Livre", "MELI34", FOREIGN),
    line("mercado pago", "Mercado Pago", "MELI34", FOREIGN),
    line("mercadolivre", "Mercado Livre", "MELI34", FOREIGN),
    line("mercedes", "Mercedes-Benz", "", SUBSIDIARY),
    line("meta platforms", "Meta", "M1TA34", FOREIGN),
    line("microsoft", "Microsoft", "MSFT34", FOREIGN),
    line("neon", "Neon", "", UNLISTED),
    line("nestle", "Nestlé", "", SUBSIDIARY),
    line("netflix", "Netflix", "NFLX34", FOREIGN),
    line("nvidia", "Nvidia", "NVDC34", FOREIGN),
    line("o boticario", "O Boticário", "", UNLISTED),
    line("pagbank", "PagBank", "PAGS34", FOREIGN),
    line("pagseguro", "PagSeguro", "PAGS34", FOREIGN),
    line("parque beto carrero", "Beto Carrero World", "", UNLISTED),
    line("pepsico", "PepsiCo", "PEPB34", FOREIGN),
    line("pernambucanas", "Pernambucanas", "", UNLISTED),
    line("pfizer", "Pfizer", "PFIZ34", FOREIGN),
    line("philco", "Philco", "", UNLISTED),
    line("picpay", "PicPay", "", UNLISTED),
    line("quinto andar", "QuintoAndar", "", UNLISTED),
    line("quintoandar", "QuintoAndar", "", UNLISTED),
    line("rappi", "Rappi", "", UNLISTED),
    line("renault", "Renault", "", SUBSIDIARY),
    line("ricardo eletro", "Ricardo Eletro", "", UNLISTED),
    line("samsung", "Samsung", "", SUBSIDIARY),
    line("sbt", "SBT", "", UNLISTED),
    line("serpro", "Serpro", "", STATE),
    line("shein", "Shein", "", SUBSIDIARY),
    line("shopee", "Shopee", "S2EA34", FOREIGN),
    line("sirio libanes", "Sírio-Libanês", "", UNLISTED),
    line("spotify", "Spotify", "S1PO34", FOREIGN),
    line("stellantis", "Stellantis", "", SUBSIDIARY),
    line("stone", "StoneCo", "STOC31", FOREIGN),
    line("stoneco", "StoneCo", "STOC31", FOREIGN),
    line("tesla", "Tesla", "TSLA34", FOREIGN),
    line("toyota", "Toyota", "", SUBSIDIARY),
    line("uber", "Uber", "U1BE34", FOREIGN),
    line("ultrafarma", "Ultrafarma", "", UNLISTED),
    line("unilever", "Unilever", "", SUBSIDIARY),
    line("unimed", "Unimed", "", UNLISTED),
    line("visa", "Visa", "VISA34", FOREIGN),
    line("volkswagen", "Volkswagen", "", SUBSIDIARY),
    line("walmart", "Walmart", "WALM34", FOREIGN),
    line("xp inc", "XP Inc.", "XPBR31", FOREIGN),
    line("zara", "Zara", "", SUBSIDIARY),
];

/// Words that may stand beside such a name.
const BESIDE: [&str; 9] =
    ["do", "brasil", "sa", "inc", "bdr", "banco", "grupo", "brazil", "company"];

/// The company of this table that these words name, if they name nothing else.
pub(super) fn find(words: &[&str]) -> Option<NotRegistered> {
    ALL.iter().copied().find(|known| {
        let name: Vec<&str> = known.folded.split(' ').collect();
        let at = words.windows(name.len()).position(|run| run == name);
        let is_beside = |word: &&str| {
            let receipts =
                known.receipts.is_some_and(|receipts| receipts.eq_ignore_ascii_case(word));
            BESIDE.contains(word) || receipts
        };
        at.is_some_and(|at| {
            words[..at].iter().all(is_beside) && words[at + name.len()..].iter().all(is_beside)
        })
    })
}

/// The company of this table that some of these words name.
pub(super) fn find_within(words: &[&str]) -> Option<NotRegistered> {
    let is_named = |known: &&NotRegistered| {
        let name: Vec<&str> = known.folded.split(' ').collect();
        words.windows(name.len()).any(|run| run == name)
    };
    ALL.iter().find(is_named).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::fold;

    #[test]
    fn every_line_is_folded_once_and_has_a_reason() {
        for (at, known) in ALL.iter().enumerate() {
            assert_eq!(fold(known.folded), known.folded);
            assert!(known.reason.len() > 5);
            assert!(ALL[..at].iter().all(|other| other.folded != known.folded), "{}", known.folded);
        }
    }

    #[test]
    fn a_name_is_found_with_the_words_beside_it() {
        let name = |text: &str| find(&text.split(' ').collect::<Vec<_>>()).map(|known| known.name);
        assert_eq!(name("mercado livre"), Some("Mercado Livre"));
        assert_eq!(name("volkswagen do brasil"), Some("Volkswagen"));
        assert_eq!(name("tesla tsla34"), Some("Tesla"));
        assert_eq!(name("mercado extra"), None);
        assert_eq!(name("vale tesla"), None);
    }
}
