//! A laid-out report in Markdown, in which words are words: only citations, headings and lists are markup.
//! It decides nothing about what is said or cited.

use super::layout::{Block, Entry, Item, Layout, Sentence};
use super::plain::{escaped, written};

pub fn markdown(layout: &Layout) -> String {
    let mut blocks: Vec<String> = layout.blocks.iter().map(block).collect();
    blocks.push("## Sources".to_string());
    if !layout.sources.is_empty() {
        blocks.push(layout.sources.iter().map(entry).collect::<Vec<_>>().join("\n"));
    }
    blocks.iter().map(|block| format!("{block}\n")).collect::<Vec<_>>().join("\n")
}

fn block(block: &Block) -> String {
    match block {
        Block::Title { words } => format!("# {}", escaped(words)),
        Block::Heading { words } => format!("## {}", escaped(words)),
        Block::Paragraph { sentences } => prose(sentences),
        Block::List { items } => items.iter().map(item).collect::<Vec<_>>().join("\n"),
    }
}

fn item(item: &Item) -> String {
    let below = item.below.iter().map(|below| format!("\n  - {}", prose(below)));
    format!("- {}{}", prose(&item.sentences), below.collect::<String>())
}

fn prose(sentences: &[Sentence]) -> String {
    let printed = sentences.iter().map(|sentence| {
        let remark = if sentence.remark.is_empty() { String::new() } else { format!(" ({})", sentence.remark) };
        let cites: String = sentence.cites.iter().map(|citation| format!(" [{}]", citation.id)).collect();
        format!("{}{remark}{cites}", written(&sentence.words))
    });
    printed.collect::<Vec<_>>().join(" ")
}

fn entry(entry: &Entry) -> String {
    let archived = if entry.local_path.is_empty() { String::new() } else { format!(", archived as {}", escaped(&entry.local_path)) };
    // A bracket in an address would be read as the beginning of a citation.
    let url = escaped(&entry.url.replace('[', "%5B").replace(']', "%5D"));
    format!("- [{}] {}. {url} ({}{archived})", entry.id, escaped(&entry.title), escaped(&entry.about))
}
