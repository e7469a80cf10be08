//! The series of the central bank that this library describes: title, unit, rhythm, and where the values are stored.
use std::borrow::Cow;

use serde::Deserialize;

use crate::{
    error::Wanted,
    types::{Currency, Date, SeriesId, choices},
};

/// How often a series has a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rhythm {
    /// One for every calendar day.
    Daily,
    /// One for every business day of the financial market.
    #[serde(rename = "business days")]
    BusinessDays,
    /// One for every month, dated on its first day.
    Monthly,
}

impl Rhythm {
    /// `daily`, `business days` or `monthly`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Rhythm::Daily => "daily",
            Rhythm::BusinessDays => "business days",
            Rhythm::Monthly => "monthly",
        }
    }
}

/// What the values of a series measure, and so how they are compounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Measure {
    /// Percent of a business day.
    PercentPerDay,
    /// Percent of a month.
    PercentPerMonth,
    /// Percent of a year.
    PercentPerYear,
    /// Percent of the twelve months that end with this one.
    PercentInTwelveMonths,
    /// Something that has a level: an index, an amount, a price.
    Level,
}

/// The side of a closing quote that a series has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Side {
    /// The price at which the market buys.
    Buy,
    /// The price at which the market sells; most contracts mean it.
    #[default]
    Sell,
}

choices!(Side, Wanted::Side, "buy" => Side::Buy, "sell" => Side::Sell);

impl Side {
    /// `buy` or `sell`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Side::Buy => "buy",
            Side::Sell => "sell",
        }
    }
}

/// A text in English and Portuguese.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Text {
    /// In English.
    pub en: &'static str,
    /// In Portuguese.
    pub pt: &'static str,
}

/// The definition of a series of SGS, the central bank's time series system.
#[derive(Debug)]
#[non_exhaustive]
pub struct SeriesDefinition {
    /// Its number in SGS.
    pub number: u32,
    /// Its short name in addresses and on the command line: `igp-m`.
    pub name: &'static str,
    /// Its title.
    pub title: Text,
    /// The unit of its values.
    pub unit: Text,
    /// How often it has a value.
    pub rhythm: Rhythm,
    /// The central bank has no value before this day.
    pub since: Date,
    /// Whether it is brought only if it is asked for; once it is held, it is kept fresh like the others.
    pub on_demand: bool,
    /// The series from which missing figures are computed.
    pub(crate) computed_from: Option<u32>,
    /// The currency and side of a series that is an exchange rate: its values are stored as quotes.
    pub(crate) quote: Option<(Currency, Side)>,
}

impl SeriesDefinition {
    /// Whether the series is one side of an exchange rate: its values are stored as quotes.
    #[must_use]
    pub fn is_exchange_rate(&self) -> bool {
        self.quote.is_some()
    }

    /// Whether a value holds until it is changed: the Selic target and the TJLP.
    #[must_use]
    pub fn holds_until_changed(&self) -> bool {
        matches!(self.number, SELIC | TJLP)
    }

    /// What its values measure.
    pub(crate) fn measure(&self) -> Measure {
        match self.unit {
            PERCENT_A_DAY => Measure::PercentPerDay,
            PERCENT_A_MONTH => Measure::PercentPerMonth,
            PERCENT_A_YEAR | PERCENT_A_YEAR_252 => Measure::PercentPerYear,
            PERCENT_IN_12_MONTHS => Measure::PercentInTwelveMonths,
            _ => Measure::Level,
        }
    }
}

