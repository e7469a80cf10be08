//! The refusals that people meet: as the library and the API say them, and as pages do in each language.
//!
//! `{}` is a gap for a name, a number, a day or, between quotation marks, what somebody typed. `{…}` is a gap for words
//! that have a row of their own. The first row that fits is taken.

/// A refusal, or a part of one.
pub(super) struct Row {
    /// As it is said to programs.
    pub(super) said: &'static str,
    pub(super) english: &'static str,
    pub(super) portuguese: &'static str,
}

pub(super) const TABLE: [&[Row]; 5] = [QUESTIONS, ADDRESSES, WANTED, SERIES, CALCULATORS];

/// A row whose English is fit for people, too.
const fn same(said: &'static str, portuguese: &'static str) -> Row {
    Row { said, english: said, portuguese }
}

/// A row whose English speaks of endpoints and parameters, or gives no advice.
const fn reworded(said: &'static str, english: &'static str, portuguese: &'static str) -> Row {
    Row { said, english, portuguese }
}

/// What is wrong with what somebody typed or chose.
const QUESTIONS: &[Row] = &[
    same("\"{}\" is not {…}", "\"{}\" não é {…}"),
    reworded(
        "\"from\" ({}) is after \"to\" ({}); it must be the same day or earlier",
        "the first day ({}) is after the last one ({}); it must be the same day or earlier",
        "a data inicial ({}) é posterior à final ({}); ela deve ser igual ou anterior",
    ),
    reworded(
        "the search is too broad: use fewer or longer words, or narrow it with company, category, type, from or to",
        "the search is too broad: use fewer or longer words, or narrow it by company, category, type or days",
        "a busca é ampla demais: use menos palavras ou palavras mais longas, ou restrinja por companhia, categoria, tipo ou datas",
    ),
    same("pages are numbered from 1", "as páginas são numeradas a partir de 1"),
    // What Rust says of a number.
    reworded(
        "invalid digit found in string",
        "this is not a whole number, such as 1",
        "isto não é um número inteiro, como 1",
    ),
    reworded(
        "number too large to fit in target type",
        "this number is too large",
        "este número é grande demais",
    ),
];

/// What is wrong with an address, or missing there.
const ADDRESSES: &[Row] = &[
    reworded(
        "there is nothing at this path: {…}",
        "there is nothing at this address: {…}",
        "não há nada neste endereço: {…}",
    ),
    reworded("parameter \"{}\": {…}", "in the address, \"{}\": {…}", "no endereço, \"{}\": {…}"),
    reworded(
        "parameter \"{}\" is unknown; this endpoint takes none",
        "this page does not know \"{}\" in its address, nor anything else",
        "esta página não conhece \"{}\" no endereço, nem outra coisa",
    ),
    reworded(
        "parameter \"{}\" is unknown; this endpoint takes {}",
        "this page does not know \"{}\" in its address; it knows {}",
        "esta página não conhece \"{}\" no endereço; ela conhece {}",
    ),
    reworded(
        "parameter \"{}\" is given twice",
        "\"{}\" is in the address twice",
        "\"{}\" está duas vezes no endereço",
    ),
    reworded("parameter \"{}\" is missing", "\"{}\" is missing", "falta \"{}\""),
    reworded(
        "there are more than {} parameters",
        "the address has more than {} parts after its question mark",
        "o endereço tem mais de {} partes depois do ponto de interrogação",
    ),
    same("the address is longer than {} bytes", "o endereço tem mais de {} bytes"),
    same(
        "\"{}\" in the address has a % that is not followed by two hexadecimal digits",
        "\"{}\" no endereço tem um % que não é seguido de dois dígitos hexadecimais",
    ),
    same("\"{}\" in the address is not UTF-8", "\"{}\" no endereço não é UTF-8"),
    same(
        "\"{}\" in the address holds a NUL character",
        "\"{}\" no endereço contém um caractere NUL",
    ),
    reworded(
        "there is no company \"{}\"",
        "there is no company \"{}\"; look for it by its name under Companies",
        "não há companhia \"{}\"; procure pelo nome em Companhias",
    ),
    reworded(
        "there is no filing \"{}\"",
        "there is no filing \"{}\"; look for it under Filings",
        "não há documento \"{}\"; procure em Documentos",
    ),
    reworded(
        "there are no quotes for {}; GET /api/v1/market/fx/pairs lists the pairs that have quotes",
        "there are no quotes for {}; Market shows the currencies that have some",
        "não há cotações para {}; Mercado mostra as moedas que têm",
    ),
    same("there are no quotes for {}", "não há cotações para {}"),
    reworded(
        "there are no observations of a series {} yet; GET /api/v1/market/series lists the series that have some",
        "there is no series {}; Market shows all that there are",
        "não há série {}; Mercado mostra todas as que existem",
    ),
    reworded(
        "there are no observations of series {} yet; GET /api/v1/market/series lists the series that have some",
        "there are no values of the series {} yet; Market shows those that have some",
        "ainda não há valores da série {}; Mercado mostra as que têm",
    ),
    reworded(
        "there are no observations of a series {} yet",
        "there is no series {}; choose one of the list",
        "não há série {}; escolha uma da lista",
    ),
    reworded(
        "there are no observations of series {} yet",
        "there are no values of the series {} yet; choose one of the list",
        "ainda não há valores da série {}; escolha uma da lista",
    ),
];

