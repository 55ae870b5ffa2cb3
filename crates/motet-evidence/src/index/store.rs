//! The passages in tantivy: written by file, found by BM25.
//! It knows nothing of folders; a file is a name to it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use tantivy::collector::TopDocs;
use tantivy::query::{BooleanQuery, BoostQuery, DisjunctionMaxQuery, Occur, Query, TermQuery};
use tantivy::schema::{Field, IndexRecordOption, STORED, STRING, Schema, TextFieldIndexing, TextOptions, Value};
use tantivy::tokenizer::{Language, LowerCaser, RemoveLongFilter, Stemmer, StopWordFilter, TextAnalyzer};
use tantivy::{Index, IndexReader, IndexWriter, ReloadPolicy, TantivyDocument, Term};

use super::passages::passages;
use super::words::Words;
use super::{Error, Passage};
use crate::extract::Extracted;
use crate::source::{COMMON, Span};
use crate::text::words::is_common;

const TOKENIZER: &str = "words";
const WRITER_BYTES: usize = 64 * 1024 * 1024;
/// No document may fill the whole answer.
const MOST_OF_ONE: usize = 3;
/// The words of a title weigh more than those of a passage.
const TITLE_BOOST: f32 = 1.5;

pub(super) struct Store {
    index: Index,
    reader: IndexReader,
    fields: Fields,
}

#[derive(Clone, Copy)]
struct Fields {
    path: Field,
    title: Field,
    body: Field,
    published: Field,
    start: Field,
    end: Field,
}

impl Store {
    pub(super) fn open(folder: &Path) -> Result<Self, Error> {
        Self::with(Index::open_in_dir(folder).map_err(trouble)?)
    }

    pub(super) fn make_anew(folder: &Path) -> Result<Self, Error> {
        let _ = fs::remove_dir_all(folder);
        fs::create_dir_all(folder).map_err(|error| Error(format!("{}: {error}", folder.display())))?;
        Self::with(Index::create_in_dir(folder, schema().0).map_err(trouble)?)
    }

    fn with(index: Index) -> Result<Self, Error> {
        let (schema, fields) = schema();
        if index.schema() != schema {
            return Err(Error("the index has another shape".to_string()));
        }
        index.tokenizers().register(TOKENIZER, analyzer());
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into().map_err(trouble)?;
        Ok(Self { index, reader, fields })
    }

    pub(super) fn reload(&mut self) -> Result<(), Error> {
        self.reader.reload().map_err(trouble)
    }

    pub(super) fn search(&self, question: &str, limit: usize) -> Result<Vec<Passage>, Error> {
        let terms = terms(question);
        if terms.is_empty() || limit == 0 {
            return Ok(Vec::new());
        }
        let searcher = self.reader.searcher();
        let collector = TopDocs::with_limit(limit.saturating_mul(MOST_OF_ONE).saturating_add(10)).order_by_score();
        let mut found = searcher.search(&self.query(&terms), &collector).map_err(trouble)?;
        if found.is_empty() {
            // A document may name what is asked about, and say the rest of it in other words.
            found = searcher.search(&self.any_of(&self.telling(question, &terms)), &collector).map_err(trouble)?;
        }
        let (mut of_one, mut out) = (BTreeMap::new(), Vec::new());
        for (score, address) in found {
            let document: TantivyDocument = searcher.doc(address).map_err(trouble)?;
            let passage = self.passage(&document, score);
            let count = of_one.entry(passage.path.clone()).or_insert(0);
            *count += 1;
            if *count <= MOST_OF_ONE {
                out.push(passage);
            }
            if out.len() == limit {
                break;
            }
        }
        Ok(out)
    }

    /// Every word counts where it is found; of a long question more than one must be.
    fn query(&self, terms: &[String]) -> BooleanQuery {
        let words = self.clauses(terms);
        if terms.len() > 3 { BooleanQuery::with_minimum_required_clauses(words, 2) } else { BooleanQuery::new(words) }
    }

    fn clauses(&self, terms: &[String]) -> Vec<(Occur, Box<dyn Query>)> {
        let one = |word: &String| -> (Occur, Box<dyn Query>) {
            let term = |field| TermQuery::new(Term::from_field_text(field, word), IndexRecordOption::WithFreqs);
            let title = BoostQuery::new(Box::new(term(self.fields.title)), TITLE_BOOST);
            (Occur::Should, Box::new(DisjunctionMaxQuery::with_tie_breaker(vec![Box::new(term(self.fields.body)), Box::new(title)], 0.3)))
        };
        terms.iter().map(one).collect()
    }

    fn any_of(&self, terms: &[String]) -> BooleanQuery {
        BooleanQuery::new(self.clauses(terms))
    }

