//! Defects that were found in comparable research systems, one test for each: none of them may ever be found here.
//! What is tested in depth elsewhere is tried here once, from as far outside as it can be.

use std::path::PathBuf;

use motet_agents::model::{ModelAgent, ModelSettings, Provider, ProviderKind};
use motet_agents::{Agent as _, Context, Outcome, Request};
use motet_core::event::FailureKind;
use motet_evidence::fetch::{DomainPolicy, Domains};
use motet_evidence::gather::{Wanted, gather};
use motet_evidence::library::{Library, Scope, Service, Services, Settings};
use motet_evidence::source::Query;
use motet_testkit::providers::{Ended, FakeProvider, Fault, Format, Line, Said};
use motet_testkit::web::Server;
use motet_testkit::web::services::{Mood, services};

use super::project::Project;
use crate::scratch::Scratch;

const QUESTION: &str = "When was the harbour bridge opened?";

fn project(settings: &str) -> Project {
    let project = Project::new();
    project.write("motet.toml", settings);
    project.write(
        "docs/bridge.md",
        "# The harbour bridge\n\nThe harbour bridge was opened in 1932 after eight years of work. The harbour bridge is 1,149 metres long.\n",
    );
    project.write(
        "docs/toll.md",
        "# Tolls\n\nTolls on the harbour bridge were collected from 1932, when the bridge was opened, until 1988.\n",
    );
    project
}

fn run_file(project: &Project, name: &str) -> PathBuf {
    project.root.join(format!(".motet/runs/{}/{name}", project.last()))
}

/// A list of titles such as `The_Sun`, compared as pieces of a lower-case host, blocks nothing and looks as if it did.
#[test]
fn no_title_passes_for_a_domain_in_a_list_of_denied_sources() {
    for title in ["The_Sun", "Healthline", "Daily Mail", "InfoWars"] {
        assert!(Domains::read([title]).is_err(), "{title}");
    }
    let deny = Domains::read(["Healthline.com", "RT.com", "https://www.Breitbart.com/", "facebook.com"]).expect("these are domains");
    let policy = DomainPolicy { deny, ..DomainPolicy::default() };
    for host in ["www.healthline.com", "rt.com", "breitbart.com", "m.facebook.com"] {
        assert!(policy.refusal(host).is_some(), "{host}");
    }
    for host in ["smart.com", "healthline.com.example.org", "notfacebook.com"] {
        assert!(policy.refusal(host).is_none(), "{host}");
    }
}

/// `"no" in feedback` ended the review of a plan, so that "add notes on noise" did too.
#[test]
fn the_letters_of_no_in_a_feedback_do_not_end_the_review_of_a_plan() {
    let project = project("");
    project.offline(&["run", "deep-research", QUESTION, "--docs", "docs"]).exits(4);
    for (round, feedback) in ["no", "Not enough: add notes on noise, and nothing on tolls", "none"].iter().enumerate() {
        project.offline(&["approve", "last", "changes", "--text", feedback]).exits(4).says(&["Research plan"]);
        let status = project.status("last");
        assert_eq!(
            (&status["state"], &status["counters"]["plan_rounds"]["used"]),
            (&"awaiting_approval".into(), &(round + 1).into()),
            "{feedback}"
        );
    }
}

/// `"None" in review` took a bad draft for a good one.
#[test]
fn the_word_none_in_a_review_approves_no_draft() {
    for review in ["None", "None of the claims is true. No.", "There is none better, and none of it may ship"] {
        let project = project(&format!("[agents.reviewer]\ncommand = ['echo', '{review}']\n"));
        project.offline(&["run", "slogan", "tea", "-i", "max_turns=2"]);
        let status = project.status("last");
        assert_ne!(status["because"], "approved", "{review}: {status}");
    }
}

/// An empty context was written up all the same, with sources that never were.
#[test]
fn nothing_found_writes_no_report_and_invents_no_source() {
    let project = project("[agents.searcher]\ncommand = ['sh', '-c', 'cat > /dev/null; cat answer.json']\n");
    project.write(
        "answer.json",
        r#"{"facts": [{"statement": "It holds.", "quote": "it holds", "sources": ["https://invented.example/"], "confidence": "High"}], "sources": [{"url": "https://invented.example/", "title": "Invented", "type": "Paper"}]}"#,
    );
    project
        .offline(&["run", "deep-research", "Quantum chromodynamics?", "--docs", "docs", "--unattended"])
        .exits(1)
        .says(&["nothing found"]);
    assert!(!run_file(&project, "report.md").exists());
    let gaps = std::fs::read_to_string(run_file(&project, "gaps.md")).expect("what is missing is told");
    assert!(gaps.contains("Quantum chromodynamics") && !gaps.contains("invented.example"), "{gaps}");
}

