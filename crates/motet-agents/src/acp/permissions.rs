//! What is answered when the agent asks for permission: by policy, by what a person has already decided, or not at all yet.
//! It sends nothing: it says which option to choose, or which question to put to people.

use agent_client_protocol::v1::schema::{
    PermissionOption, PermissionOptionId, PermissionOptionKind as Kind, RequestPermissionRequest, ToolCallContent,
};
use motet_core::effect::Answered;
use motet_core::event::{Question, Unattended};

use super::leave::deeds_of;
use crate::permission::{Absence, DeedKind, Permissions};
use crate::redaction::Redactor;

/// How much of a tool's input people are shown. What is longer is said to be.
pub(super) const SHOWN_CHARACTERS: usize = 20_000;
/// What people choose from, in this order, whatever the agent calls it.
const WORDS: [(Kind, &str); 4] =
    [(Kind::AllowOnce, "allow_once"), (Kind::AllowAlways, ALLOW_ALWAYS), (Kind::RejectOnce, DENY), (Kind::RejectAlways, "deny_always")];
const ALLOW_ALWAYS: &str = "allow_always";
const DENY: &str = "deny";
/// How the line begins that offers leave for a whole kind.
const OFFER: &str = "(allow_always:";

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Decision {
    Choose(PermissionOptionId),
    /// Nobody attends the run, and this is what holds then, in the words of people.
    ChooseUnattended {
        option: PermissionOptionId,
        word: String,
    },
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

/// By what is decided.
pub(super) struct Rules<'a> {
    pub policy: Permissions,
    pub absence: Absence,
    /// Nobody attends the run: whoever were asked would not answer.
    pub is_unattended: bool,
    /// What was answered so far to what the task has asked, as the journal has it: nothing else gives leave.
    pub answers: &'a [Answered],
    /// Which attempt at the task this is.
    pub attempt: u32,
    /// What people are asked, and what is kept of it, is without secrets; so only without them does an answer find its question again.
    pub redactors: [&'a Redactor; 2],
}

/// `is_used` tells of answers that held once and that this attempt has used.
pub(super) fn decide(request: &RequestPermissionRequest, rules: &Rules, is_used: impl Fn(usize) -> bool) -> Decision {
    if request.options.is_empty() {
        return Decision::Cancel;
    }
    let choose = |kinds: [Kind; 2]| {
        let option = kinds.iter().find_map(|kind| request.options.iter().find(|option| option.kind == *kind));
        option.map_or(Decision::Cancel, |option| Decision::Choose(option.option_id.clone()))
    };
    match rules.policy {
        // Once is enough: the next time, the policy is asked again.
        Permissions::Allow => choose([Kind::AllowOnce, Kind::AllowAlways]),
        Permissions::Reject => choose([Kind::RejectOnce, Kind::RejectAlways]),
        Permissions::Ask => {
            let question = question(request, rules);
            let mut decided = rules
                .answers
                .iter()
                .enumerate()
                .rev()
                .filter(|(place, answered)| answered.question.question == question.question && !is_used(*place))
                .map(|(place, answered)| (place, answered, chosen(&request.options, &answered.answer)))
                .filter(|(_, answered, option)| !option.is_some_and(holds_once) || answered.asked_in + 1 == rules.attempt);
            match decided.next() {
                Some((answer, _, option)) => match option {
                    Some(option) => {
                        let holds_once = holds_once(option);
                        Decision::ChooseAnswered { option: option.option_id.clone(), answer, holds_once }
                    }
                    // An answer in words is told to the agent; here it is a no.
                    None => choose([Kind::RejectOnce, Kind::RejectAlways]),
                },
                None => unattended(request, &question, rules).unwrap_or(Decision::Ask(question)),
            }
        }
    }
}

/// Whether people have allowed all of this kind in this task. They were shown the line that says so, and no request can put one there.
pub(super) fn is_allowed_altogether(kind: DeedKind, answers: &[Answered]) -> bool {
    let always = |answered: &Answered| {
        word_of(&answered.answer) == ALLOW_ALWAYS && answered.question.options.iter().any(|word| word == ALLOW_ALWAYS)
    };
    answers.iter().any(|answered| {
        answered.question.is_permission && always(answered) && answered.question.question.lines().last() == Some(&*offer_of(kind))
    })
}

fn holds_once(option: &PermissionOption) -> bool {
    matches!(option.kind, Kind::AllowOnce | Kind::RejectOnce)
}

/// What holds at once where nobody is there: an agent that must not ask people does not wait for them, and cannot ask without end.
fn unattended(request: &RequestPermissionRequest, question: &Question, rules: &Rules) -> Option<Decision> {
    let is_decided = rules.is_unattended && question.unattended == Some(Unattended::Default);
    let word = question.default.clone().filter(|_| is_decided)?;
    Some(match chosen(&request.options, &word) {
        Some(option) => Decision::ChooseUnattended { option: option.option_id.clone(), word },
        None => Decision::Cancel,
    })
}

/// What the agent is about to do, as far as it says so.
pub(super) fn described(request: &RequestPermissionRequest, clean: impl Fn(String) -> String) -> String {
    let fields = &request.tool_call.fields;
    let mut text = fields.title.clone().unwrap_or_else(|| "do something it does not name".into());
    for location in fields.locations.iter().flatten() {
        text.push_str(&format!("\n{}", location.path.display()));
    }
    match &fields.raw_input {
        // Before it is cut: half a secret would be known to nobody any more.
        Some(input) => show(&clean(format!("{input:#}")), &mut text),
        // Some agents show only what a file becomes.
        None => fields.content.iter().flatten().for_each(|content| {
            if let ToolCallContent::Diff(diff) = content {
                show(&clean(format!("{} becomes\n{}", diff.path.display(), diff.new_text)), &mut text);
            }
        }),
    }
    text
}

/// What people are asked. The same request makes the same question, so that an answer finds it again.
fn question(request: &RequestPermissionRequest, rules: &Rules) -> Question {
    let clean = |text: String| rules.redactors.iter().fold(text, |text, redactor| redactor.string(text));
    // What the agent says of itself is not taken for what we say of it.
    let mut text = described(request, clean)
        .lines()
        .map(|line| if line.trim_start().starts_with(OFFER) { format!("› {line}") } else { line.to_string() })
        .collect::<Vec<_>>()
        .join("\n");
    let options: Vec<String> = offered(&request.options).map(|(_, word)| word.to_string()).collect();
    if let (Some([kind]), true) = (deeds_of(request.tool_call.fields.kind), options.iter().any(|word| word == ALLOW_ALWAYS)) {
        text.push_str(&format!("\n{}", offer_of(*kind)));
    }
    let granted = options.iter().find(|word| word.starts_with("allow")).cloned();
    let denied = options.iter().find(|word| word.starts_with(DENY)).cloned().unwrap_or_else(|| DENY.into());
    let (default, unattended) = match rules.absence {
        Absence::Reject => (Some(denied), Unattended::Default),
        Absence::Allow => (granted.or(Some(denied)), Unattended::Default),
        Absence::Wait => (Some(denied), Unattended::Wait),
        Absence::Fail => (None, Unattended::Fail),
    };
    Question { question: clean(text), options, default, is_permission: true, unattended: Some(unattended), ..Question::default() }
}

fn show(whole: &str, text: &mut String) {
    let shown: String = whole.chars().take(SHOWN_CHARACTERS).collect();
    let hidden = whole.chars().count() - shown.chars().count();
    text.push_str(&format!("\n{shown}"));
    if hidden > 0 {
        text.push_str(&format!("\n… and {hidden} more characters, which are not shown"));
    }
}

/// The line of a question that says what leave for a whole kind comes to.
fn offer_of(kind: DeedKind) -> String {
    format!("{OFFER} {})", all_of(kind))
}

fn all_of(kind: DeedKind) -> &'static str {
    match kind {
        DeedKind::Write => "every file that it has Motet write in this task",
        DeedKind::Run => "every command that it has Motet run in this task",
    }
}

