//! A model that is asked where the words alone decide: outside of runs and in one. It may object; it opens nothing that the rules have closed.

use motet_testkit::providers::{FakeProvider, Fault, Format, Line, Said};
use serde_json::{Value, json};

use super::project::Project;

const BRIDGE: &str =
    "# The harbour bridge\n\nThe harbour bridge was opened by the mayor in 1932 after eight years of work. It is free to cross.\n";
const PARAPHRASE: &str = "The mayor inaugurated the harbour bridge in 1932.";
const QUOTE: &str = "was opened by the mayor in 1932";

fn says(answer: &Value) -> Line {
    Line::Says(Said::new(answer.to_string()).counted(100_000, 9))
}

fn opinion(answer: &str, quote: &str) -> Line {
    says(&json!({ "quote": quote, "reason": "Opened and inaugurated are one.", "answer": answer }))
}

/// A project whose model `local/m` says these lines for nothing.
fn project(lines: impl IntoIterator<Item = Line>) -> (Project, FakeProvider) {
    let model = FakeProvider::start(lines);
    let project = Project::new();
    project.write("docs/bridge.md", BRIDGE);
    let address = model.base_url(Format::OpenAi);
    project.write(
        "motet.toml",
        &format!(
            "[agents.'*']\noffline = true\n[providers.local]\nkind = 'openai-compatible'\nbase_url = '{address}'\nfree = true\n\
             [providers.paid]\nkind = 'openai-compatible'\nbase_url = '{address}'\n"
        ),
    );
    (project, model)
}

fn check<'a>(claim: &'a str, model: &'a str) -> Vec<&'a str> {
    vec!["evidence", "check", "--claim", claim, "--source", "docs/bridge.md", "--model", model]
}

#[test]
fn a_claim_is_put_to_a_model_where_the_words_alone_decide_and_counts_with_words_of_the_source() {
    for (line, code, said) in [
        (opinion("supported", QUOTE), 0, "in the opinion of local/m: the source bears it out (Opened and inaugurated are one.)"),
        (opinion("not_said", ""), 1, "in the opinion of local/m: the source does not say it"),
        (opinion("contradicted", QUOTE), 1, "in the opinion of local/m: the source contradicts it"),
        (opinion("contradicted", "was never opened by anybody"), 0, "undecided (what it quotes is not in the source)"),
    ] {
        let (project, model) = project([line]);
        project.offline(&check(PARAPHRASE, "local/m")).exits(code).says(&["supported (score", said]);
        let chats = model.chats();
        assert_eq!(chats.len(), 1);
        let asked = chats[0].body["messages"].to_string();
        assert!(asked.contains(PARAPHRASE) && asked.contains(QUOTE) && asked.contains("never an instruction"), "{asked}");
    }
}

#[test]
fn what_the_rules_are_sure_of_is_not_asked() {
    let (project, model) = project([opinion("supported", QUOTE)]);
    project
        .offline(&check("The harbour bridge was opened in 1777.", "local/m"))
        .exits(1)
        .says(&["not in the source: 1777", "was not asked: a number or a name decides"]);
    project.offline(&check("It is free to cross.", "local/m")).exits(0).says(&["local/m was not asked: the source has this very sentence"]);
    assert_eq!(model.chats().len(), 0);
}

#[test]
fn outside_of_runs_no_money_is_spent_and_a_model_that_is_not_there_is_told() {
    let (project, model) = project([opinion("supported", QUOTE)]);
    project.offline(&check(PARAPHRASE, "paid/m")).exits(2).says(&["paid/m is not free, and money is spent by runs only"]);
    project.offline(&check(PARAPHRASE, "nobody/m")).exits(2).says(&["nobody"]);
    assert_eq!(model.chats().len(), 0);
    let (broken, _model) = self::project([Line::Fails(Fault::Unauthorised)]);
    broken.offline(&check(PARAPHRASE, "local/m")).exits(1).says(&["there is no second opinion: "]);
    let gone = self::project([]).0;
    gone.offline(&check(PARAPHRASE, "local/m")).exits(1).says(&["local"]);
}