/// The Selic target, percent per year, on every calendar day.
pub const SELIC: u32 = 432;
/// The Selic rate, percent per day.
pub(crate) const SELIC_DAILY: u32 = 11;
/// The effective Selic rate, percent per year on 252 business days.
pub(crate) const SELIC_EFFECTIVE: u32 = 1178;
/// The CDI, percent per year on 252 business days; as published, or computed from the rate per day (12).
pub const CDI: u32 = 4389;
/// The CDI, percent per day.
pub(crate) const CDI_DAILY: u32 = 12;
/// The long-term interest rate, which is set for a quarter.
pub(crate) const TJLP: u32 = 256;
/// What the Selic rate accumulated in each month.
pub(crate) const SELIC_MONTHLY: u32 = 4390;
/// What the CDI accumulated in each month.
pub(crate) const CDI_MONTHLY: u32 = 4391;
/// The dollar's closing price on the selling side.
pub(crate) const USD_SELL: u32 = 1;
/// Its mean of each month.
pub(crate) const USD_MONTHLY: u32 = 3698;
/// The consumer price index IPCA, percent per month, dated on the first of its month.
pub const IPCA: u32 = 433;
/// What the IPCA accumulated in twelve months, as published.
pub(crate) const IPCA_12_MONTHS: u32 = 13522;
/// The price index IGP-M, percent per month, rounded to two decimals.
pub(crate) const IGP_M: u32 = 189;
/// The same months unrounded, as the index numbers give them: what the central bank's calculator for citizens takes.
pub(crate) const IGP_M_UNROUNDED: u32 = 28655;
/// The return of savings deposits made since 4 May 2012, for the month that begins on each day.
pub(crate) const SAVINGS: u32 = 195;
/// The same, of deposits of the first day of each month only.
pub(crate) const SAVINGS_MONTHLY: u32 = 196;
/// The return of savings deposits made until 3 May 2012, for the month that begins on each day.
pub(crate) const OLD_SAVINGS: u32 = 25;

const PERCENT_A_YEAR: Text = Text { en: "percent per year", pt: "por cento ao ano" };
const PERCENT_A_YEAR_252: Text = Text {
    en: "percent per year, 252 business days",
    pt: "por cento ao ano, base 252 dias úteis",
};
const PERCENT_IN_12_MONTHS: Text = Text { en: "percent in 12 months", pt: "por cento em 12 meses" };
const PERCENT_A_MONTH: Text = Text { en: "percent per month", pt: "por cento ao mês" };
const PERCENT_A_DAY: Text = Text { en: "percent per day", pt: "por cento ao dia" };
const INDEX: Text = Text { en: "index", pt: "índice" };
const PERCENT: Text = Text { en: "percent", pt: "por cento" };
const PERCENT_OF_GDP: Text = Text { en: "percent of GDP", pt: "por cento do PIB" };
const MILLION_USD: Text = Text { en: "million USD", pt: "milhões de dólares" };
const REAIS: Text = Text { en: "BRL", pt: "reais" };
const MILLION_BRL: Text = Text { en: "million BRL", pt: "milhões de reais" };
const BRL: Text = Text { en: "BRL per unit", pt: "reais por unidade" };

/// No series of SGS that we know of has a value before this day.
pub const SGS_BEGINS: Date = day(1900, 1, 1);

use Rhythm::{BusinessDays, Daily, Monthly};