/// A synthesizer that is a model, over facts that rules have quoted.
fn written_by(model: &FakeProvider) -> Project {
    project(&format!(
        "[agents.'*']\noffline = true\n[agents.synthesizer]\nmodel = 'local/m'\n[providers.local]\nkind = 'openai-compatible'\nbase_url = '{}'\nfree = true\n",
        model.base_url(Format::OpenAi)
    ))
}

/// A limit of tokens cut the list of references off, and the report was shipped with markers that lead nowhere.
#[test]
fn a_report_that_was_cut_off_is_no_report_and_a_marker_without_its_reference_is_found() {
    let cut = r#"{"title": "The bridge", "confidence": "High", "summary": [{"text": "It was opened in 1932.", "facts": ["Fact-001"]}], "sections": [{"#;
    let model = FakeProvider::start([Line::Says(Said::new(cut).counted(100_000, 9).ending(Ended::CutOff))]);
    let project = written_by(&model);
    let done = project.offline(&["run", "deep-research", QUESTION, "--docs", "docs", "--unattended"]);
    done.exits(1).says(&["the model's answer was cut off"]);
    assert!(!run_file(&project, "report.md").exists());
    let dangling = "# The bridge\n\nIt was opened in 1932 [1]. It is 1,149 metres long [7].\n\n## References\n\n1. bridge.md\n";
    project.write("cut.md", dangling);
    project.motet(&["verify", "cut.md", "--sources", "docs"]).exits(1).says(&["1 references are undefined: 7"]);
}

/// A town whose houses are described at length, as many as are asked for from a number on.
fn houses(from: usize, count: usize) -> Vec<String> {
    let house = |number: usize| {
        format!(
            "House {number} of the harbour stands behind the old bridge, is built of red brick, has two floors, a slate roof, a bell tower and a \
             garden that reaches down to the water, and was opened to visitors in {}.",
            1900 + number
        )
    };
    (from..from + count).map(house).collect()
}

/// A prompt that was too long was tried again without its newest findings.
#[test]
fn a_context_that_is_full_keeps_the_newest_findings_and_a_share_of_every_task() {
    let model = FakeProvider::start([Line::Says(Said::new("{}").counted(100_000, 9))]);
    let project = written_by(&model);
    let settings = project.read("motet.toml");
    project.write(
        "motet.toml",
        &format!(
            "{settings}[agents.planner]\ncommand = ['sh', '-c', 'cat > /dev/null; cat plan.json']\n\
             [agents.searcher]\ncommand = ['sh', '-c', 'if grep -q \"The newer houses\"; then cat new.json; else cat old.json; fi']\n"
        ),
    );
    let (old, new) = (houses(1, 30), houses(31, 5));
    let told = |file: &str, houses: &[String]| {
        project.write(&format!("docs/{file}.md"), &format!("# Houses\n\n{}\n", houses.join("\n\n")));
        let path = std::fs::canonicalize(project.root.join(format!("docs/{file}.md"))).expect("the document");
        let fact = |house: &String| serde_json::json!({"statement": house, "quote": house, "sources": [format!("file://{}", path.display())], "confidence": "Medium", "dimension": "houses"});
        let facts: Vec<serde_json::Value> = houses.iter().map(fact).collect();
        project.write(&format!("{file}.json"), &serde_json::json!({"facts": facts, "sources": [], "summary": "Looked up."}).to_string());
    };
    told("old", &old);
    told("new", &new);
    let task = |id: &str, title: &str, needs: &[&str]| serde_json::json!({"id": id, "type": "Search", "title": title, "depends_on": needs, "criticality": "optional", "dimension": "houses", "parameters": {"queries": ["houses of the harbour"]}});
    let plan = serde_json::json!({"core_question": "Which houses are there?", "dimensions": [{"name": "houses"}], "estimated_iterations": 2,
        "tasks": [task("E1", "The houses", &[]), task("E2", "The newer houses", &["E1"])]});
    project.write("plan.json", &plan.to_string());
    project.offline(&["run", "deep-research", "Which houses are there?", "--docs", "docs", "--unattended", "-i", "context_tokens=6000"]);
    let events: Vec<serde_json::Value> = project.motet(&["log", "last", "--events"]).exits(0).json();
    let left_out = |event: &serde_json::Value| event["fact"]["task_succeeded"]["result"]["left_out"].as_array().map(Vec::len);
    assert!(events.iter().filter_map(left_out).next_back().is_some_and(|count| count > 20), "the context was not full");
    let chats = model.chats();
    let prompt = chats[0].body.to_string();
    let shown = |houses: &[String]| houses.iter().filter(|house| prompt.contains(house.as_str())).count();
    assert!(shown(&new) >= 3 && shown(&old) >= 3, "{} new and {} old ones are shown: {prompt}", shown(&new), shown(&old));
}

