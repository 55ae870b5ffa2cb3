//! A report that a model has to correct, through the real binary: what it is sent fits into the context that it was given.

use motet_testkit::providers::{FakeProvider, Format, Line, Said};
use serde_json::{Value, json};

use super::project::Project;

const BRIDGE: &str = "# The harbour bridge\n\nThe harbour bridge was opened in 1932 after eight years of work.\n";
const SOUND: &str = "The harbour bridge was opened in 1932 after eight years of work.";
const UNSOUND: &str = "The harbour bridge was opened in 1777.";
const CONTEXT: usize = 8000;

/// As the audit counts them: high.
fn tokens(text: &str) -> usize {
    let ascii = text.bytes().filter(u8::is_ascii).count();
    ascii.div_ceil(3) + (text.len() - ascii).div_ceil(2)
}

/// One mission with more facts, conflicts and unsound sentences than fit: what the writer and the rewriter are sent, with room for an answer.
#[track_caller]
fn check_room(topic: &str, context: usize) {
    let house = |number: usize| {
        format!("House {number} of the harbour has a slate roof and a garden, and was opened to visitors in {}.", 1900 + number)
    };
    let project = Project::new();
    let document = (1..=40).map(|number| format!("{}\n\n", house(number))).collect::<String>();
    project.write("docs/houses.md", &format!("# Houses\n\n{document}"));
    let path = std::fs::canonicalize(project.root.join("docs/houses.md")).expect("the document");
    let address = format!("file://{}", path.display());
    let fact = |number: usize| json!({ "statement": house(number), "quote": house(number), "sources": [&address], "confidence": "Medium", "dimension": "houses" });
    project.write(
        "found.json",
        &json!({ "facts": (1..=40).map(fact).collect::<Vec<_>>(), "sources": [], "summary": "Looked up." }).to_string(),
    );
    let plan = json!({ "core_question": topic, "dimensions": [{ "name": "houses" }, { "name": "gardens of the harbour".repeat(4) }], "estimated_iterations": 1,
        "tasks": [{ "id": "E1", "type": "Search", "title": "The houses of the harbour", "depends_on": [], "criticality": "optional", "dimension": "houses" }] });
    project.write("plan.json", &plan.to_string());
    let long = "a gap of many words that nobody could fill in all the time that there was ".repeat(3);
    let scores = json!({ "completeness": 9, "authority": 9, "conflicts": 9, "traceability": 9, "recency": 9 });
    let gap = |number: usize| json!({ "question": format!("{number} {long}"), "severity": "low", "core": false });
    let conflict = |number: usize| json!({ "summary": format!("{number} {long}"), "facts": ["Fact-001", "Fact-002"], "severity": "low" });
    let reflection = json!({ "summary": "Seen.", "scores": scores, "untraced": [], "conflicts": (0..10).map(conflict).collect::<Vec<_>>(),
        "gaps": (0..10).map(gap).collect::<Vec<_>>(), "caveats": (0..10).map(|number| format!("{number} {long}")).collect::<Vec<_>>() });
    project.write("reflection.json", &reflection.to_string());
    let wrong = |number: usize| {
        let text = format!("House {number} was opened in 1777 {}.", "and has a roof of slate and a garden by the water ".repeat(5).trim());
        json!({ "text": text, "facts": (1..=7).map(|fact| format!("Fact-00{fact}")).collect::<Vec<_>>() })
    };
    let mut sentences: Vec<Value> = (1..=16).map(wrong).collect();
    sentences.push(json!({ "text": house(1), "facts": ["Fact-001"] }));
    let draft = json!({ "title": "Houses", "confidence": "Medium", "sections": [{ "heading": "Houses", "paragraphs": [sentences] }] });
    let none = || says(&json!({ "sentences": [] }));
    let model = FakeProvider::start([says(&draft), none(), none(), none()]);
    let told = |role: &str, file: &str| format!("[agents.{role}]\ncommand = ['sh', '-c', 'cat > /dev/null; cat {file}.json']\n");
    let settings = format!(
        "[agents.'*']\noffline = true\n[agents.synthesizer]\nmodel = 'local/m'\n{}{}{}\
         [providers.local]\nkind = 'openai-compatible'\nbase_url = '{}'\nfree = true\n",
        told("planner", "plan"),
        told("searcher", "found"),
        told("reflector", "reflection"),
        model.base_url(Format::OpenAi)
    );
    project.write("motet.toml", &settings);
    let limit = format!("context_tokens={context}");
    let done = project.offline(&["run", "deep-research", topic, "--docs", "docs", "--no-web", "--unattended", "-i", &limit]);
    let chats = model.chats();
    assert!(chats.len() >= 2, "no draft and no correction: {}", done.shown());
    for chat in &chats {
        let answer = chat.body["max_tokens"].as_u64().unwrap_or_else(|| panic!("no limit in {}", chat.body)) as usize;
        let messages = chat.body["messages"].as_array().expect("messages");
        let prompt: usize = messages.iter().map(|message| tokens(message["content"].as_str().unwrap_or_default())).sum();
        let shape = tokens(&chat.body["response_format"].to_string());
        assert!(prompt + shape + answer <= context, "{prompt} + {shape} + {answer} of {context} for {} letters", topic.chars().count());
        let shown = chat.body["messages"].to_string();
        assert!(shown.contains("[Fact-00"), "no fact is shown: {shown}");
    }
    let asked = chats[1].body["messages"].as_array().and_then(|messages| messages.last()?["content"].as_str()).unwrap_or_default();
    let back = asked.split("Sentences that did not hold:").nth(1).unwrap_or_else(|| panic!("no sentence is sent back: {asked}"));
    assert!(back.contains("1777") && tokens(back) <= context / 8, "{} of {context} are sent back: {back}", tokens(back));
}

#[test]
fn what_is_written_from_fits_into_every_context_that_is_accepted() {
    let long = format!("Which houses of the harbour are there, {}?", "and which of them has a garden ".repeat(61).trim());
    assert!(long.len() > 1900);
    let signs = "港の家は何軒ありますか".repeat(30);
    for (topic, context) in [("Which houses are there?", 6000), (&long, 6000), (&signs, 8000)] {
        check_room(topic, context);
    }
}

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
