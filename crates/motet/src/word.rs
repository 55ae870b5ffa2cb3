//! A file of a run, written in Markdown, as a Word document that people can comment on.
//! Headings, lists, tables, links and emphasis come across; pictures and raw markup are left out.

use std::io::{Seek, Write};

use docx_rs::{
    AbstractNumbering, BreakType, Docx, Hyperlink, HyperlinkType, IndentLevel, Level, LevelJc, LevelText, LineSpacing, NumberFormat,
    Numbering, NumberingId, Paragraph, Run, RunFonts, SpecialIndentType, Start, Style, StyleType, Table, TableCell, TableRow,
};
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// The writer itself brings a first one.
const BULLETS: usize = 2;
/// The lists with numbers follow, each with a count of its own.
const FIRST_NUMBERED: usize = 3;
const DEEPEST: usize = 8;
/// Twentieths of a point.
const INDENT: i32 = 360;

/// Writes the document; the same text always gives the same words and order.
pub fn write(markdown: &str, into: impl Write + Seek) -> Result<(), String> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    let mut page = Page { document: styled(), ..Page::default() };
    for event in Parser::new_ext(markdown, options) {
        page.take(event);
    }
    page.close();
    page.numbered().build().pack(into).map_err(|error| error.to_string())
}

/// What has been read so far.
#[derive(Default)]
struct Page {
    document: Docx,
    /// The paragraph that is open, as runs.
    line: Vec<Piece>,
    look: Look,
    heading: Option<usize>,
    /// Of the lists around this place, innermost last: the number of its numbering.
    lists: Vec<usize>,
    /// Of every list with numbers, the first one.
    numbered: Vec<usize>,
    /// Whether the next paragraph begins an item; later ones of the same item have no mark.
    begins_item: bool,
    quotes: usize,
    link: Option<String>,
    table: Option<Vec<Vec<Vec<Piece>>>>,
    /// Inside of what is not shown: metadata, pictures.
    hidden: usize,
}

#[derive(Clone, Copy, Default)]
struct Look {
    bold: usize,
    italic: usize,
    strike: usize,
    code: bool,
}

struct Piece {
    text: String,
    look: Look,
    link: Option<String>,
}

impl Page {
    fn take(&mut self, event: Event) {
        match event {
            Event::Start(tag) => self.enter(tag),
            Event::End(tag) => self.leave(tag),
            Event::Text(text) => self.say(&text),
            Event::Code(text) => {
                let code = Look { code: true, ..self.look };
                let look = std::mem::replace(&mut self.look, code);
                self.say(&text);
                self.look = look;
            }
            Event::SoftBreak => self.say(" "),
            Event::HardBreak => self.say("\n"),
            Event::Rule => self.close(),
            _ => {}
        }
    }

    fn enter(&mut self, tag: Tag) {
        match tag {
            Tag::Heading { level, .. } => {
                self.close();
                self.heading = Some(number(level));
            }
            Tag::Paragraph => self.close(),
            Tag::BlockQuote(_) => {
                self.close();
                self.quotes += 1;
            }
            Tag::CodeBlock(_) => {
                self.close();
                self.look.code = true;
            }
            Tag::List(first) => {
                self.close();
                let numbering = match first {
                    None => BULLETS,
                    Some(first) => {
                        self.numbered.push(usize::try_from(first).unwrap_or(1));
                        FIRST_NUMBERED + self.numbered.len() - 1
                    }
                };
                self.lists.push(numbering);
            }
            Tag::Item => {
                self.close();
                self.begins_item = true;
            }
            Tag::Table(_) => {
                self.close();
                self.table = Some(Vec::new());
            }
            Tag::TableHead | Tag::TableRow => {
                if let Some(rows) = &mut self.table {
                    rows.push(Vec::new());
                }
            }
            Tag::Emphasis => self.look.italic += 1,
            Tag::Strong => self.look.bold += 1,
            Tag::Strikethrough => self.look.strike += 1,
            Tag::Link { dest_url, .. } => self.link = Some(dest_url.to_string()),
            Tag::MetadataBlock(_) | Tag::Image { .. } | Tag::HtmlBlock => self.hidden += 1,
            _ => {}
        }
    }