/// The overflow of one model was looked for in the words of another.
#[tokio::test]
async fn an_overflow_is_known_by_the_words_of_whoever_was_asked() {
    let kinds = [
        (ProviderKind::Ollama, Format::Ollama),
        (ProviderKind::OpenAi, Format::OpenAi),
        (ProviderKind::Anthropic, Format::Anthropic),
        (ProviderKind::Gemini, Format::Gemini),
    ];
    for (kind, format) in kinds {
        let server = FakeProvider::start([Line::Fails(Fault::TooLong)]);
        let provider =
            Provider::at(kind, &server.base_url(format)).expect("an address").with_key(motet_agents::Secret::new("sk-0123456789"), "KEY");
        let agent = ModelAgent::new(provider, ModelSettings::new("gemma2:2b")).expect("it can be asked");
        let call = serde_json::from_value(serde_json::json!({
            "run": "r", "task": "t", "attempt": 1, "key": "k", "agent": "a", "role": "a", "work": "prompt", "input": {},
            "timeout_ms": 60_000, "class": "pure", "model": {}, "reserved": 0
        }));
        let request = Request { prompt: Some("Write.".into()), ..Request::new(call.expect("a call")) };
        let Outcome::Failed { failure, .. } = agent.perform(request, &Context::new().0).await else { panic!("{kind} should refuse") };
        assert!(failure.kind == FailureKind::Configuration && failure.message.contains("too long"), "{kind}: {failure:?}");
    }
}

/// A second ranking was begun and not waited for, so it changed nothing.
#[tokio::test]
async fn what_is_ranked_is_ranked_before_it_is_shown() {
    let (home, documents) = (Scratch::new(), Scratch::new());
    // Whoever counts words over a whole document prefers this one, and no sentence of it answers.
    let song = "The harbour sings of the harbour.\n\nA bridge is a bridge.\n\nIt was opened, opened, opened.\n\n".repeat(6);
    documents.write("song.md", song);
    let weather = "The weather was fine on that day, and the ships lay still at the quay until the evening came.\n\n".repeat(6);
    documents.write("chronicle.md", format!("{weather}The harbour bridge was opened in 1932 after eight years of work.\n\n{weather}"));
    let settings = Settings { documents: vec![documents.path().to_path_buf()], offline: true, ..Settings::new(home.path()) };
    let library = Library::open(settings).await.expect("a library");
    let found = library.search(&Query::new(QUESTION), Scope::Everything).await;
    assert!(found.hits[0].url.ends_with("song.md"), "nothing is left to rank: {:?}", found.hits);
    let wanted = Wanted { search: vec![QUESTION.into()], at_most: 3, ..Wanted::default() };
    let gathered = gather(&library, &wanted).await;
    assert!(gathered.quotes[0].text.contains("opened in 1932"), "{:?}", gathered.quotes);
}

/// Retrievers handed on a title, an address and a text, and one of them not even the title.
#[tokio::test]
async fn a_hit_keeps_its_title_date_author_and_doi_on_the_way_to_a_model() {
    let (home, server) = (Scratch::new(), Server::start(services(Mood::Well)).await);
    let at = |path: &str| Service::at(server.url(path));
    let services = Services::of([("searxng", at("/searxng")), ("crossref", at("/crossref"))]);
    let library = Library::open(Settings { services, ..Settings::new(home.path()) }).await.expect("a library");
    let findings = library.search(&Query::new("copper"), Scope::Everything).await;
    let page = findings.hits.iter().find(|hit| hit.source == "searxng").expect("a page");
    assert_eq!(
        (page.title.as_str(), page.published.as_deref(), page.authors[0].as_str()),
        ("Copper prices", Some("2024-05-17"), "Ada Lovelace")
    );
    let paper = findings.hits.iter().find(|hit| hit.source == "crossref").expect("a paper");
    assert_eq!((paper.doi.as_deref(), paper.published.as_deref(), paper.authors.len()), (Some("10.1234/cu.5"), Some("2024-05"), 2));
    let told = library.call("search", serde_json::json!({"query": "copper"}), "seed").await.text;
    for part in ["Copper prices", "2024-05-17", "by Ada Lovelace", "10.1234/cu.5"] {
        assert!(told.contains(part), "{part:?} is missing: {told}");
    }
}
