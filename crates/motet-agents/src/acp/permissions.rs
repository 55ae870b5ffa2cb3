//! What is answered when the agent asks for permission: by policy, by what a person has already decided, or not at all yet.
//! It sends nothing: it says which option to choose, or which question to put to people.

use agent_client_protocol::v1::schema::{PermissionOption, PermissionOptionId, PermissionOptionKind as Kind, RequestPermissionRequest};
use motet_core::effect::Answered;
use motet_core::event::{Question, Unattended};

use crate::permission::{Absence, Permissions};

/// How much of a tool's input people are shown. What is longer is said to be.
const SHOWN_CHARACTERS: usize = 20_000;
/// What people choose from, in this order, whatever the agent calls it.
const WORDS: [(Kind, &str); 4] =
    [(Kind::AllowOnce, "allow_once"), (Kind::AllowAlways, "allow_always"), (Kind::RejectOnce, DENY), (Kind::RejectAlways, "deny_always")];
const DENY: &str = "deny";

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Decision {
    Choose(PermissionOptionId),
    /// A person decided this; `answer` is the place of that decision among the task's answers, if it held only once.
    ChooseAnswered {
        option: PermissionOptionId,
        answer: usize,
        holds_once: bool,
    },
    /// There is no option that the policy could choose.
    Cancel,
    Ask(Question),
}

/// `title` is what the agent called the tool call before; `is_used` tells of answers that held once and have been used.
pub(super) fn decide(
    request: &RequestPermissionRequest,
    title: Option<&str>,
    (policy, absence): (Permissions, Absence),
    answers: &[Answered],
    is_used: impl Fn(usize) -> bool,
) -> Decision {
    if request.options.is_empty() {
        return Decision::Cancel;
    }
    let choose = |kinds: [Kind; 2]| {
        let option = kinds.iter().find_map(|kind| request.options.iter().find(|option| option.kind == *kind));
        option.map_or(Decision::Cancel, |option| Decision::Choose(option.option_id.clone()))
    };
    match policy {
        // Once is enough: the next time, the policy is asked again.
        Permissions::Allow => choose([Kind::AllowOnce, Kind::AllowAlways]),
        Permissions::Reject => choose([Kind::RejectOnce, Kind::RejectAlways]),
        Permissions::Ask => {
            let question = question(request, title, absence);
            let mut decided = answers
                .iter()
                .enumerate()
                .rev()
                .filter(|(place, answered)| answered.question.question == question.question && !is_used(*place));
            match decided.next() {
                Some((answer, answered)) => match chosen(&request.options, &answered.answer) {
                    Some(option) => {
                        let holds_once = matches!(option.kind, Kind::AllowOnce | Kind::RejectOnce);
                        Decision::ChooseAnswered { option: option.option_id.clone(), answer, holds_once }
                    }
                    // An answer in words is told to the agent; here it is a no.
                    None => choose([Kind::RejectOnce, Kind::RejectAlways]),
                },
                None => Decision::Ask(question),
            }
        }
    }
}

/// What people are asked. The same request makes the same question, so that an answer finds it again.
fn question(request: &RequestPermissionRequest, title: Option<&str>, absence: Absence) -> Question {
    let fields = &request.tool_call.fields;
    let title = fields.title.as_deref().or(title).unwrap_or("do something it does not name");
    let mut text = title.to_string();
    for location in fields.locations.iter().flatten() {
        text.push_str(&format!("\n{}", location.path.display()));
    }
    if let Some(input) = &fields.raw_input {
        let input = format!("{input:#}");
        let shown: String = input.chars().take(SHOWN_CHARACTERS).collect();
        let hidden = input.chars().count() - shown.chars().count();
        text.push_str(&format!("\n{shown}"));
        if hidden > 0 {
            text.push_str(&format!("\n… and {hidden} more characters, which are not shown"));
        }
    }
    let options: Vec<String> = offered(&request.options).map(|(_, word)| word.to_string()).collect();
    let granted = options.iter().find(|word| word.starts_with("allow")).cloned();
    let denied = options.iter().find(|word| word.starts_with(DENY)).cloned().unwrap_or_else(|| DENY.into());
    let (default, unattended) = match absence {
        Absence::Reject => (Some(denied), Unattended::Default),
        Absence::Allow => (granted.or(Some(denied)), Unattended::Default),
        Absence::Wait => (Some(denied), Unattended::Wait),
        Absence::Fail => (None, Unattended::Fail),
    };
    Question { question: text, options, default, is_permission: true, unattended: Some(unattended), ..Question::default() }
}

