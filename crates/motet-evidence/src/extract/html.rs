//! The article of a web page as Markdown, with what the page says about itself.
//! A page that is nested beyond reason is never given to a parser; it is stripped instead.

use dom_smoothie::{Config, Readability};
use htmd::HtmlToMarkdown;

use super::charset::Decoded;
use super::notes::without_notes;
use super::raised::with_raised_numbers;
use super::tags::{decode_entities, depth, stripped, tags};
use super::{Extracted, Kind, NotExtracted};

/// Deeper than any page that a person wrote; parsers and walkers take time and stack by depth.
const DEEPEST: usize = 400;
const READABLE: &str = "dom_smoothie 0.19 + htmd 0.5";
const WHOLE: &str = "htmd 0.5";
const STRIPPED: &str = "motet-strip 1";
/// An article shorter than this is more likely a wrong guess than a short article.
const SHORTEST_ARTICLE: usize = 200;
/// Never the text of a page, whoever reads it.
const SKIPPED: [&str; 11] = ["script", "style", "noscript", "template", "nav", "iframe", "svg", "form", "button", "head", "select"];

pub(super) fn extract(page: Decoded, url: Option<&str>) -> Result<Extracted, NotExtracted> {
    let html = page.text.as_str();
    let mut extracted = Extracted { kind: Kind::Html, encoding: Some(page.encoding.to_string()), ..about(html) };
    if page.had_errors {
        extracted.notes.push(format!("some bytes are no letters in {}", page.encoding));
    }
    if depth(html) > DEEPEST {
        extracted.text = stripped(&with_raised_numbers(html));
        extracted.extractor = STRIPPED.to_string();
        extracted.notes.push(format!("the page is nested deeper than {DEEPEST} elements, so its tags were stripped"));
        return challenge(extracted);
    }
    let html = &with_raised_numbers(&without_notes(html));
    let article = article(html, url);
    let whole = || markdown(html).unwrap_or_else(|| stripped(html));
    match article {
        Some(article) if article.text.len() >= SHORTEST_ARTICLE => extracted.take(article),
        // The whole page is better than half a sentence, unless the article really is all there is.
        article => {
            let whole = whole();
            let article_is_all = article.as_ref().is_some_and(|article| article.text.len() * 2 >= whole.len());
            match article.filter(|_| article_is_all) {
                Some(article) => extracted.take(article),
                None => {
                    extracted.text = whole;
                    extracted.extractor = WHOLE.to_string();
                }
            }
        }
    }
    challenge(extracted)
}

struct Article {
    text: String,
    title: String,
    byline: Option<String>,
    published: Option<String>,
    language: Option<String>,
}

impl Extracted {
    /// What the page's own tags say comes before what was guessed from its looks.
    fn take(&mut self, article: Article) {
        self.text = article.text;
        self.extractor = READABLE.to_string();
        self.title = self.title.take().or(Some(article.title));
        if self.authors.is_empty() {
            self.authors = article.byline.as_deref().map(names).unwrap_or_default();
        }
        self.published = self.published.take().or(article.published);
        self.language = self.language.take().or(article.language);
    }
}

fn article(html: &str, url: Option<&str>) -> Option<Article> {
    let config = Config { max_elements_to_parse: 200_000, ..Config::default() };
    let absolute = url.filter(|url| url.starts_with("http"));
    let article = Readability::new(html, absolute, Some(config)).ok()?.parse().ok()?;
    Some(Article {
        text: markdown(&article.content)?,
        title: article.title,
        byline: article.byline,
        published: article.published_time,
        language: article.lang,
    })
}

fn markdown(html: &str) -> Option<String> {
    let text = HtmlToMarkdown::builder().skip_tags(SKIPPED.to_vec()).build().convert(html).ok()?;
    Some(unescaped(text.trim()))
}

