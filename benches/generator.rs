//! Filings of any number of years in the layout that CVM publishes, made up but shaped like the real
//! ones: few companies file much, few categories take most, half of the subjects are empty.
//!
//! The same call always gives the same bytes.
use std::{fmt::Write, ops::RangeInclusive};

const HEADER: &str = "CNPJ_Companhia;Nome_Companhia;Codigo_CVM;Data_Referencia;Categoria;Tipo;Especie;\
    Assunto;Data_Entrega;Tipo_Apresentacao;Protocolo_Entrega;Versao;Link_Download\r\n";

/// Categories with type and species, and how many of a thousand filings they take.
const CLASSES: [(&str, u64); 12] = [
    (
        "Valores Mobiliários negociados e detidos (art. 11 da Instr. CVM nº 358);Posição Consolidada;",
        185,
    ),
    ("Assembleia;AGO/E;Ata", 90),
    ("Assembleia;AGE;Edital de Convocação", 78),
    ("Reunião da Administração;Conselho de Administração;Ata", 163),
    ("Comunicado ao Mercado;Outros Comunicados Não Considerados Fatos Relevantes;", 135),
    ("Dados Econômico-Financeiros;Demonstrações Financeiras em Padrões Internacionais;", 117),
    ("Fato Relevante;;", 56),
    ("Aviso aos Acionistas;Outros avisos;", 35),
    ("Documentos de Oferta de Distribuição Pública;Anúncio de Encerramento;", 23),
    ("Calendário de Eventos Corporativos;;", 20),
    ("Relatório Proventos;;", 18),
    ("Estatuto Social;;", 80),
];

const NAMES: [&str; 16] = [
    "BANCO",
    "ENERGIA",
    "PARTICIPAÇÕES",
    "COMPANHIA",
    "BRASIL",
    "SECURITIZADORA",
    "ELÉTRICA",
    "SUL",
    "INDÚSTRIA",
    "COMÉRCIO",
    "SÃO PAULO",
    "TELECOMUNICAÇÕES",
    "PETRÓLEO",
    "ALIMENTOS",
    "LOGÍSTICA",
    "SANEAMENTO",
];

const SYLLABLES: [&str; 20] = [
    "ca", "de", "pi", "to", "ra", "con", "mer", "lei", "ção", "dor", "ban", "tri", "vo", "sa",
    "nu", "ges", "li", "mo", "fe", "ju",
];

/// About as many distinct words as twenty years of subjects have.
const VOCABULARY: u64 = 40_000;
const COMPANIES: u64 = 2_500;

/// One table a year.
pub(crate) fn tables(
    years: RangeInclusive<u16>,
    rows_a_year: u64,
) -> impl Iterator<Item = (String, Vec<u8>)> {
    years.map(move |year| (format!("ipe_cia_aberta_{year}.csv"), table(year, rows_a_year)))
}

fn table(year: u16, rows: u64) -> Vec<u8> {
    let mut random = Random(u64::from(year));
    let mut text = String::from(HEADER);
    for row in 0..rows {
        let id = u64::from(year) * 10_000_000 + row + 1;
        line(&mut text, year, id, &mut random);
    }
    // Every character made here has the same number in Windows-1252 as in Unicode.
    text.chars().map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?')).collect()
}

fn line(text: &mut String, year: u16, id: u64, random: &mut Random) {
    let company = random.skewed(COMPANIES) + 1;
    let (month, day) = (random.below(12) + 1, random.below(28) + 1);
    let _ = write!(text, "00.000.000/0001-91;{};{company};{year}-{month:02}-01;", name(company));
    let mut place = random.below(1000);
    let class = CLASSES.iter().find(|(_, share)| {
        let here = place < *share;
        place = place.saturating_sub(*share);
        here
    });
    text.push_str(class.unwrap_or(&CLASSES[0]).0);
    text.push(';');
    if random.below(100) < 60 {
        let words = 3 + random.skewed(22);
        for _ in 0..words {
            word(text, random.skewed(VOCABULARY));
            text.push(' ');
        }
        if random.below(100) < 20 {
            text.push_str("||item 2");
        }
    }
    let _ = write!(
        text,
        ";{year}-{month:02}-{day:02};AP - Apresentação;;1;https://www.rad.cvm.gov.br/ENET/\
         frmDownloadDocumento.aspx?Tela=ext&descTipo=IPE&CodigoInstituicao=1&numProtocolo={id}\
         &numSequencia={}&numVersao=1\r\n",
        id / 2
    );
}

fn name(company: u64) -> String {
    let mut random = Random(company);
    let mut name = format!("{} {} ", pick(&NAMES, random.next()), pick(&NAMES, random.next()));
    word(&mut name, random.below(VOCABULARY));
    name + " S.A."
}

/// The word of a number: always the same, common ones short.
fn word(text: &mut String, mut number: u64) {
    let syllables = SYLLABLES.len() as u64;
    loop {
        text.push_str(pick(&SYLLABLES, number));
        number /= syllables;
        if number == 0 {
            return;
        }
    }
}

fn pick(list: &[&'static str], number: u64) -> &'static str {
    let at = number % list.len() as u64;
    list[usize::try_from(at).expect("an index fits")]
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// Small numbers far more often than great ones.
    fn skewed(&mut self, end: u64) -> u64 {
        let (a, b) = (self.below(end), self.below(end));
        a * b / end * self.below(end) / end
    }
}