/// What something should have been.
const WANTED: &[Row] = &[
    reworded(
        "a date (YYYY-MM-DD)",
        "a date (YYYY-MM-DD, such as 2025-12-31)",
        "uma data (AAAA-MM-DD, como 2025-12-31)",
    ),
    same("a page (1 to {})", "uma página (de 1 a {})"),
    same("a range (3m, 12m, 5y or all)", "um período (3m, 12m, 5y ou all)"),
    same("a language of the pages (en or pt)", "um idioma das páginas (en ou pt)"),
    same("a path of this service (/pricing)", "um caminho deste serviço (/pricing)"),
    same("an order (newest or relevance)", "uma ordem (newest ou relevance)"),
    same(
        "a text with at least one letter or digit",
        "um texto com pelo menos uma letra ou um dígito",
    ),
    same("a text of at most {} words (it has {})", "um texto de no máximo {} palavras (tem {})"),
    same("a text of at most {} characters", "um texto de no máximo {} caracteres"),
    same(
        "a company (a CVM code, a CNPJ or a ticker)",
        "uma companhia (um código CVM, um CNPJ ou um código de negociação)",
    ),
    same(
        "the id of a filing (a protocol number, or one like dfp-144874)",
        "a identificação de um documento (um número de protocolo, ou uma como dfp-144874)",
    ),
    same(
        "a series (its number in SGS, or a name such as igp-m)",
        "uma série (o número dela no SGS, ou um nome como igp-m)",
    ),
    same("a currency (three letters, such as USD)", "uma moeda (três letras, como USD)"),
    same(
        "a currency pair (EUR/BRL, EURBRL or eur-brl)",
        "um par de moedas (EUR/BRL, EURBRL ou eur-brl)",
    ),
    same("a side (buy or sell)", "um lado (buy, compra, ou sell, venda)"),
    same(
        "an amount (such as 1000.50, at most 18 digits)",
        "um valor (como 1000,50, com no máximo 18 dígitos)",
    ),
    same(
        "a percentage of the index (more than 0, at most 1000)",
        "um percentual do índice (maior que 0, no máximo 1000)",
    ),
    same(
        "a spread in percent per year (more than -100, at most 1000)",
        "um spread em por cento ao ano (maior que -100, no máximo 1000)",
    ),
    same("a spread above -100", "um spread acima de -100"),
];