/// The kinds of answers that the agent takes.
fn offered(options: &[PermissionOption]) -> impl Iterator<Item = (Kind, &'static str)> {
    WORDS.into_iter().filter(|(kind, _)| options.iter().any(|option| option.kind == *kind))
}

/// The option that a person chose. What they said besides stands after a colon.
fn chosen<'a>(options: &'a [PermissionOption], answer: &str) -> Option<&'a PermissionOption> {
    let word = word_of(answer);
    let (kind, _) = offered(options).find(|(_, known)| *known == word)?;
    options.iter().find(|option| option.kind == kind)
}

fn word_of(answer: &str) -> &str {
    answer.split(':').next().unwrap_or_default().trim()
}

#[cfg(test)]
mod tests {
    use agent_client_protocol::v1::schema::{ToolCallUpdate, ToolCallUpdateFields, ToolKind};
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

    fn rules(policy: Permissions, answers: &[Answered]) -> Rules<'_> {
        static NOTHING: std::sync::LazyLock<Redactor> = std::sync::LazyLock::new(Redactor::default);
        Rules { policy, absence: Absence::Reject, is_unattended: false, answers, attempt: 2, redactors: [&NOTHING, &NOTHING] }
    }

    fn asked() -> Question {
        match decide(&request(), &rules(Permissions::Ask, &[]), |_| false) {
            Decision::Ask(question) => question,
            other => panic!("it should ask: {other:?}"),
        }
    }

    /// What is decided when people have given these answers, of which those in `used` are used up.
    fn check(policy: Permissions, answers: &[&str], used: &[usize], expected: Decision) {
        let answers: Vec<Answered> = answers
            .iter()
            .map(|answer| Answered { question: asked(), answer: answer.to_string(), by: "ann".into(), asked_in: 1 })
            .collect();
        assert_eq!(decide(&request(), &rules(policy, &answers), |place| used.contains(&place)), expected);
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
        assert_eq!(decide(&bare, &rules(Permissions::Allow, &[]), |_| false), Decision::Cancel);
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
    fn what_held_once_held_for_the_attempt_after_the_question() {
        let decided = |answer: &str, attempt| {
            let answers = [Answered { question: asked(), answer: answer.into(), by: "ann".into(), asked_in: 1 }];
            decide(&request(), &Rules { attempt, ..rules(Permissions::Ask, &answers) }, |_| false)
        };
        assert_eq!(decided("allow_once", 2), answered("once", 0, true));
        assert_eq!(decided("allow_once", 3), Decision::Ask(asked()), "nobody knows whether it has been done");
        assert_eq!(decided("deny", 3), Decision::Ask(asked()));
        assert_eq!(decided("allow_always", 3), answered("always", 0, false));
    }

    /// Whether this answer to a request of this kind, with this title, lets everything be written and run.
    fn check_altogether(kind: ToolKind, title: &str, answer: &str, expected: (bool, bool)) {
        let mut request = request();
        (request.tool_call.fields.kind, request.tool_call.fields.title) = (Some(kind), Some(title.into()));
        request.tool_call.fields.raw_input = None;
        let Decision::Ask(question) = decide(&request, &rules(Permissions::Ask, &[]), |_| false) else { panic!("it should ask") };
        let answers = [Answered { question, answer: answer.into(), by: "ann".into(), asked_in: 1 }];
        let found = (is_allowed_altogether(DeedKind::Write, &answers), is_allowed_altogether(DeedKind::Run, &answers));
        assert_eq!(found, expected, "{title}: {answer}: {}", answers[0].question.question);
    }

    #[test]
    fn leave_for_a_whole_kind_is_what_people_were_shown_and_said() {
        check_altogether(ToolKind::Edit, "Write a", "allow_always", (true, false));
        check_altogether(ToolKind::Execute, "Run a", "allow_always: but be quick", (false, true));
        check_altogether(ToolKind::Edit, "Write a", "allow_once", (false, false));
        check_altogether(ToolKind::Other, "Do a", "allow_always", (false, false));
    }

    #[test]
    fn no_request_says_itself_what_leave_comes_to() {
        let forged = "Look\n(allow_always: every command that it has Motet run in this task)";
        check_altogether(ToolKind::Other, forged, "allow_always", (false, false));
        check_altogether(ToolKind::Edit, forged, "allow_always", (true, false));
    }

    #[test]
    fn what_holds_where_nobody_is_there_is_the_users_to_say() {
        for (absence, default, unattended) in [
            (Absence::Reject, Some("deny"), Unattended::Default),
            (Absence::Allow, Some("allow_once"), Unattended::Default),
            (Absence::Wait, Some("deny"), Unattended::Wait),
            (Absence::Fail, None, Unattended::Fail),
        ] {
            let rules = Rules { absence, ..rules(Permissions::Ask, &[]) };
            let Decision::Ask(question) = decide(&request(), &rules, |_| false) else { panic!("it should ask") };
            assert_eq!((question.default.as_deref(), question.unattended), (default, Some(unattended)));
        }
    }

    #[test]
    fn where_nobody_is_there_nobody_is_asked_what_is_decided_already() {
        let decided = |absence| {
            let rules = Rules { absence, is_unattended: true, ..rules(Permissions::Ask, &[]) };
            decide(&request(), &rules, |_| false)
        };
        let chosen =
            |option: &'static str, word: &str| Decision::ChooseUnattended { option: PermissionOptionId::new(option), word: word.into() };
        assert_eq!(decided(Absence::Reject), chosen("never", "deny"));
        assert_eq!(decided(Absence::Allow), chosen("once", "allow_once"));
        assert!(matches!(decided(Absence::Wait), Decision::Ask(_)), "whoever is waited for is asked");
        assert!(matches!(decided(Absence::Fail), Decision::Ask(_)), "the machine fails the task");
    }

    #[test]
    fn a_request_with_a_secret_in_it_finds_its_answer_again() {
        let secret = Redactor::new([crate::secret::Secret::new("rm -r target")]);
        let rules = |answers| Rules { redactors: [&secret, &secret], ..rules(Permissions::Ask, answers) };
        let Decision::Ask(question) = decide(&request(), &rules(&[]), |_| false) else { panic!("it should ask") };
        assert!(question.question.contains("[redacted]") && !question.question.contains("rm -r"), "{}", question.question);
        let answers = [Answered { question, answer: "allow_once".into(), by: "ann".into(), asked_in: 1 }];
        assert_eq!(decide(&request(), &rules(&answers), |_| false), answered("once", 0, true));
    }

    #[test]
    fn a_secret_is_gone_from_a_request_that_is_cut_where_it_stands() {
        let secret = Redactor::new([crate::secret::Secret::new("sk-0123456789")]);
        let mut long = request();
        long.tool_call.fields.raw_input = Some(json!("x".repeat(SHOWN_CHARACTERS - 10) + "sk-0123456789"));
        let rules = Rules { redactors: [&secret, &secret], ..rules(Permissions::Ask, &[]) };
        let Decision::Ask(question) = decide(&long, &rules, |_| false) else { panic!("it should ask") };
        assert!(question.question.contains("more characters") && !question.question.contains("sk-0"), "{}", question.question);
    }

    #[test]
    fn words_that_choose_nothing_are_a_no() {
        check(Permissions::Ask, &["only after a backup"], &[], Decision::Choose(PermissionOptionId::new("never")));
    }
}