/// Every known series, the most popular first; those that are brought only if they are asked for come last. Numbers, titles and
/// units are those of the central bank's catalogue.
#[rustfmt::skip]
pub(crate) const DEFINITIONS: &[SeriesDefinition] = &[
    rate(SELIC, "selic", "Selic target rate", "Meta da taxa Selic", PERCENT_A_YEAR, Daily, day(1999, 3, 5)),
    SeriesDefinition { computed_from: Some(CDI_DAILY), ..rate(CDI, "cdi", "CDI, annualised", "CDI anualizado, base 252", PERCENT_A_YEAR_252, BusinessDays, day(1986, 3, 6)) },
    rate(IPCA, "ipca", "Consumer price index IPCA", "Índice nacional de preços ao consumidor amplo (IPCA)", PERCENT_A_MONTH, Monthly, day(1980, 1, 1)),
    rate(IGP_M, "igp-m", "General market price index IGP-M", "Índice geral de preços do mercado (IGP-M)", PERCENT_A_MONTH, Monthly, day(1989, 6, 1)),
    rate(188, "inpc", "Consumer price index INPC", "Índice nacional de preços ao consumidor (INPC)", PERCENT_A_MONTH, Monthly, day(1979, 4, 1)),
    rate(190, "igp-di", "General price index IGP-DI", "Índice geral de preços, disponibilidade interna (IGP-DI)", PERCENT_A_MONTH, Monthly, day(1944, 2, 1)),
    rate(226, "tr", "Reference rate TR", "Taxa referencial (TR)", PERCENT_A_MONTH, Daily, day(1991, 2, 1)),
    rate(SAVINGS, "savings", "Return of savings deposits made since 4 May 2012", "Rentabilidade dos depósitos de poupança a partir de 04/05/2012", PERCENT_A_MONTH, Daily, day(2012, 5, 4)),
    rate(SAVINGS_MONTHLY, "savings-monthly", "Return of savings deposits made since 4 May 2012, first day of the month", "Rentabilidade dos depósitos de poupança a partir de 04/05/2012, primeiro dia do mês", PERCENT_A_MONTH, Monthly, day(2012, 5, 1)),
    rate(OLD_SAVINGS, "savings-until-2012", "Return of savings deposits made until 3 May 2012", "Rentabilidade dos depósitos de poupança até 03/05/2012", PERCENT_A_MONTH, Daily, day(1991, 2, 1)),
    rate(TJLP, "tjlp", "Long-term interest rate TJLP", "Taxa de juros de longo prazo (TJLP)", PERCENT_A_YEAR, Monthly, day(1994, 12, 1)),
    rate(SELIC_DAILY, "selic-daily", "Selic rate per day", "Taxa Selic ao dia", PERCENT_A_DAY, BusinessDays, day(1986, 6, 4)),
    SeriesDefinition { computed_from: Some(11), ..rate(SELIC_EFFECTIVE, "selic-effective", "Effective Selic rate, annualised", "Taxa Selic efetiva, anualizada", PERCENT_A_YEAR_252, BusinessDays, day(1986, 6, 4)) },
    rate(4189, "selic-effective-monthly", "Selic rate of the month, annualised", "Taxa Selic acumulada no mês, anualizada", PERCENT_A_YEAR_252, Monthly, day(1986, 7, 1)),
    rate(SELIC_MONTHLY, "selic-monthly", "Selic rate accumulated in the month", "Taxa Selic acumulada no mês", PERCENT_A_MONTH, Monthly, day(1986, 7, 1)),
    rate(CDI_DAILY, "cdi-daily", "CDI per day", "CDI ao dia", PERCENT_A_DAY, BusinessDays, day(1986, 3, 6)),
    rate(CDI_MONTHLY, "cdi-monthly", "CDI accumulated in the month", "CDI acumulado no mês", PERCENT_A_MONTH, Monthly, day(1986, 4, 1)),
    rate(7478, "ipca-15", "Consumer price index IPCA-15", "Índice nacional de preços ao consumidor amplo 15 (IPCA-15)", PERCENT_A_MONTH, Monthly, day(2000, 5, 1)),
    rate(IPCA_12_MONTHS, "ipca-12-months", "Consumer price index IPCA, 12 months", "Índice nacional de preços ao consumidor amplo (IPCA), em 12 meses", PERCENT_IN_12_MONTHS, Monthly, day(1980, 1, 1)),
    rate(IGP_M_UNROUNDED, "igp-m-unrounded", "General market price index IGP-M, as its index numbers give it", "Índice geral de preços do mercado (IGP-M), variação consistente com o número-índice", PERCENT_A_MONTH, Monthly, day(1989, 6, 1)),
    rate(24363, "ibc-br", "Economic activity index IBC-Br, not seasonally adjusted", "Índice de atividade econômica (IBC-Br), sem ajuste sazonal", INDEX, Monthly, day(2003, 1, 1)),
    rate(24364, "ibc-br-adjusted", "Economic activity index IBC-Br, seasonally adjusted", "Índice de atividade econômica (IBC-Br), com ajuste sazonal", INDEX, Monthly, day(2003, 1, 1)),
    rate(20539, "credit", "Credit portfolio balance, total", "Saldo da carteira de crédito, total", MILLION_BRL, Monthly, day(1988, 6, 1)),
    rate(USD_MONTHLY, "usd-monthly", "US dollar, sell, mean of the month", "Dólar americano, venda, média do mês", BRL, Monthly, day(1953, 1, 1)),
    quote(USD_SELL, "usd-sell", "US dollar, PTAX closing, sell", "Dólar americano, PTAX de fechamento, venda", (Currency::USD, Side::Sell), day(1984, 11, 28)),
    quote(10813, "usd-buy", "US dollar, PTAX closing, buy", "Dólar americano, PTAX de fechamento, compra", (Currency::USD, Side::Buy), day(1984, 11, 28)),
    quote(21619, "eur-sell", "Euro, PTAX closing, sell", "Euro, PTAX de fechamento, venda", (Currency::EUR, Side::Sell), day(1999, 1, 4)),
    quote(21620, "eur-buy", "Euro, PTAX closing, buy", "Euro, PTAX de fechamento, compra", (Currency::EUR, Side::Buy), day(1999, 1, 4)),
    quote(21621, "jpy-sell", "Yen, PTAX closing, sell", "Iene, PTAX de fechamento, venda", (Currency::JPY, Side::Sell), day(1994, 7, 1)),
    quote(21622, "jpy-buy", "Yen, PTAX closing, buy", "Iene, PTAX de fechamento, compra", (Currency::JPY, Side::Buy), day(1994, 7, 1)),
    quote(21623, "gbp-sell", "Pound sterling, PTAX closing, sell", "Libra esterlina, PTAX de fechamento, venda", (Currency::GBP, Side::Sell), day(1994, 7, 1)),
    quote(21624, "gbp-buy", "Pound sterling, PTAX closing, buy", "Libra esterlina, PTAX de fechamento, compra", (Currency::GBP, Side::Buy), day(1994, 7, 1)),
    on_demand(10764, "ipca-e", "Consumer price index IPCA-E", "Índice nacional de preços ao consumidor amplo especial (IPCA-E)", PERCENT_A_MONTH, Monthly),
    on_demand(11428, "ipca-free", "Consumer price index IPCA, free prices", "IPCA, preços livres", PERCENT_A_MONTH, Monthly),
    on_demand(4449, "ipca-administered", "Consumer price index IPCA, administered prices", "IPCA, preços monitorados", PERCENT_A_MONTH, Monthly),
    on_demand(10844, "ipca-services", "Consumer price index IPCA, services", "IPCA, preços de serviços", PERCENT_A_MONTH, Monthly),
    on_demand(10843, "ipca-durables", "Consumer price index IPCA, durable goods", "IPCA, preços de bens duráveis", PERCENT_A_MONTH, Monthly),
    on_demand(10842, "ipca-semi-durables", "Consumer price index IPCA, semi-durable goods", "IPCA, preços de bens semiduráveis", PERCENT_A_MONTH, Monthly),
    on_demand(10841, "ipca-non-durables", "Consumer price index IPCA, non-durable goods", "IPCA, preços de bens não duráveis", PERCENT_A_MONTH, Monthly),
    on_demand(4447, "ipca-tradables", "Consumer price index IPCA, tradable goods", "IPCA, preços de bens comercializáveis", PERCENT_A_MONTH, Monthly),
    on_demand(4448, "ipca-non-tradables", "Consumer price index IPCA, non-tradable goods", "IPCA, preços de bens não comercializáveis", PERCENT_A_MONTH, Monthly),
    on_demand(11427, "ipca-core-ex0", "Consumer price index IPCA, core by exclusion, without administered prices and food at home", "IPCA, núcleo de preços por exclusão, sem monitorados e alimentos no domicílio", PERCENT_A_MONTH, Monthly),
    on_demand(16121, "ipca-core-ex2", "Consumer price index IPCA, core by exclusion EX2", "IPCA, núcleo de preços por exclusão EX2", PERCENT_A_MONTH, Monthly),
    on_demand(11426, "ipca-core-trimmed", "Consumer price index IPCA, core by trimmed means, not smoothed", "IPCA, núcleo de preços por médias aparadas, sem suavização", PERCENT_A_MONTH, Monthly),
    on_demand(4466, "ipca-core-smoothed", "Consumer price index IPCA, core by trimmed means, smoothed", "IPCA, núcleo de preços por médias aparadas, com suavização", PERCENT_A_MONTH, Monthly),
    on_demand(16122, "ipca-core-double-weight", "Consumer price index IPCA, core by double weighting", "IPCA, núcleo de preços por dupla ponderação", PERCENT_A_MONTH, Monthly),
    on_demand(21379, "ipca-diffusion", "Consumer price index IPCA, share of items whose prices rose", "IPCA, índice de difusão dos preços", PERCENT, Monthly),
    on_demand(191, "ipc-br", "Consumer price index IPC-Br of FGV", "Índice de preços ao consumidor (IPC-Br) da FGV", PERCENT_A_MONTH, Monthly),
    on_demand(193, "ipc-fipe", "Consumer price index IPC-Fipe, city of São Paulo", "Índice de preços ao consumidor (IPC-Fipe), município de São Paulo", PERCENT_A_MONTH, Monthly),
    on_demand(192, "incc-di", "Construction cost index INCC-DI", "Índice nacional de custo da construção (INCC-DI)", PERCENT_A_MONTH, Monthly),
    on_demand(7456, "incc-m", "Construction cost index INCC-M", "Índice nacional de custo da construção do mercado (INCC-M)", PERCENT_A_MONTH, Monthly),
    on_demand(7811, "tr-monthly", "Reference rate TR, first day of the month", "Taxa referencial (TR), primeiro dia do mês", PERCENT_A_MONTH, Monthly),
    on_demand(3696, "usd-month-end", "US dollar, sell, end of the month", "Dólar americano, venda, fim do mês", BRL, Monthly),
    on_demand(11752, "real-exchange-rate", "Real effective exchange rate index, by consumer prices", "Índice da taxa de câmbio real efetiva (IPCA)", INDEX, Monthly),
    on_demand(13621, "reserves", "International reserves, total", "Reservas internacionais, total", MILLION_USD, BusinessDays),
    on_demand(22701, "current-account", "Balance of payments, current account", "Balanço de pagamentos, transações correntes, saldo", MILLION_USD, Monthly),
    on_demand(23079, "current-account-gdp", "Current account in 12 months", "Transações correntes em 12 meses", PERCENT_OF_GDP, Monthly),
    on_demand(22707, "trade-balance", "Balance of payments, trade balance", "Balanço de pagamentos, balança comercial, saldo", MILLION_USD, Monthly),
    on_demand(22885, "direct-investment", "Direct investment in the country, net", "Investimentos diretos no país (IDP), líquido", MILLION_USD, Monthly),
    on_demand(22865, "direct-investment-abroad", "Direct investment abroad, net", "Investimentos diretos no exterior (IDE), líquido", MILLION_USD, Monthly),
    on_demand(4513, "net-public-debt", "Net debt of the public sector", "Dívida líquida do setor público", PERCENT_OF_GDP, Monthly),
    on_demand(4536, "net-government-debt", "Net debt of the general government", "Dívida líquida do governo geral", PERCENT_OF_GDP, Monthly),
    on_demand(13762, "gross-government-debt", "Gross debt of the general government", "Dívida bruta do governo geral", PERCENT_OF_GDP, Monthly),
    on_demand(5793, "primary-result", "Borrowing requirement of the public sector in 12 months, primary result", "Necessidade de financiamento do setor público em 12 meses, resultado primário", PERCENT_OF_GDP, Monthly),
    on_demand(5727, "nominal-result", "Borrowing requirement of the public sector in 12 months, nominal result", "Necessidade de financiamento do setor público em 12 meses, resultado nominal", PERCENT_OF_GDP, Monthly),
    on_demand(4380, "gdp", "Gross domestic product (GDP) of the month, current prices", "Produto interno bruto (PIB) do mês, valores correntes", MILLION_BRL, Monthly),
    on_demand(4382, "gdp-12-months", "Gross domestic product (GDP) in 12 months, current prices", "Produto interno bruto (PIB) em 12 meses, valores correntes", MILLION_BRL, Monthly),
    on_demand(24369, "unemployment", "Unemployment rate, PNAD Contínua, rolling quarter", "Taxa de desocupação (desemprego), PNAD Contínua, trimestre móvel", PERCENT, Monthly),
    on_demand(1619, "minimum-wage", "Minimum wage", "Salário mínimo", REAIS, Monthly),
    on_demand(20542, "credit-free", "Credit portfolio balance, non-earmarked", "Saldo da carteira de crédito com recursos livres", MILLION_BRL, Monthly),
    on_demand(20593, "credit-earmarked", "Credit portfolio balance, earmarked", "Saldo da carteira de crédito com recursos direcionados", MILLION_BRL, Monthly),
    on_demand(20714, "credit-interest", "Interest rate of new credit, total", "Taxa média de juros do crédito, total", PERCENT_A_YEAR, Monthly),
    on_demand(20716, "credit-interest-households", "Interest rate of new credit, households", "Taxa média de juros do crédito, pessoas físicas", PERCENT_A_YEAR, Monthly),
    on_demand(20717, "credit-interest-free", "Interest rate of new non-earmarked credit, total", "Taxa média de juros do crédito com recursos livres, total", PERCENT_A_YEAR, Monthly),
    on_demand(20718, "credit-interest-free-companies", "Interest rate of new non-earmarked credit, companies", "Taxa média de juros do crédito com recursos livres, pessoas jurídicas", PERCENT_A_YEAR, Monthly),
    on_demand(20740, "credit-interest-free-households", "Interest rate of new non-earmarked credit, households", "Taxa média de juros do crédito com recursos livres, pessoas físicas", PERCENT_A_YEAR, Monthly),
    on_demand(20749, "credit-interest-vehicles", "Interest rate of new credit for vehicles, households", "Taxa média de juros do crédito para aquisição de veículos, pessoas físicas", PERCENT_A_YEAR, Monthly),
    on_demand(21082, "credit-default", "Credit in default, total", "Inadimplência da carteira de crédito, total", PERCENT, Monthly),
    on_demand(21083, "credit-default-companies", "Credit in default, companies", "Inadimplência da carteira de crédito, pessoas jurídicas", PERCENT, Monthly),
    on_demand(21084, "credit-default-households", "Credit in default, households", "Inadimplência da carteira de crédito, pessoas físicas", PERCENT, Monthly),
    on_demand(21085, "credit-default-free", "Non-earmarked credit in default, total", "Inadimplência da carteira de crédito com recursos livres, total", PERCENT, Monthly),
    on_demand(29034, "household-debt-service", "Debt service of households, share of income, seasonally adjusted", "Comprometimento da renda das famílias com o serviço da dívida, com ajuste sazonal", PERCENT, Monthly),
    on_demand(29037, "household-debt", "Debt of households, share of income in 12 months", "Endividamento das famílias em relação à renda de 12 meses", PERCENT, Monthly),
];