/// What a series lacks, after its name.
const SERIES: &[Row] = &[
    reworded(
        "series {}: {…}; calculators take price indexes, selic, cdi, savings, tr, and series with a level",
        "series {}: {…}, so that it cannot be compounded; choose one of the list",
        "série {}: {…}, por isso não pode ser capitalizada; escolha uma da lista",
    ),
    same("series {}: {…}", "série {}: {…}"),
    same("its unit is not known", "a unidade dela não é conhecida"),
    same("it is a rate per year", "ela é uma taxa ao ano"),
    same("its value of {} is not positive", "o valor de {} não é positivo"),
    same(
        "there is no value from {} to the day before {}",
        "não há valor de {} até a véspera de {}",
    ),
    same(
        "there is no value from {} to {}; the newest is of {}",
        "não há valor de {} a {}; o mais recente é de {}",
    ),
    same("there is no value from {} to {}", "não há valor de {} a {}"),
    same(
        "there is no value near {}; the next is of {}",
        "não há valor perto de {}; o seguinte é de {}",
    ),
    same(
        "there is no value near {}; the one before is of {}",
        "não há valor perto de {}; o anterior é de {}",
    ),
    same("there is no value for {}", "não há valor para {}"),
    reworded(
        "its values begin on {}, after {}",
        "its values begin on {}, after {}; choose a later first day",
        "os valores começam em {}, depois de {}; escolha uma data inicial posterior",
    ),
    reworded(
        "its newest value is of {}, before {}; leave out the last day to calculate up to there",
        "its newest value is of {}, before {}; leave the last day empty to calculate up to there",
        "o valor mais recente é de {}, antes de {}; deixe a última data em branco para calcular até lá",
    ),
    same("its newest value is of {}, before {}", "o valor mais recente é de {}, antes de {}"),
    same(
        "the factor has more than {} digits before the point; shorten the period, or lower the percentage or spread",
        "o fator tem mais de {} dígitos antes da vírgula; encurte o período, ou reduza o percentual ou o spread",
    ),
];

/// What calculators refuse otherwise.
const CALCULATORS: &[Row] = &[
    reworded(
        "{} is no rate; a percentage of it means nothing",
        "the series {} is no rate; a percentage of it means nothing: leave this empty",
        "a série {} não é uma taxa; um percentual dela não faz sentido: deixe este campo em branco",
    ),
    same("{} is in the future", "{} está no futuro"),
    same(
        "no closing bulletin up to {} has {} and {}",
        "nenhum boletim de fechamento até {} tem {} e {}",
    ),
    same("no closing bulletin up to {} has {}", "nenhum boletim de fechamento até {} tem {}"),
    reworded(
        "the newest closing bulletin up to {} with {} and {} is of {}; ask for that day, or leave the date out for the newest",
        "the newest closing bulletin up to {} with {} and {} is of {}; choose that day, or leave the date empty for the newest",
        "o boletim de fechamento mais recente até {} com {} e {} é de {}; escolha esse dia, ou deixe a data em branco para o mais recente",
    ),
    reworded(
        "the newest closing bulletin up to {} with {} is of {}; ask for that day, or leave the date out for the newest",
        "the newest closing bulletin up to {} with {} is of {}; choose that day, or leave the date empty for the newest",
        "o boletim de fechamento mais recente até {} com {} é de {}; escolha esse dia, ou deixe a data em branco para o mais recente",
    ),
    same("{} has no price on {}", "{} não tem preço em {}"),
    reworded(
        "{} is not a rate per day or month, such as selic or cdi",
        "the series {} is not a rate per day or month, such as selic or cdi",
        "a série {} não é uma taxa ao dia ou ao mês, como selic ou cdi",
    ),
    reworded(
        "{} is not a monthly price index, such as ipca",
        "the series {} is not a monthly price index, such as ipca",
        "a série {} não é um índice de preços mensal, como ipca",
    ),
    same(
        "interest of {} to {} left nothing: there is no rate per year",
        "os juros de {} a {} não deixaram nada: não há taxa ao ano",
    ),
    same("inflation of {} to {} left nothing", "a inflação de {} a {} não deixou nada"),
    same(
        "the newest month that {} and {} both have is of {}, before {}",
        "o mês mais recente que {} e {} têm é de {}, antes de {}",
    ),
];
