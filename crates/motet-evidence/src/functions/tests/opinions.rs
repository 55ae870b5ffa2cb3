//! What a model thinks of a sentence, as a workflow brings it back.

use serde_json::{Value, json};

use super::{facts, sources, verify};

const PARAPHRASE: &str = "From end to end the bridge measures 1250 metres.";

fn verified(sentences: Value, opinions: Value) -> Value {
    verified_by(json!("local/m"), sentences, opinions)
}

fn verified_by(judge: Value, sentences: Value, opinions: Value) -> Value {
    let report = json!({ "title": "Bridge", "sections": [{ "heading": "It", "paragraphs": [sentences] }] });
    verify(&json!({ "report": report, "facts": facts(), "sources": sources(), "opinions": opinions, "judge": judge }), None)
        .expect("a verification")
}

fn sentence(text: &str) -> Value {
    json!({ "text": text, "facts": ["F1"] })
}

fn opinion(text: &str, answer: &str, quote: &str) -> Value {
    json!({ "sentence": text, "facts": ["F1"], "quote": quote, "reason": "So it is.", "answer": answer })
}

#[test]
fn where_nobody_is_asked_no_question_is_made() {
    let found = verified_by(Value::Null, json!([sentence(PARAPHRASE)]), json!([opinion(PARAPHRASE, "not_said", "")]));
    assert_eq!((&found["unsure"], &found["outcome"]), (&json!([]), &json!("sound")), "{found}");
}

#[test]
fn what_the_words_alone_decide_is_asked_once() {
    let sentences = json!([sentence(PARAPHRASE), sentence("The bridge is 1250 metres long."), sentence("The bridge is 9 metres long.")]);
    let found = verified(sentences.clone(), json!([]));
    assert_eq!(found["unsure"].as_array().map(Vec::len), Some(1), "{found}");
    assert_eq!((&found["unsure"][0]["sentence"], &found["unsure"][0]["facts"]), (&json!(PARAPHRASE), &json!(["F1"])));
    let question = found["unsure"][0]["question"].as_str().unwrap_or_default();
    assert!(question.contains(PARAPHRASE) && question.contains("> The bridge is 1250 metres long"), "{question}");
    let found = verified(sentences, json!([opinion(PARAPHRASE, "supported", "The bridge is 1250 metres long")]));
    assert_eq!(found["unsure"], json!([]));
    assert_eq!(found["verdicts"][0]["opinion"]["answer"], "supported");
    assert_eq!(found["unsound"].as_array().map(Vec::len), Some(1), "a good word for one sentence is none for another: {found}");
}

#[test]
fn a_sentence_is_judged_as_it_is_printed_without_the_facts_that_bear_no_part_of_it() {
    let idle = json!({ "text": PARAPHRASE, "facts": ["F1", "F2"] });
    let found = verified(json!([idle]), json!([]));
    let printed = found["report"]["sections"][0]["paragraphs"][0].clone();
    assert_eq!((&found["unsure"][0]["facts"], &printed[0]["facts"]), (&json!(["F1"]), &json!(["F1"])), "{found}");
    let opinions = json!([opinion(PARAPHRASE, "not_said", "")]);
    for sentences in [json!([idle]), printed] {
        assert_eq!(verified(sentences, opinions.clone())["unsound"].as_array().map(Vec::len), Some(1));
    }
}

#[test]
fn an_objection_makes_a_sentence_unsound_and_a_good_word_makes_none_sound() {
    let check = |text: &str, answer: &str, quote: &str, why: Option<&str>| {
        let found = verified(json!([sentence(text)]), json!([opinion(text, answer, quote)]));
        assert_eq!(found["unsound"][0]["why"].as_str(), why, "{found}");
    };
    check(PARAPHRASE, "supported", "The bridge is 1250 metres long", None);
    check(PARAPHRASE, "not_said", "", Some("in the opinion of local/m: the source does not say it (So it is.)"));
    check(
        PARAPHRASE,
        "contradicted",
        "The bridge is 1250 metres long",
        Some("in the opinion of local/m: the source contradicts it (So it is.)"),
    );
    check(PARAPHRASE, "contradicted", "The bridge is 9 metres long", None);
    check("The bridge is 9 metres long.", "supported", "The bridge is 1250 metres long", Some("9 is not in F1"));
}
