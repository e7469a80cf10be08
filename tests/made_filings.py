"""Makes tables like CVM's of filings (IPE), of any length, and always the same ones."""

import random

COLUMNS = (
    "CNPJ_Companhia;Nome_Companhia;Codigo_CVM;Data_Referencia;Categoria;Tipo;Especie;Assunto;Data_Entrega;"
    "Tipo_Apresentacao;Protocolo_Entrega;Versao;Link_Download"
)
COMPANIES = 800
CATEGORIES = ["Assembleia;AGO;Ata", "Fato Relevante;;", "Comunicado ao Mercado;Outros;", "Aviso aos Acionistas;;Edital"]
SYLLABLES = "as sem blei a ge ral or di ná ria con vo ca ção de ben tu res fa to re le van te aqui si".split()


def link(number):
    """The address of a document."""
    return (
        "https://www.rad.cvm.gov.br/ENET/frmDownloadDocumento.aspx?Tela=ext&descTipo=IPE&CodigoInstituicao=1"
        f"&numProtocolo={number}&numSequencia={number}&numVersao=1"
    )


def lifelike(chance):
    """Subjects shaped like CVM's: four of ten are empty, few words are frequent, most are rare."""
    words = [word(number) for number in range(40_000)]

    def skewed(end):
        return int(chance.random() * chance.random() * chance.random() * end)

    def subject(row):
        if chance.random() < 0.4:
            return ""
        return " ".join(words[skewed(len(words))] for _ in range(3 + skewed(22)))

    return subject


def word(number):
    """The word of a number: always the same, small numbers have short ones."""
    text = SYLLABLES[number % len(SYLLABLES)]
    return text if number < len(SYLLABLES) else text + word(number // len(SYLLABLES))


def ordinary(chance):
    """Subjects of twenty words out of some thousand, in any order: the dearest to index, as every pair of words is new."""
    words = ["".join(chance.choices(SYLLABLES, k=chance.randint(2, 4))) for _ in range(30_000)]
    return lambda row: " ".join(chance.choices(words, k=20))


def hostile(chance):
    """Subjects in which no word appears twice."""
    return lambda row: " ".join(f"{chance.getrandbits(64):x}{row:x}{word:x}" for word in range(6))


def table(path, years, rows, subjects=ordinary):
    """Writes a table of filings of these years, in the order of CVM's: by company, not by day."""
    chance = random.Random(min(years))
    subject = subjects(chance)
    with open(path, "w", encoding="windows-1252", newline="\r\n") as file:
        file.write(COLUMNS + "\n")
        for row in range(rows):
            company = 1 + row * COMPANIES // rows
            day = f"{chance.choice(years)}-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}"
            number = (min(years) - 2000) * 10_000_000 + row + 1
            file.write(
                f"00.000.000/0001-91;COMPANHIA {company} DE AÇO S.A.;{company};{day};{chance.choice(CATEGORIES)};"
                f"{subject(row)};{day};AP - Apresentação;;1;{link(number)}\n"
            )


def yearly_tables(place, years, rows, subjects=ordinary):
    """Writes a table of so many rows for each year, as CVM names them, and returns the files."""
    files = []
    for year in years:
        file = place / f"ipe_cia_aberta_{year}.csv"
        table(file, [year], rows, subjects)
        files.append(file)
    return files
