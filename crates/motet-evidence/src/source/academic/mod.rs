//! Where papers are found: arXiv, OpenAlex, Semantic Scholar and Crossref.
//! Each gives what a citation needs: authors, date, DOI, and a free copy where there is one.

mod arxiv;
mod crossref;
mod openalex;
mod semantic_scholar;

pub use arxiv::Arxiv;
pub use crossref::Crossref;
pub use openalex::OpenAlex;
pub use semantic_scholar::SemanticScholar;
