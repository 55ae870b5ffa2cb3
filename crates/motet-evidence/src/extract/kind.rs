//! What kind of document some bytes are: by what they begin with, then by what is said about them.
//! It reads only the beginning, and believes the bytes before it believes the label.

use serde::{Deserialize, Serialize};

use super::NotExtracted;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Html,
    Pdf,
    Markdown,
    #[default]
    Text,
    Code,
    Feed,
    Json,
}

impl Kind {
    pub fn extension(self) -> &'static str {
        match self {
            Self::Html => "html",
            Self::Pdf => "pdf",
            Self::Markdown => "md",
            Self::Text => "txt",
            Self::Code => "code.txt",
            Self::Feed => "xml",
            // `<id>.json` is the name of a sidecar.
            Self::Json => "data.json",
        }
    }

    pub fn media_type(self) -> &'static str {
        match self {
            Self::Html => "text/html",
            Self::Pdf => "application/pdf",
            Self::Markdown => "text/markdown",
            Self::Text | Self::Code => "text/plain",
            Self::Feed => "application/xml",
            Self::Json => "application/json",
        }
    }

    /// By the name of a file alone.
    pub fn of_name(name: &str) -> Option<Self> {
        let file = name.rsplit(['/', '\\']).next().unwrap_or_default();
        if matches!(file, "README" | "LICENSE" | "CHANGELOG" | "NOTICE" | "AUTHORS") {
            return Some(Self::Text);
        }
        if matches!(file, "Makefile" | "Dockerfile" | "Justfile" | "Rakefile" | "Gemfile") {
            return Some(Self::Code);
        }
        let extension = file.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase())?;
        match extension.as_str() {
            "html" | "htm" | "xhtml" => Some(Self::Html),
            "pdf" => Some(Self::Pdf),
            "md" | "markdown" | "mdx" => Some(Self::Markdown),
            "txt" | "text" | "rst" | "adoc" | "org" | "log" | "csv" | "tsv" | "tex" | "srt" | "vtt" => Some(Self::Text),
            "json" | "jsonl" | "ndjson" => Some(Self::Json),
            "rss" | "atom" => Some(Self::Feed),
            other => CODE.contains(&other).then_some(Self::Code),
        }
    }
}

const CODE: &[&str] = &[
    "rs", "py", "js", "jsx", "ts", "tsx", "mjs", "c", "h", "cc", "cpp", "hpp", "cs", "go", "java", "kt", "kts", "scala", "rb", "php",
    "swift", "m", "mm", "pl", "pm", "lua", "r", "jl", "hs", "ml", "mli", "ex", "exs", "erl", "clj", "sh", "bash", "zsh", "fish", "ps1",
    "sql", "toml", "yaml", "yml", "ini", "cfg", "conf", "xml", "css", "scss", "less", "vue", "svelte", "proto", "graphql", "tf", "zig",
    "nim", "dart", "v", "sv", "vhd", "asm", "s", "bat", "cmake", "gradle", "nix", "el", "lisp", "scm", "f90", "f", "for", "pas", "d",
    "groovy",
];

/// What is said about some bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hints {
    pub content_type: Option<String>,
    /// The URL or the path.
    pub url: Option<String>,
}

impl Hints {
    pub fn of_path(path: &str) -> Self {
        Self { content_type: None, url: Some(path.to_string()) }
    }
}

pub(super) fn of(bytes: &[u8], hints: &Hints) -> Result<Kind, NotExtracted> {
    let head = &bytes[..bytes.len().min(1024)];
    if head.windows(5).any(|window| window == b"%PDF-") {
        return Ok(Kind::Pdf);
    }
    if let Some(format) = foreign(bytes) {
        return Err(NotExtracted::Unsupported(format!("it is {format}, and no text can be read from that")));
    }
    let wide = head.starts_with(&[0xff, 0xfe]) || head.starts_with(&[0xfe, 0xff]);
    if !wide && bytes[..bytes.len().min(8192)].contains(&0) {
        return Err(NotExtracted::Unsupported("it is a binary file".to_string()));
    }
    let said = hints.content_type.as_deref().map(|value| value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase());
    let name = hints.url.as_deref().map(|url| url.split(['?', '#']).next().unwrap_or_default());
    let named = name.and_then(Kind::of_name);
    match said.as_deref() {
        Some("text/html" | "application/xhtml+xml") => Ok(Kind::Html),
        Some("text/markdown" | "text/x-markdown") => Ok(Kind::Markdown),
        Some("application/rss+xml" | "application/atom+xml") => Ok(Kind::Feed),
        Some("application/xml" | "text/xml") => Ok(if is_feed(head) { Kind::Feed } else { named.unwrap_or(Kind::Code) }),
        Some(json) if json == "application/json" || json.ends_with("+json") => Ok(Kind::Json),
        Some("application/pdf") => Err(NotExtracted::Broken("it is said to be a PDF, but does not begin like one".to_string())),
        Some(other)
            if other.starts_with("image/") || other.starts_with("video/") || other.starts_with("audio/") || other.starts_with("font/") =>
        {
            Err(NotExtracted::Unsupported(format!("it is {other}, and no text can be read from that")))
        }
        // A server's `text/plain` is often no more than a shrug.
        _ if is_html(head) && !matches!(named, Some(Kind::Code | Kind::Markdown)) => Ok(Kind::Html),
        _ if named.is_none() && is_feed(head) => Ok(Kind::Feed),
        _ => Ok(named.unwrap_or(Kind::Text)),
    }
}

fn foreign(bytes: &[u8]) -> Option<&'static str> {
    const SIGNS: &[(&[u8], &str)] = &[
        (b"PK\x03\x04", "a ZIP archive or an office document"),
        (b"\x89PNG", "a PNG image"),
        (b"\xff\xd8\xff", "a JPEG image"),
        (b"GIF8", "a GIF image"),
        (b"\x1f\x8b", "a gzip archive"),
        (b"7z\xbc\xaf", "a 7z archive"),
        (b"Rar!", "a RAR archive"),
        (b"\x7fELF", "a program"),
        (b"MZ\x90", "a program"),
        (b"\xd0\xcf\x11\xe0", "an old office document"),
        (b"OggS", "a sound file"),
        (b"ID3", "a sound file"),
        (b"{\\rtf", "an RTF document"),
        (b"SQLite format 3\0", "a database"),
    ];
    SIGNS.iter().find(|(sign, _)| bytes.starts_with(sign)).map(|(_, name)| *name)
}

fn is_html(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head).to_ascii_lowercase();
    let text = text.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']);
    text.starts_with("<!doctype html") || text.starts_with("<html") || (text.starts_with("<!--") && text.contains("<html"))
}

fn is_feed(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head);
    ["<rss", "<feed", "<rdf:RDF"].iter().any(|sign| text.contains(sign))
}