    fn leave(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) | TagEnd::Paragraph | TagEnd::Item => self.close(),
            TagEnd::BlockQuote(_) => {
                self.close();
                self.quotes -= 1;
            }
            TagEnd::CodeBlock => {
                self.close();
                self.look.code = false;
            }
            TagEnd::List(_) => {
                self.close();
                self.lists.pop();
            }
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.line);
                if let Some(row) = self.table.as_mut().and_then(|rows| rows.last_mut()) {
                    row.push(cell);
                }
            }
            TagEnd::Table => self.close_table(),
            TagEnd::Emphasis => self.look.italic -= 1,
            TagEnd::Strong => self.look.bold -= 1,
            TagEnd::Strikethrough => self.look.strike -= 1,
            TagEnd::Link => self.link = None,
            TagEnd::MetadataBlock(_) | TagEnd::Image | TagEnd::HtmlBlock => self.hidden -= 1,
            _ => {}
        }
    }

    /// Addresses that stand in the text by themselves become links too.
    fn say(&mut self, text: &str) {
        if self.hidden > 0 {
            return;
        }
        let (look, link) = (self.look, self.link.clone());
        if link.is_some() || look.code {
            return self.line.push(Piece { text: text.to_string(), look, link });
        }
        let mut rest = text;
        while let Some(start) = ["https://", "http://"].iter().filter_map(|scheme| rest.find(scheme)).min() {
            let address = rest[start..].split(|character: char| character.is_whitespace() || "<>\"".contains(character)).next();
            let address = address.unwrap_or_default().trim_end_matches(['.', ',', ';', ':', ')']);
            self.line.push(Piece { text: rest[..start].to_string(), look, link: None });
            self.line.push(Piece { text: address.to_string(), look, link: Some(address.to_string()) });
            rest = &rest[start + address.len()..];
        }
        self.line.push(Piece { text: rest.to_string(), look, link: None });
    }

    /// Ends the paragraph that is open, if there is one.
    fn close(&mut self) {
        let heading = self.heading.take();
        let line = std::mem::take(&mut self.line);
        if line.iter().all(|piece| piece.text.trim().is_empty()) {
            return;
        }
        let depth = self.lists.len();
        let mut paragraph = filled(Paragraph::new(), line);
        match (heading, self.lists.last()) {
            (Some(level), _) => paragraph = paragraph.style(&format!("Heading{level}")).keep_next(true),
            (None, Some(numbering)) if self.begins_item => {
                paragraph = paragraph.numbering(NumberingId::new(*numbering), IndentLevel::new((depth - 1).min(DEEPEST)));
                self.begins_item = false;
            }
            (None, _) if depth + self.quotes > 0 => {
                let indent = INDENT * i32::try_from(depth + self.quotes).unwrap_or(1);
                paragraph = paragraph.indent(Some(indent), None, None, None);
            }
            _ => {}
        }
        self.document = std::mem::take(&mut self.document).add_paragraph(paragraph);
    }

    fn close_table(&mut self) {
        let Some(rows) = self.table.take() else { return };
        let rows = rows.into_iter().enumerate().map(|(place, cells)| {
            let cells = cells.into_iter().map(|mut cell| {
                cell.iter_mut().for_each(|piece| piece.look.bold += usize::from(place == 0));
                TableCell::new().add_paragraph(filled(Paragraph::new(), cell))
            });
            TableRow::new(cells.collect())
        });
        let table = Table::new(rows.collect());
        self.document = std::mem::take(&mut self.document).add_table(table).add_paragraph(Paragraph::new());
    }

    fn numbered(self) -> Docx {
        let lists = self.numbered.iter().enumerate().map(|(list, first)| (FIRST_NUMBERED + list, *first, "decimal", "%"));
        std::iter::once((BULLETS, 1, "bullet", "•")).chain(lists).fold(self.document, |document, (id, first, format, mark)| {
            let levels = (0..=DEEPEST).fold(AbstractNumbering::new(id), |numbering, depth| {
                let mark = if mark == "%" { format!("%{}.", depth + 1) } else { mark.to_string() };
                let left = INDENT * (i32::try_from(depth).unwrap_or(0) + 1);
                let level = Level::new(depth, Start::new(first), NumberFormat::new(format), LevelText::new(mark), LevelJc::new("left"));
                numbering.add_level(level.indent(Some(left), Some(SpecialIndentType::Hanging(INDENT)), None, None))
            });
            document.add_abstract_numbering(levels).add_numbering(Numbering::new(id, id))
        })
    }
}

