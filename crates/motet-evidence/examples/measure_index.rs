//! Measures the index of one's own documents: ten thousand of them, made up here, and questions whose answers are known.
//! It fails when the index is slower or larger than it may be, or finds the wrong document.

#![expect(clippy::print_stdout, reason = "a program that measures says what it measured")]

use std::fs;
use std::path::Path;
use std::time::Instant;

use motet_evidence::extract::Limits;
use motet_evidence::index::Index;

const DOCUMENTS: usize = 10_000;
const QUESTIONS: usize = 200;
const MOST_INDEX_S: f64 = 60.0;
const MOST_SEARCH_MS: f64 = 10.0;
const MOST_MEMORY_MB: f64 = 500.0;

fn main() {
    let as_json = std::env::args().any(|argument| argument == "--json");
    let home = std::env::temp_dir().join(format!("motet-bench-index-{}", std::process::id()));
    let documents = home.join("documents");
    let bytes = write_documents(&documents);
    let index = Index::open(&home.join("index"), std::slice::from_ref(&documents), Limits::default()).expect("an index");
    let (update, index_s) = timed(|| index.update().expect("it can be updated"));
    let (again, again_s) = timed(|| index.update().expect("it can be updated"));
    let mut took: Vec<f64> = (0..QUESTIONS).map(|number| ask(&index, number * (DOCUMENTS / QUESTIONS))).collect();
    took.sort_by(f64::total_cmp);
    let (median, slowest) = (took[QUESTIONS / 2], took[QUESTIONS * 95 / 100]);
    let memory = peak_memory_mb();
    let _ = fs::remove_dir_all(&home);
    assert_eq!((update.added, again.unchanged), (DOCUMENTS, DOCUMENTS), "every document is indexed once");
    if as_json {
        println!(
            "{{\"index_10k_s\": {index_s:.2}, \"index_again_s\": {again_s:.2}, \"search_p50_ms\": {median:.2}, \"search_p95_ms\": {slowest:.2}, \"memory_mb\": {memory:.0}}}"
        );
    } else {
        println!("index {DOCUMENTS} documents ({} MB)  {index_s:>8.1} s   (at most {MOST_INDEX_S})", bytes >> 20);
        println!("index again, unchanged         {again_s:>8.1} s");
        println!("search, median                 {median:>8.2} ms");
        println!("search, 95 of 100              {slowest:>8.2} ms  (at most {MOST_SEARCH_MS})");
        println!("memory, at most                {memory:>8.0} MB  (at most {MOST_MEMORY_MB})");
    }
    let missed = index_s > MOST_INDEX_S || slowest > MOST_SEARCH_MS || memory > MOST_MEMORY_MB;
    std::process::exit(i32::from(missed));
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed().as_secs_f64())
}

/// Milliseconds for a question that only one document answers.
fn ask(index: &Index, number: usize) -> f64 {
    let (found, seconds) = timed(|| index.search(&format!("what is the value of quantity{number} in the report"), 10).expect("a search"));
    let expected = format!("report-{number}.md");
    assert!(found.first().is_some_and(|passage| passage.path.ends_with(&expected)), "{expected} answers question {number}");
    seconds * 1000.0
}

/// Documents of two to eight kilobytes in words that follow no pattern, each with one sentence of its own.
fn write_documents(folder: &Path) -> u64 {
    let mut seed = 42u64;
    let mut chance = |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    let mut bytes = 0;
    for number in 0..DOCUMENTS {
        let place = folder.join(format!("part-{}", number / 500));
        fs::create_dir_all(&place).expect("a folder for documents");
        let mut text = format!("# Report {number}\n\n");
        let paragraphs = 4 + chance(12);
        for paragraph in 0..paragraphs {
            for _ in 0..60 + chance(40) {
                // Squared, so that some words are common and most are rare, as in any language.
                let rank = chance(200) * chance(200) / 4;
                text.push_str(&format!("word{rank} "));
            }
            text.push_str(".\n\n");
            if paragraph == paragraphs / 2 {
                text.push_str(&format!("The value of quantity{number} is {}.\n\n", chance(1_000_000)));
            }
        }
        bytes += text.len() as u64;
        fs::write(place.join(format!("report-{number}.md")), text).expect("a document");
    }
    bytes
}

/// The most this process ever held, where the system tells.
fn peak_memory_mb() -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.split_whitespace().next().and_then(|kilobytes| kilobytes.parse::<f64>().ok()).unwrap_or(0.0) / 1024.0
}
