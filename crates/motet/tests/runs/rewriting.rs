//! A report that a model has to correct, through the real binary: what it is sent fits into the context that it was given.

use motet_testkit::providers::{FakeProvider, Format, Line, Said};
use serde_json::{Value, json};

use super::project::Project;

const BRIDGE: &str = "# The harbour bridge\n\nThe harbour bridge was opened in 1932 after eight years of work.\n";
const SOUND: &str = "The harbour bridge was opened in 1932 after eight years of work.";
const UNSOUND: &str = "The harbour bridge was opened in 1777.";
const CONTEXT: usize = 8000;

fn says(answer: &Value) -> Line {
    Line::Says(Said::new(answer.to_string()).counted(100_000, 9))
}

#[test]
fn only_the_sentences_that_did_not_hold_are_sent_back_and_prompt_and_answer_fit_into_the_context() {
    let sentence = |text: &str| json!({ "text": text, "facts": ["Fact-001"] });
    // A draft that alone is longer than the context.
    let mut sentences: Vec<Value> = (0..600).map(|_| sentence(SOUND)).collect();
    sentences.push(sentence(UNSOUND));
    let draft =
        json!({ "title": "The harbour bridge", "confidence": "Medium", "sections": [{ "heading": "Opened", "paragraphs": [sentences] }] });
    assert!(draft.to_string().len() / 4 > CONTEXT);
    let corrected = json!({ "sentences": [{ "number": 1, "text": "It was opened in 1932.", "facts": ["Fact-001"] }] });
    let model = FakeProvider::start([says(&draft), says(&corrected)]);
    let project = Project::new();
    project.write("docs/bridge.md", BRIDGE);
    let settings = format!(
        "[agents.'*']\noffline = true\n[agents.synthesizer]\nmodel = 'local/m'\n\
         [providers.local]\nkind = 'openai-compatible'\nbase_url = '{}'\nfree = true\n",
        model.base_url(Format::OpenAi)
    );
    project.write("motet.toml", &settings);
    let context = format!("context_tokens={CONTEXT}");
    let arguments =
        ["run", "deep-research", "When was the harbour bridge opened?", "--docs", "docs", "--no-web", "--unattended", "-i", &context];
    project.offline(&arguments).exits(0);

    let chats = model.chats();
    assert_eq!(chats.len(), 2, "one draft and one correction");
    for chat in &chats {
        let answer = chat.body["max_tokens"].as_u64().unwrap_or_else(|| panic!("no limit in {}", chat.body)) as usize;
        assert_eq!(answer, CONTEXT / 4);
        let prompt = chat.body["messages"].to_string().len() / 4;
        assert!(prompt + answer < CONTEXT, "a prompt of about {prompt} tokens and an answer of {answer}");
    }
    let asked = chats[1].body["messages"].to_string();
    assert!(asked.contains(UNSOUND) && asked.contains("1777 is not in Fact-001"), "{asked}");
    assert!(asked.matches(SOUND).count() <= 2, "the fact and its quotation, not the draft: {asked}");
    let report = project.read(format!(".motet/runs/{}/report.md", project.last()));
    assert!(report.contains("It was opened in 1932. [S01]") && !report.contains("1777"), "{report}");
}