const fn day(year: u16, month: u8, day: u8) -> Date {
    Date::new(year, month, day).expect("a day of the calendar")
}

const fn rate(
    number: u32,
    name: &'static str,
    en: &'static str,
    pt: &'static str,
    unit: Text,
    rhythm: Rhythm,
    since: Date,
) -> SeriesDefinition {
    let title = Text { en, pt };
    let (on_demand, computed_from, quote) = (false, None, None);
    SeriesDefinition { number, name, title, unit, rhythm, since, on_demand, computed_from, quote }
}

/// A series that is brought only if it is asked for. When it begins is left to the central bank's answers.
const fn on_demand(
    number: u32,
    name: &'static str,
    en: &'static str,
    pt: &'static str,
    unit: Text,
    rhythm: Rhythm,
) -> SeriesDefinition {
    SeriesDefinition { on_demand: true, ..rate(number, name, en, pt, unit, rhythm, SGS_BEGINS) }
}

const fn quote(
    number: u32,
    name: &'static str,
    en: &'static str,
    pt: &'static str,
    quote: (Currency, Side),
    since: Date,
) -> SeriesDefinition {
    SeriesDefinition { quote: Some(quote), ..rate(number, name, en, pt, BRL, BusinessDays, since) }
}

/// Every series that this library describes, the most popular first.
#[must_use]
pub fn known_series() -> &'static [SeriesDefinition] {
    DEFINITIONS
}