#[test]
fn a_batch_and_a_measurement_have_the_opinions_beside_the_verdicts() {
    let (project, model) = project([opinion("supported", QUOTE)]);
    let line = |claim: &str, label: &str| json!({ "claim": claim, "source": BRIDGE, "label": label, "id": claim.len() }).to_string();
    let claims = [
        line(PARAPHRASE, "supported"),
        line("It was opened in 1777.", "unsupported"),
        "no JSON".into(),
        line("The mayor opened it.", "unsupported"),
    ];
    project.write("claims.jsonl", &claims.join("\n"));
    let done = project.offline(&["evidence", "check", "--batch", "claims.jsonl", "--model", "local/m"]).exits(2);
    let lines = done.json();
    assert_eq!(lines.len(), 4);
    assert_eq!((&lines[0]["opinion"]["answer"], &lines[0]["opinion"]["model"]), (&json!("supported"), &json!("local/m")), "{}", lines[0]);
    assert_eq!((&lines[0]["opinion"]["quote"], &lines[0]["id"]), (&json!(QUOTE), &json!(PARAPHRASE.len())));
    assert!(lines[1].get("opinion").is_none() && lines[1]["verdict"]["label"] != "supported", "{}", lines[1]);
    assert_eq!(lines[2]["line"], 3);
    assert_eq!(lines[3]["opinion"]["answer"], "supported");
    assert_eq!(model.chats().len(), 2);

    project.write("labelled.jsonl", &[claims[0].clone(), claims[1].clone(), claims[3].clone()].join("\n"));
    let measured = project.offline(&["--json", "evidence", "bench", "labelled.jsonl", "--model", "local/m"]).exits(0).json().remove(0);
    let opinions = &measured["opinions"];
    assert_eq!((&opinions["asked"], &opinions["vouched"], &opinions["failed"]), (&json!(2), &json!(2), &json!(0)), "{measured}");
    // It vouched for a true claim and for a false one.
    assert_eq!(opinions["accuracy"].as_f64().map(|share| (share * 3.0).round()), Some(2.0), "{measured}");
    project
        .offline(&["evidence", "bench", "labelled.jsonl", "--model", "local/m"])
        .exits(0)
        .says(&["2 for, 0 against, 0 undecided, 0 failed"]);
}

#[test]
fn an_objection_closes_a_report_and_a_good_word_opens_none() {
    let sound = format!("# The bridge\n\n{PARAPHRASE} [1]\n\n## Sources\n\n1. bridge.md\n");
    for (line, code, said) in [
        (opinion("supported", QUOTE), 0, "in its opinion 0 of them do not hold"),
        (opinion("not_said", ""), 1, "in its opinion 1 of them do not hold"),
    ] {
        let (project, _model) = project([line]);
        project.write("report.md", &sound);
        let arguments = ["verify", "report.md", "--sources", "docs", "--model", "local/m"];
        project.offline(&arguments).exits(code).says(&["local/m was asked about 1 cited sentence", said]);
        let found = project.offline(&[&["--json"], &arguments[..]].concat()).json().remove(0);
        assert_eq!((found["ok"] == true, &found["opinions"][0]["sentence"]), (code == 0, &json!(PARAPHRASE)), "{found}");
        assert_eq!(found["gate"]["open"], true, "the gate is what the rules say");
    }
    let (project, model) = project([opinion("supported", QUOTE)]);
    project.write("report.md", &sound.replace("1932", "1777"));
    project.offline(&["verify", "report.md", "--sources", "docs", "--model", "local/m"]).exits(1).says(&["1777"]);
    assert_eq!(model.chats().len(), 0, "a wrong number needs no opinion");
    let (silent, _model) = self::project([Line::Fails(Fault::Filtered)]);
    silent.write("report.md", &sound);
    let told = ["cited and supported", "✗ it gave no usable answer on 1 of them"];
    silent.offline(&["verify", "report.md", "--sources", "docs", "--model", "local/m"]).exits(1).says(&told);
    project.offline(&["verify", "--model", "local/m"]).exits(2).says(&["--model belong to a report"]);
}

#[test]
fn in_a_run_what_the_judge_objects_to_is_rewritten_and_all_of_it_is_on_record() {
    let sentence = |text: &str| json!({ "text": text, "facts": ["Fact-001"] });
    let draft = json!({ "title": "The harbour bridge", "confidence": "Medium",
        "sections": [{ "heading": "Opened", "paragraphs": [[sentence("The harbour bridge was opened by a proud mayor in 1932.")]] }] });
    let corrected = json!({ "sentences": [{ "number": 1, "text": "It was opened in 1932.", "facts": ["Fact-001"] }] });
    let objects = says(&json!({ "quote": "", "reason": "Nobody says that he was proud.", "answer": "not_said" }));
    let (project, model) = project([says(&draft), objects, says(&corrected), opinion("supported", QUOTE)]);
    let question = "When was the harbour bridge opened?";
    let arguments = ["run", "deep-research", question, "--docs", "docs", "--no-web", "--unattended", "-i", "second_opinion=true"];
    let players = ["--agent", "synthesizer=local/m", "--agent", "judge=local/m"];
    project.offline(&[&arguments[..], &players[..]].concat()).exits(0);

    let chats = model.chats();
    assert_eq!(chats.len(), 4, "a draft, an opinion, a correction, an opinion on it");
    assert!(chats[1].body["messages"].to_string().contains("a proud mayor"), "{}", chats[1].body);
    assert!(chats[2].body["messages"].to_string().contains("Nobody says that he was proud."), "{}", chats[2].body);
    let run = project.last();
    let report = project.read(format!(".motet/runs/{run}/report.md"));
    assert!(report.contains("It was opened in 1932. [S01]") && !report.contains("proud"), "{report}");
    let kept: Value = serde_json::from_str(&project.read(format!(".motet/runs/{run}/opinions.json"))).expect("JSON");
    assert_eq!(
        (&kept["judge"], &kept["opinions"][0]["answer"], &kept["opinions"][1]["answer"]),
        (&json!("m"), &json!("not_said"), &json!("supported"))
    );
    drop(model);
    project.motet(&["replay", &run]).exits(0);
    project.motet(&["verify", &format!(".motet/runs/{run}/report.md")]).exits(0).says(&["the report holds"]);
}
