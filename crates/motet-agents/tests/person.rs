//! A person who plays an agent.

use motet_agents::person::PersonAgent;
use motet_agents::{Agent, Outcome};
use motet_core::effect::Answered;
use motet_core::event::Question;
use serde_json::{Value, json};

use crate::{listening, prompted, returned};

async fn check(schema: Option<Value>, correction: Option<&str>, answers: Vec<Answered>) -> Outcome {
    let (context, _stop, _heard) = listening();
    let mut request = prompted("Write.");
    request.schema = schema;
    request.call.correction = correction.map(String::from);
    request.call.answers = answers;
    PersonAgent::default().perform(request, &context).await
}

fn asked(outcome: Outcome) -> Question {
    match outcome {
        Outcome::Asked { question, .. } => question,
        other => panic!("not a question: {other:?}"),
    }
}

fn answered(question: &str, answer: &str, is_task: bool) -> Answered {
    let question = Question { question: question.into(), options: vec![], default: None, is_task, ..Question::default() };
    Answered { question, answer: answer.into(), by: "ada".into(), asked_in: 1 }
}

#[tokio::test]
async fn the_task_is_put_to_people_with_the_shape_of_the_answer() {
    let question = asked(check(None, None, vec![]).await);
    assert_eq!((question.question.as_str(), question.is_task), ("Write.", true));
    let shape = json!({"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "number"}}});
    let question = asked(check(Some(shape), None, vec![]).await).question;
    assert!(question.starts_with("Write.\n\nAnswer with JSON of this shape:\n{"), "{question}");
    let sole = json!({"type": "object", "properties": {"slogan": {"type": "string"}}});
    assert_eq!(asked(check(Some(sole), None, vec![]).await).question, "Write.", "a text can stand for one field");
}

#[tokio::test]
async fn why_the_last_answer_was_no_good_is_told() {
    let question = asked(check(None, Some("too short"), vec![]).await).question;
    assert!(question.contains("could not be used: too short"), "{question}");
}

#[tokio::test]
async fn the_answer_is_the_result_but_an_answer_to_another_question_is_not() {
    assert_eq!(returned(check(None, None, vec![answered("Write.", "Tea time.", true)]).await), json!("Tea time."));
    assert!(asked(check(None, None, vec![answered("Tabs?", "no", false)]).await).is_task);
}