    /// The words of a question that tell most: its names; if it has none, the rarest that there is.
    fn telling(&self, question: &str, terms: &[String]) -> Vec<String> {
        let capitals = question.split_whitespace().skip(1).filter(|word| word.starts_with(char::is_uppercase));
        let named: Vec<String> = capitals.flat_map(self::terms).collect();
        if !named.is_empty() {
            return named;
        }
        let known = terms.iter().map(|word| (self.frequency(word), word)).filter(|(count, word)| *count > 0 && !is_common(word));
        known.min().map(|(_, word)| word.clone()).into_iter().collect()
    }

    /// How many passages have a word, or a title that has it.
    fn frequency(&self, word: &str) -> u64 {
        let searcher = self.reader.searcher();
        let count = |field| searcher.doc_freq(&Term::from_field_text(field, word)).unwrap_or_default();
        count(self.fields.body).max(count(self.fields.title))
    }

    /// Whether any document has all of these words.
    pub(super) fn has(&self, words: &str) -> bool {
        let terms = terms(words);
        !terms.is_empty() && terms.iter().all(|word| self.frequency(word) > 0)
    }

    fn passage(&self, document: &TantivyDocument, score: f32) -> Passage {
        let text = |field| document.get_first(field).and_then(|value| value.as_str()).unwrap_or_default().to_string();
        let number = |field| document.get_first(field).and_then(|value| value.as_u64()).unwrap_or_default() as usize;
        let published = text(self.fields.published);
        Passage {
            path: PathBuf::from(text(self.fields.path)),
            title: text(self.fields.title),
            text: text(self.fields.body),
            span: Span { start: number(self.fields.start), end: number(self.fields.end) },
            published: (!published.is_empty()).then_some(published),
            score,
        }
    }
}

/// Changes that are seen all at once, when they are committed.
pub(super) struct Writing {
    writer: IndexWriter,
    fields: Fields,
}

/// The writer is opened by the first change, because opening one costs more than most updates.
pub(super) fn begun<'a>(writing: &'a mut Option<Writing>, store: &Store) -> Result<&'a mut Writing, Error> {
    if writing.is_none() {
        let writer = store
            .index
            .writer_with_num_threads(1, WRITER_BYTES)
            .map_err(|error| Error(format!("the index of the documents cannot be changed ({error}); is another process changing it?")))?;
        return Ok(writing.insert(Writing { writer, fields: store.fields }));
    }
    writing.as_mut().ok_or_else(|| Error("no writer".to_string()))
}

impl Writing {
    pub(super) fn forget(&mut self, path: &str) {
        self.writer.delete_term(Term::from_field_text(self.fields.path, path));
    }

    pub(super) fn add(&mut self, path: &str, extracted: &Extracted) -> Result<(), Error> {
        let title = extracted.title.as_deref().unwrap_or_else(|| path.rsplit('/').next().unwrap_or(path));
        for span in passages(&extracted.text) {
            let mut document = TantivyDocument::new();
            document.add_text(self.fields.path, path);
            document.add_text(self.fields.title, title);
            document.add_text(self.fields.body, &extracted.text[span.start..span.end]);
            document.add_text(self.fields.published, extracted.published.as_deref().unwrap_or_default());
            document.add_u64(self.fields.start, span.start as u64);
            document.add_u64(self.fields.end, span.end as u64);
            self.writer.add_document(document).map_err(trouble)?;
        }
        Ok(())
    }

    pub(super) fn commit(mut self) -> Result<(), Error> {
        self.writer.commit().map_err(trouble)?;
        self.writer.wait_merging_threads().map_err(trouble)
    }
}

fn schema() -> (Schema, Fields) {
    let mut builder = Schema::builder();
    let indexing = TextFieldIndexing::default().set_tokenizer(TOKENIZER).set_index_option(IndexRecordOption::WithFreqs);
    let text = TextOptions::default().set_indexing_options(indexing).set_stored();
    let fields = Fields {
        path: builder.add_text_field("path", STRING | STORED),
        title: builder.add_text_field("title", text.clone()),
        body: builder.add_text_field("body", text),
        published: builder.add_text_field("published", STORED),
        start: builder.add_u64_field("start", STORED),
        end: builder.add_u64_field("end", STORED),
    };
    (builder.build(), fields)
}

fn analyzer() -> TextAnalyzer {
    let words = TextAnalyzer::builder(Words::default()).filter(RemoveLongFilter::limit(60)).filter(LowerCaser).dynamic();
    let words = words.filter_dynamic(StopWordFilter::remove(COMMON.iter().map(|word| word.to_string())));
    words.filter_dynamic(Stemmer::new(Language::English)).build()
}

/// The words of a question as the index knows them, each once.
fn terms(question: &str) -> Vec<String> {
    let mut analyzer = analyzer();
    let mut stream = analyzer.token_stream(question);
    let mut terms = Vec::new();
    while let Some(token) = stream.next() {
        if !terms.contains(&token.text) {
            terms.push(token.text.clone());
        }
        if terms.len() == 64 {
            break;
        }
    }
    terms
}

fn trouble(error: tantivy::TantivyError) -> Error {
    Error(format!("the index of the documents: {error}"))
}