fn styled() -> Docx {
    // Half points.
    let sizes = [32, 26, 24, 22, 22, 22];
    let document = Docx::new().default_fonts(font("Calibri")).default_size(22).default_line_spacing(LineSpacing::new().after(120));
    sizes.into_iter().enumerate().fold(document, |document, (place, size)| {
        let level = place + 1;
        let style = Style::new(format!("Heading{level}"), StyleType::Paragraph).name(format!("heading {level}"));
        document.add_style(style.size(size).bold().outline_lvl(place))
    })
}

fn filled(paragraph: Paragraph, line: Vec<Piece>) -> Paragraph {
    line.into_iter().filter(|piece| !piece.text.is_empty()).fold(paragraph, |paragraph, piece| match &piece.link {
        Some(link) => {
            let run = run(&piece).color("0563C1").underline("single");
            paragraph.add_hyperlink(Hyperlink::new(link, HyperlinkType::External).add_run(run))
        }
        None => paragraph.add_run(run(&piece)),
    })
}

fn run(piece: &Piece) -> Run {
    // XML knows few control characters and not all others, and the format breaks lines by a mark of its own.
    let text = piece.text.strip_suffix('\n').filter(|_| piece.look.code).unwrap_or(&piece.text);
    let lines = text.split('\n').map(|line| line.replace(is_unwritable, " "));
    let mut run = lines.enumerate().fold(Run::new(), |run, (place, line)| {
        let run = if place > 0 { run.add_break(BreakType::TextWrapping) } else { run };
        run.add_text(line)
    });
    run = if piece.look.bold > 0 { run.bold() } else { run };
    run = if piece.look.italic > 0 { run.italic() } else { run };
    run = if piece.look.strike > 0 { run.strike() } else { run };
    if piece.look.code { run.fonts(font("Consolas")) } else { run }
}

fn is_unwritable(character: char) -> bool {
    character.is_control() || matches!(character, '\u{fffe}' | '\u{ffff}')
}

fn font(name: &str) -> RunFonts {
    RunFonts::new().ascii(name).hi_ansi(name)
}

fn number(level: HeadingLevel) -> usize {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(markdown: &str) -> docx_rs::Docx {
        let mut document = std::io::Cursor::new(Vec::new());
        write(markdown, &mut document).expect("it can be written");
        docx_rs::read_docx(document.get_ref()).expect("it can be read")
    }

    #[track_caller]
    fn check(markdown: &str, expected: &[&str]) {
        let said: Vec<String> = read(markdown)
            .document
            .children
            .iter()
            .filter_map(|child| match child {
                docx_rs::DocumentChild::Paragraph(paragraph) => Some(paragraph.raw_text()),
                _ => None,
            })
            .collect();
        assert_eq!(said, expected, "{markdown}");
    }

    #[test]
    fn words_come_across_and_markup_does_not() {
        check("---\ntitle: x\n---\n\n# A *bold* **head**\n\nOne `code`\ntwo.\n", &["A bold head", "One code two."]);
        check("- one\n  - two\n\n> three\n", &["one", "two", "three"]);
        check("![picture](a.png)\n\n<div>raw</div>\n\nSeen.\n", &["Seen."]);
    }

    #[test]
    fn addresses_are_links() {
        let linked = |markdown: &str| {
            let document = serde_json::json!(read(markdown)).to_string();
            ["https://example.org/a", "https://b.example"].map(|address| document.contains(address))
        };
        assert_eq!(linked("See https://example.org/a, then [b](https://b.example)."), [true, true]);
        assert_eq!(linked("See `nothing`."), [false, false]);
    }

    #[test]
    fn what_xml_cannot_hold_is_left_out() {
        check("a\u{ffff}b\u{fffe}c\u{1}d & <e>", &["a b c d & "]);
    }

    #[test]
    fn a_numbered_list_begins_where_it_says() {
        let first = |markdown: &str| {
            let numberings = read(markdown).numberings.abstract_nums;
            numberings.iter().map(|numbering| serde_json::json!(numbering.levels[0].start)).collect::<Vec<_>>()
        };
        assert!(first("3. three\n4. four\n\ntext\n\n1. one\n").ends_with(&[1.into(), 3.into(), 1.into()]));
    }
}
