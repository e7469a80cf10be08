"""Makes files like CVM's yearly tables of filings (IPE), of any length and always the same for the same year."""

import random

COLUMNS = (
    "CNPJ_Companhia;Nome_Companhia;Codigo_CVM;Data_Referencia;Categoria;Tipo;Especie;Assunto;Data_Entrega;"
    "Tipo_Apresentacao;Protocolo_Entrega;Versao;Link_Download"
)
CATEGORIES = ["Fato Relevante;;", "Assembleia;AGO;Ata", "Comunicado ao Mercado;Outros;", "Aviso aos Acionistas;;"]
WORDS = (
    "aprovação aquisição aumento capital companhia conselho controle contrato debêntures dividendos eleição emissão "
    "financeiras incorporação juros oferta pagamento programa proposta ratificação recompra resultado reunião"
).split()
ADDRESS = "https://www.rad.cvm.gov.br/ENET/frmDownloadDocumento.aspx?Tela=ext&descTipo=IPE&CodigoInstituicao=1"


def year(path, number, rows):
    """Writes the table of a year with this many rows."""
    chance = random.Random(number)
    with open(path, "w", encoding="windows-1252", newline="\r\n") as file:
        file.write(COLUMNS + "\n")
        for row in range(rows):
            protocol = (number - 2000) * 10_000_000 + row + 1
            company = chance.randrange(1000)
            month = row * 12 // rows + 1
            day = chance.randrange(28) + 1
            subject = " ".join(chance.choices(WORDS, k=8)) + f" {chance.randrange(100_000)}"
            file.write(
                f"00.000.000/0001-91;COMPANHIA NÚMERO {company} S.A.;{company + 1};{number}-01-31;"
                f"{chance.choice(CATEGORIES)};{subject};{number}-{month:02}-{day:02};AP - Apresentação;;1;"
                f"{ADDRESS}&numProtocolo={protocol}&numSequencia={protocol}&numVersao=1\n"
            )
