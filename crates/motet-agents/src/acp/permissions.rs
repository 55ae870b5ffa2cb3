//! What is answered when the agent asks for permission: by policy, by what a person has already decided, or not at all yet.
//! It sends nothing: it says which option to choose, or which question to put to people.

use agent_client_protocol::v1::schema::{PermissionOption, PermissionOptionId, PermissionOptionKind as Kind, RequestPermissionRequest};
use motet_core::effect::Answered;
use motet_core::event::Question;

use crate::permission::Permissions;

/// How much of a tool's input people are shown.
const SHOWN_CHARACTERS: usize = 2000;

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
    policy: Permissions,
    answers: &[Answered],
    is_used: impl Fn(usize) -> bool,
) -> Decision {
    let choose = |kinds: [Kind; 2]| {
        let option = kinds.iter().find_map(|kind| request.options.iter().find(|option| option.kind == *kind));
        option.map_or(Decision::Cancel, |option| Decision::Choose(option.option_id.clone()))
    };
    match policy {
        // Once is enough: the next time, the policy is asked again.
        Permissions::Allow => choose([Kind::AllowOnce, Kind::AllowAlways]),
        Permissions::Reject => choose([Kind::RejectOnce, Kind::RejectAlways]),
        Permissions::Ask => {
            let question = question(request, title);
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
fn question(request: &RequestPermissionRequest, title: Option<&str>) -> Question {
    let fields = &request.tool_call.fields;
    let title = fields.title.as_deref().or(title).unwrap_or("do something it does not name");
    let mut text = format!("May it do this? {title}");
    for location in fields.locations.iter().flatten() {
        text.push_str(&format!("\n{}", location.path.display()));
    }
    if let Some(input) = &fields.raw_input {
        let shown: String = format!("{input:#}").chars().take(SHOWN_CHARACTERS).collect();
        text.push_str(&format!("\n{shown}"));
    }
    let rejection = request.options.iter().find(|option| matches!(option.kind, Kind::RejectOnce | Kind::RejectAlways));
    Question {
        question: text,
        options: request.options.iter().map(|option| option.name.clone()).collect(),
        default: rejection.map(|option| option.name.clone()),
        is_task: false,
    }
}

/// The option that a person meant: by its name, its id, or a plain yes or no.
fn chosen<'a>(options: &'a [PermissionOption], answer: &str) -> Option<&'a PermissionOption> {
    let answer = answer.trim();
    let named = options.iter().find(|option| option.name.trim().eq_ignore_ascii_case(answer) || &*option.option_id.0 == answer);
    let plain = || {
        let kinds = match answer.to_lowercase().trim_end_matches(['.', '!']) {
            "yes" | "y" | "allow" | "ok" | "approve" | "approved" => [Kind::AllowOnce, Kind::AllowAlways],
            "no" | "n" | "reject" | "deny" | "denied" => [Kind::RejectOnce, Kind::RejectAlways],
            _ => return None,
        };
        kinds.iter().find_map(|kind| options.iter().find(|option| option.kind == *kind))
    };
    named.or_else(plain)
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
        match decide(&request(), None, Permissions::Ask, &[], |_| false) {
            Decision::Ask(question) => question,
            other => panic!("it should ask: {other:?}"),
        }
    }

    /// What is decided when people have given these answers, of which those in `used` are used up.
    fn check(policy: Permissions, answers: &[&str], used: &[usize], expected: Decision) {
        let answers: Vec<Answered> =
            answers.iter().map(|answer| Answered { question: asked(), answer: answer.to_string(), by: "ann".into() }).collect();
        assert_eq!(decide(&request(), None, policy, &answers, |place| used.contains(&place)), expected);
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
        assert_eq!(decide(&bare, None, Permissions::Allow, &[], |_| false), Decision::Cancel);
    }

    #[test]
    fn a_question_shows_what_is_about_to_happen() {
        let question = asked();
        assert!(question.question.starts_with("May it do this? Remove target/\n") && question.question.contains("rm -r target"));
        assert_eq!((question.options.len(), question.default.as_deref()), (3, Some("No")));
    }

    #[test]
    fn what_a_person_decided_holds() {
        check(Permissions::Ask, &["Yes, once"], &[], answered("once", 0, true));
        check(Permissions::Ask, &["always"], &[], answered("always", 0, false));
        check(Permissions::Ask, &["yes"], &[], answered("once", 0, true));
        check(Permissions::Ask, &["no."], &[], answered("never", 0, true));
    }

    #[test]
    fn a_decision_that_held_once_is_asked_for_again() {
        check(Permissions::Ask, &["Yes, once"], &[0], Decision::Ask(asked()));
        check(Permissions::Ask, &["Yes, once", "No"], &[0], answered("never", 1, true));
    }

    #[test]
    fn words_that_choose_nothing_are_a_no() {
        check(Permissions::Ask, &["only after a backup"], &[], Decision::Choose(PermissionOptionId::new("never")));
    }
}