/// The definition of a series, if this library has one.
pub(crate) fn definition(number: u32) -> Option<&'static SeriesDefinition> {
    DEFINITIONS.iter().find(|series| series.number == number)
}

/// What series are called besides their own name: what Brazilians type.
const OTHER_NAMES: [(&str, u32); 2] = [("poupança", SAVINGS), ("caderneta de poupança", SAVINGS)];

/// What a series is called besides its own name.
pub(super) fn other_names(number: u32) -> impl Iterator<Item = &'static str> {
    OTHER_NAMES.into_iter().filter(move |(_, of)| *of == number).map(|(name, _)| name)
}

/// The number of the series that an id stands for, described here or not; `None` if no series has the name.
pub(crate) fn number(id: &SeriesId) -> Option<u32> {
    let own = DEFINITIONS.iter().map(|definition| (definition.name, definition.number));
    let named =
        || own.chain(OTHER_NAMES).find(|(name, _)| id.is_named(name)).map(|(_, number)| number);
    id.number().or_else(named)
}

/// The series in percent per year whose gaps are filled from this one, which is in percent per day.
#[cfg(any(feature = "bundle", feature = "import"))]
pub(crate) fn annualised_series_of(daily: u32) -> Option<u32> {
    DEFINITIONS
        .iter()
        .find(|series| series.computed_from == Some(daily))
        .map(|series| series.number)
}

/// The name of a series as a dataset: its short name, or its number.
pub(crate) fn dataset(number: u32) -> Cow<'static, str> {
    definition(number).map_or_else(|| number.to_string().into(), |series| series.name.into())
}