/// The kinds of answers that the agent takes.
fn offered(options: &[PermissionOption]) -> impl Iterator<Item = (Kind, &'static str)> {
    WORDS.into_iter().filter(|(kind, _)| options.iter().any(|option| option.kind == *kind))
}

/// The option that a person chose. What they said besides stands after a colon.
fn chosen<'a>(options: &'a [PermissionOption], answer: &str) -> Option<&'a PermissionOption> {
    let word = answer.split(':').next().unwrap_or_default().trim();
    let (kind, _) = offered(options).find(|(_, known)| *known == word)?;
    options.iter().find(|option| option.kind == kind)
}

#[cfg(test)]
mod tests {
    use agent_client_protocol::v1::schema::{ToolCallUpdate, ToolCallUpdateFields};
    use serde_json::json;

    use super::*;

    fn request() -> RequestPermissionRequest {
        let fields = ToolCallUpdateFields::new().title("Remove target/".to_string()).raw_input(json!({"command": "rm -r target"}));
        let option = |id: &'static str, name: &str, kind| PermissionOption::new(id, name, kind);
        let options = vec![
            option("always", "Always", Kind::AllowAlways),
            option("once", "Yes, once", Kind::AllowOnce),
            option("never", "No", Kind::RejectOnce),
        ];
        RequestPermissionRequest::new("s", ToolCallUpdate::new("t", fields), options)
    }

    fn asked() -> Question {
        match decide(&request(), None, (Permissions::Ask, Absence::Reject), &[], |_| false) {
            Decision::Ask(question) => question,
            other => panic!("it should ask: {other:?}"),
        }
    }

    /// What is decided when people have given these answers, of which those in `used` are used up.
    fn check(policy: Permissions, answers: &[&str], used: &[usize], expected: Decision) {
        let answers: Vec<Answered> =
            answers.iter().map(|answer| Answered { question: asked(), answer: answer.to_string(), by: "ann".into() }).collect();
        assert_eq!(decide(&request(), None, (policy, Absence::Reject), &answers, |place| used.contains(&place)), expected);
    }

    fn answered(option: &'static str, answer: usize, holds_once: bool) -> Decision {
        Decision::ChooseAnswered { option: PermissionOptionId::new(option), answer, holds_once }
    }

    #[test]
    fn a_policy_chooses_the_narrowest_option() {
        check(Permissions::Allow, &[], &[], Decision::Choose(PermissionOptionId::new("once")));
        check(Permissions::Reject, &[], &[], Decision::Choose(PermissionOptionId::new("never")));
        let mut bare = request();
        bare.options.clear();
        assert_eq!(decide(&bare, None, (Permissions::Allow, Absence::Reject), &[], |_| false), Decision::Cancel);
    }

    #[test]
    fn a_question_shows_what_is_about_to_happen() {
        let question = asked();
        assert!(question.question.starts_with("Remove target/\n") && question.question.contains("rm -r target"));
        assert_eq!(question.options, ["allow_once", "allow_always", "deny"], "in the same words and order for every agent");
        assert!(question.is_permission && !question.is_task);
    }

    #[test]
    fn what_a_person_decided_holds() {
        check(Permissions::Ask, &["allow_once"], &[], answered("once", 0, true));
        check(Permissions::Ask, &["allow_always"], &[], answered("always", 0, false));
        check(Permissions::Ask, &["deny: not today"], &[], answered("never", 0, true));
    }

    #[test]
    fn a_decision_that_held_once_is_asked_for_again() {
        check(Permissions::Ask, &["allow_once"], &[0], Decision::Ask(asked()));
        check(Permissions::Ask, &["allow_once", "deny"], &[0], answered("never", 1, true));
    }

    #[test]
    fn what_holds_where_nobody_is_there_is_the_users_to_say() {
        for (absence, default, unattended) in [
            (Absence::Reject, Some("deny"), Unattended::Default),
            (Absence::Allow, Some("allow_once"), Unattended::Default),
            (Absence::Wait, Some("deny"), Unattended::Wait),
            (Absence::Fail, None, Unattended::Fail),
        ] {
            let Decision::Ask(question) = decide(&request(), None, (Permissions::Ask, absence), &[], |_| false) else {
                panic!("it should ask")
            };
            assert_eq!((question.default.as_deref(), question.unattended), (default, Some(unattended)));
        }
    }

    #[test]
    fn words_that_choose_nothing_are_a_no() {
        check(Permissions::Ask, &["only after a backup"], &[], Decision::Choose(PermissionOptionId::new("never")));
    }
}
