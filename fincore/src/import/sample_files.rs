//! Parts of official files, from which tests of several modules make files up.

/// The header of CVM's registry.
pub(crate) const REGISTRY_HEADER: &str = "CNPJ_CIA;DENOM_SOCIAL;DENOM_COMERC;DT_REG;DT_CONST;DT_CANCEL;MOTIVO_CANCEL;SIT;\
    DT_INI_SIT;CD_CVM;SETOR_ATIV;TP_MERC;CATEG_REG;DT_INI_CATEG;SIT_EMISSOR;DT_INI_SIT_EMISSOR;\
    CONTROLE_ACIONARIO;TP_ENDER;LOGRADOURO;COMPL;BAIRRO;MUN;UF;PAIS;CEP;DDD_TEL;TEL;DDD_FAX;FAX;EMAIL;\
    TP_RESP;RESP;DT_INI_RESP;LOGRADOURO_RESP;COMPL_RESP;BAIRRO_RESP;MUN_RESP;UF_RESP;PAIS_RESP;CEP_RESP;\
    DDD_TEL_RESP;TEL_RESP;DDD_FAX_RESP;FAX_RESP;EMAIL_RESP;CNPJ_AUDITOR;AUDITOR\n";
/// A table of tickers: one of Petrobras.
pub(crate) const SECURITIES: &str = "CNPJ_Companhia;Data_Referencia;Versao;ID_Documento;Nome_Empresarial;Valor_Mobiliario;\
    Sigla_Classe_Acao_Preferencial;Classe_Acao_Preferencial;Codigo_Negociacao;Composicao_BDR_Unit;Mercado;\
    Sigla_Entidade_Administradora;Entidade_Administradora;Data_Inicio_Negociacao;Data_Fim_Negociacao;\
    Segmento;Data_Inicio_Listagem;Data_Fim_Listagem\n\
    33.000.167/0001-01;2025-01-01;1;7;PETROBRAS;A;;;PETR4;;Bolsa;B3;B3 S.A.;1977-01-01;;Nivel 2;;\n";
/// The header of CVM's notices and minutes.
pub(crate) const FILINGS_HEADER: &str = "CNPJ_Companhia;Nome_Companhia;Codigo_CVM;Data_Referencia;Categoria;Tipo;Especie;\
    Assunto;Data_Entrega;Tipo_Apresentacao;Protocolo_Entrega;Versao;Link_Download\n";

/// A folder of the official files, which lie beside the project on some machines. Says so where they do not.
pub(crate) fn upstream(folder: &str) -> Option<std::path::PathBuf> {
    use std::io::Write;
    static TOLD: std::sync::Once = std::sync::Once::new();
    let upstream = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/upstream");
    let found = std::path::Path::new(upstream).join(folder);
    if found.exists() {
        return Some(found);
    }
    TOLD.call_once(|| {
        // Past the harness of the tests, which keeps what they print.
        let line = b"no official files in ../shared/upstream: tests that read them pass without\n";
        let _ = std::io::stderr().write_all(line);
    });
    None
}
