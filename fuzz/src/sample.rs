//! A small catalogue: some rates, companies and filings.
use std::{path::Path, sync::OnceLock};

use fincore::{Catalogue, Import};

const FILES: [(&str, &[u8]); 5] = [
    ("bcdata.sgs.432.json", br#"[{"data":"03/11/2026","valor":"13.75"},{"data":"04/11/2026","valor":"13.75"}]"#),
    ("bcdata.sgs.433.json", br#"[{"data":"01/07/2026","valor":"0.07"},{"data":"01/08/2026","valor":"-0.32"}]"#),
    ("bcdata.sgs.12.json", br#"[{"data":"02/09/2026","valor":"0.051660"},{"data":"03/09/2026","valor":"0.051660"}]"#),
    ("cad_cia_aberta.csv", b"CNPJ_CIA;DENOM_SOCIAL;DENOM_COMERC;DT_REG;DT_CONST;DT_CANCEL;MOTIVO_CANCEL;SIT;DT_INI_SIT;\
        CD_CVM;SETOR_ATIV\n33.000.167/0001-01;PETROLEO BRASILEIRO S.A. PETROBRAS;PETROBRAS;1977-07-20;1953-10-03;;;ATIVO;\
        1977-07-20;9512;Petroleo e Gas\n33.592.510/0001-54;VALE S.A.;VALE;1970-01-02;1943-01-11;;;ATIVO;1970-01-02;4170;\
        Mineracao\n"),
    ("ipe_cia_aberta_2026.csv", b"CNPJ_Companhia;Nome_Companhia;Codigo_CVM;Data_Referencia;Categoria;Tipo;Especie;Assunto;\
        Data_Entrega;Tipo_Apresentacao;Protocolo_Entrega;Versao;Link_Download\n33.000.167/0001-01;PETROBRAS;9512;2026-01-02;\
        Fato Relevante;;;Dividendos do terceiro trimestre;2026-01-02;AP;009512IPE020120260104000001-11;1;\
        https://www.rad.cvm.gov.br/a?numProtocolo=1\n33.592.510/0001-54;VALE;4170;2026-01-03;Assembleia;AGO;Ata;Ata da \
        assembleia geral ordinaria;2026-01-03;AP;004170IPE030120260104000002-22;1;https://www.rad.cvm.gov.br/a?numProtocolo=2\n"),
];

/// The catalogue, and the data directory that it is in.
struct Sample {
    catalogue: Catalogue,
    directory: tempfile::TempDir,
}

/// The catalogue.
pub fn catalogue() -> &'static Catalogue {
    &sample().catalogue
}

/// The data directory, which stays as long as the process.
pub(crate) fn directory() -> &'static Path {
    sample().directory.path()
}

fn sample() -> &'static Sample {
    static SAMPLE: OnceLock<Sample> = OnceLock::new();
    SAMPLE.get_or_init(|| {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let catalogue =
            Catalogue::open(directory.path().join("catalogue.db")).expect("a new catalogue");
        let now = "2026-11-05T12:00:00Z".parse().expect("a time");
        let mut import = Import::begin(&catalogue, now).expect("the only import").force();
        for (name, bytes) in FILES {
            import.file(name, bytes).unwrap_or_else(|err| panic!("{name}: {err}"));
        }
        import.commit().expect("room for a small import");
        Sample { catalogue, directory }
    })
}
