//! What a tool's answer is to an agent: one text. What cannot be read as text is named, never embedded.
//! It cuts nothing: how much of it there is room for, and how long it was, is told by whoever passes it on.

use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};

use crate::redaction::Redactor;
use crate::tools::ToolAnswer;

/// Without what must be hidden, however long it is.
pub(super) fn whole(result: &CallToolResult, redaction: &Redactor) -> ToolAnswer {
    let mut parts: Vec<String> = result.content.iter().map(part).collect();
    if let Some(structured) = &result.structured_content {
        // Servers are told to repeat structured content as text; then once is enough.
        let repeated = parts.iter().any(|part| serde_json::from_str(part).is_ok_and(|value: serde_json::Value| value == *structured));
        if !repeated {
            parts.push(structured.to_string());
        }
    }
    let text = if parts.is_empty() { "(the tool answered nothing)".into() } else { parts.join("\n") };
    ToolAnswer { text: redaction.string(text), is_error: result.is_error == Some(true) }
}

fn part(content: &ContentBlock) -> String {
    match content {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::Image(image) => format!("[an image, {}, {} bytes, is not shown]", image.mime_type, decoded(image.data.len())),
        ContentBlock::Audio(audio) => format!("[a sound, {}, {} bytes, is not played]", audio.mime_type, decoded(audio.data.len())),
        ContentBlock::Resource(embedded) => match &embedded.resource {
            ResourceContents::TextResourceContents { uri, text, .. } => format!("{uri}:\n{text}"),
            ResourceContents::BlobResourceContents { uri, blob, .. } => {
                format!("[{uri}, {} bytes, is not shown]", decoded(blob.len()))
            }
            _ => "[a resource of an unknown kind]".into(),
        },
        ContentBlock::ResourceLink(link) => format!("[see {}: {}]", link.uri, link.name),
        _ => "[something of an unknown kind]".into(),
    }
}

/// How many bytes so many letters of base64 stand for, nearly.
fn decoded(letters: usize) -> usize {
    letters / 4 * 3
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::secret::Secret;

    fn check(result: Value, text: &str, is_error: bool) {
        let result: CallToolResult = serde_json::from_value(result).expect("it is a result");
        assert_eq!(whole(&result, &Redactor::default()), ToolAnswer { text: text.into(), is_error });
    }

    #[test]
    fn texts_are_joined() {
        check(json!({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}), "a\nb", false);
        check(json!({"content": []}), "(the tool answered nothing)", false);
        check(json!({"content": [{"type": "text", "text": "no"}], "isError": true}), "no", true);
    }

    #[test]
    fn structured_content_is_json_and_is_not_said_twice() {
        check(json!({"content": [], "structuredContent": {"a": 1}}), "{\"a\":1}", false);
        check(json!({"content": [{"type": "text", "text": "{ \"a\": 1 }"}], "structuredContent": {"a": 1}}), "{ \"a\": 1 }", false);
    }

    #[test]
    fn pictures_are_named() {
        let picture = json!({"type": "image", "data": "AAAAAAAA", "mimeType": "image/png"});
        check(json!({"content": [picture]}), "[an image, image/png, 6 bytes, is not shown]", false);
    }

    #[test]
    fn what_must_be_hidden_is_taken_out() {
        let result = CallToolResult::success(vec![ContentBlock::text("it is sk-1234567890")]);
        assert_eq!(whole(&result, &Redactor::new([Secret::new("sk-1234567890")])).text, "it is [redacted]");
    }
}