/// The text is for reading and quoting, not for rendering: signs are what they were on the page, except in code, where nothing was escaped.
fn unescaped(markdown: &str) -> String {
    let mut fenced = false;
    let lines = markdown.lines().map(|line| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        if fence || fenced || !line.contains('\\') {
            return line.to_string();
        }
        let mut out = String::with_capacity(line.len());
        let mut letters = line.chars().peekable();
        let mut in_code = false;
        while let Some(letter) = letters.next() {
            in_code ^= letter == '`';
            match letters.peek() {
                Some(next) if letter == '\\' && !in_code && next.is_ascii_punctuation() => out.extend(letters.next()),
                _ => out.push(letter),
            }
        }
        out
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// What the head of the page says: the names that publishers give to search engines and reference managers.
fn about(html: &str) -> Extracted {
    let mut about = Extracted::default();
    let (mut plain_title, mut site_date, mut site_author) = (None, None, None);
    for tag in tags(html) {
        if tag.name == "html" && !tag.closes {
            about.language = tag.attribute("lang").filter(|language| !language.is_empty());
        }
        if tag.name == "title" && !tag.closes && plain_title.is_none() {
            let rest = &html[tag.end..];
            plain_title = Some(decode_entities(rest[..rest.find("</").unwrap_or(0)].trim()));
        }
        if tag.name != "meta" {
            continue;
        }
        let Some(name) = tag.attribute("name").or_else(|| tag.attribute("property")).or_else(|| tag.attribute("itemprop")) else {
            continue;
        };
        let Some(content) = tag.attribute("content").filter(|content| !content.trim().is_empty()) else { continue };
        match name.to_ascii_lowercase().as_str() {
            "citation_title" | "dc.title" => about.title = Some(content),
            "og:title" if about.title.is_none() => about.title = Some(content),
            "citation_author" | "dc.creator" => about.authors.push(content),
            "author" | "article:author" if !content.starts_with("http") => site_author = Some(content),
            "citation_publication_date" | "citation_date" | "dc.date" | "article:published_time" => {
                about.published = about.published.take().or(Some(content));
            }
            "date" | "datepublished" | "pubdate" | "og:published_time" => site_date = site_date.or(Some(content)),
            _ => {}
        }
    }
    about.title = about.title.or(plain_title.filter(|title| !title.is_empty()));
    about.published = about.published.or(site_date);
    if about.authors.is_empty() {
        about.authors = site_author.as_deref().map(names).unwrap_or_default();
    }
    about
}

/// `By Ada Lovelace, Charles Babbage and Mary Somerville`.
fn names(byline: &str) -> Vec<String> {
    let byline = byline.trim();
    let byline = byline.strip_prefix("By ").or_else(|| byline.strip_prefix("by ")).unwrap_or(byline);
    let parts = byline.split([',', ';', '\n', '|', '&']).flat_map(|part| part.split(" and "));
    parts.map(|part| part.trim().to_string()).filter(|part| !part.is_empty()).collect()
}

/// A page that is only a door with a guard is not a source.
fn challenge(extracted: Extracted) -> Result<Extracted, NotExtracted> {
    const SIGNS: &[&str] = &[
        "just a moment...",
        "enable javascript and cookies to continue",
        "verify you are human",
        "verifying you are human",
        "attention required! | cloudflare",
        "checking your browser before accessing",
        "are you a robot?",
        "complete the captcha",
        "unusual traffic from your computer",
        "access to this page has been denied",
        "pardon our interruption",
    ];
    // A long article about captchas is an article.
    if extracted.text.chars().count() > 1500 {
        return Ok(extracted);
    }
    let seen = format!("{}\n{}", extracted.title.as_deref().unwrap_or_default(), extracted.text).to_lowercase();
    match SIGNS.iter().find(|sign| seen.contains(*sign)) {
        Some(sign) => Err(NotExtracted::Challenge(format!("the page is only a check for people (\"{sign}\")"))),
        None => Ok(extracted),
    }
}
