//! Questions that documents answer, in part or not at all, with no model: a gap is told as one, and never passed off as an answer.

use super::project::Project;

const BELL: &str = "The Orlen bell weighs 3 tonnes and was cast in 1710.\n";
const NOTES: &str = "# Operations\n\n- The backup retention period is 35 days\n\nDefault port: 8443\n\n\
    The sources are named under `[sources]` in `motet.toml`.\n\n| Year | Revenue |\n|---|---|\n| 2021 | $5 million |\n";

/// The report, or the list of what is missing where there is none.
#[track_caller]
fn check(question: &str, exit: i32, says: &[&str], never: &[&str]) {
    let project = Project::new();
    project.remove("motet.toml");
    project.write("docs/bell.md", BELL);
    project.write("docs/notes.md", NOTES);
    project.offline(&["run", "deep-research", question, "--docs", "docs", "--unattended"]).exits(exit);
    let file = if exit == 1 { "gaps.md" } else { "report.md" };
    let text = project.read(format!(".motet/runs/{}/{file}", project.last()));
    says.iter().for_each(|part| assert!(text.contains(part), "{part} is not in {text}"));
    never.iter().for_each(|part| assert!(!text.contains(part), "{part} is in {text}"));
}

#[test]
fn a_question_whose_words_nobody_speaks_of_is_a_gap_with_what_comes_nearest() {
    let nearest =
        ["## Nearest to what was asked", "weighs 3 tonnes", "Not answered: who owns the Orlen bell?", "Nothing was found on: “owns”"];
    check("who owns the Orlen bell?", 3, &nearest, &["## Answer"]);
}

#[test]
fn a_question_about_a_name_that_nobody_names_brings_nothing_and_says_where_was_looked() {
    check("Who bought the Orlen bell in 2019?", 1, &["“2019”", "## Looked into", "docs/bell.md"], &[]);
    let said = ["weighs 3 tonnes", "Not answered: the Eiffel Tower?", "Nothing was found on: “Eiffel”"];
    check("Compare the Orlen bell, the Eiffel Tower and the Shard", 3, &said, &["## The Eiffel Tower"]);
}

#[test]
fn what_was_read_is_not_told_to_be_found_nowhere() {
    let dam = ("a.md", "# Orin dam\n\nThe reservoir holds 3.2 cubic kilometres of water and supplies 412,000 households in the valley.\n");
    let question = "How many households does the Orin dam supply?";
    let open = "No sentence that was found speaks of all that is asked for in “How many households does the Orin dam supply”.";
    check_of(dam, question, 3, &["supplies 412,000 households", "Not answered: ", open], &["Nothing was found on"]);
    check_of(dam, "Who painted the Orin dam?", 1, &["Nothing that was found speaks of “painted”: "], &[]);
}

#[test]
fn every_question_is_asked_of_what_it_names() {
    let both = "# Works\n\nThe Kestrel Bridge is 420 metres long. The Kestrel Bridge was built by Anna Berg.\n\n\
        The Melbury Tower is 90 metres high. The Melbury Tower was built by Otto Lind.\n";
    let asked = "How long is the Kestrel Bridge and who built it? How high is the Melbury Tower and who built it?";
    check_of(
        ("a.md", both),
        asked,
        0,
        &["Anna Berg", "## Who built the Melbury Tower?\n\nThe Melbury Tower was built by Otto Lind."],
        &["Not answered"],
    );
    let founded = ("a.md", "# Acme\n\nAcme Corp was founded in Oslo in 1901.\n");
    check_of(founded, "When and where was Acme Corp founded?", 0, &["in Oslo in 1901"], &["Not answered"]);
}

#[test]
fn notes_rows_and_code_are_quoted_as_they_stand() {
    check("What is the backup retention period?", 0, &["The backup retention period is 35 days. [S01]"], &["Not answered"]);
    check("What is the default port?", 0, &["Default port: 8443. [S01]"], &["Not answered"]);
    check("What was the revenue in 2021?", 0, &["Year 2021, Revenue: $5 million. [S01]"], &["unverified"]);
    check("Where are the sources named?", 0, &["under `[sources]` in `motet.toml`."], &["(sources)"]);
}

#[test]
fn a_later_question_is_asked_and_headed_with_what_it_points_back_to() {
    let said = ["weighs 3 tonnes", "What was found on “how much does the Orlen bell weigh?” stands under “When was the Orlen bell cast”"];
    check("When was the Orlen bell cast and how much does it weigh?", 0, &said, &["## How much does it weigh"]);
    check("The Orlen bell is famous. When was it cast?", 0, &["cast in 1710"], &["## The Orlen bell is famous"]);
}

#[test]
fn what_several_questions_find_stands_under_the_one_that_it_answers() {
    let bridge = "# Sarrow Bridge\n\nThe Sarrow Bridge was built in 1931. The Sarrow Bridge was designed by Arne Holt. \
        Building the Sarrow Bridge cost 4.2 million crowns.\n";
    let said = [
        "## When was the Sarrow Bridge built\n\nThe Sarrow Bridge was built in 1931. [S01]\n\n",
        "## Who designed the Sarrow Bridge\n\nThe Sarrow Bridge was designed by Arne Holt. [S01]\n\n",
        "## What did the Sarrow Bridge cost?\n\nBuilding the Sarrow Bridge cost 4.2 million crowns. [S01]\n\n",
    ];
    let asked = "When was the Sarrow Bridge built, who designed it, and what did it cost?";
    check_of(("a.md", bridge), asked, 0, &said, &["stands under", "Not answered"]);
}

#[test]
fn two_questions_in_french_are_answered_each() {
    let bridge = "# Le pont de Sarrow\n\nLe pont de Sarrow a été construit en 1931 par la ville. \
        Le pont de Sarrow a été conçu par Arne Holt, un ingénieur.\n";
    let asked = "Quand le pont de Sarrow a-t-il été construit et qui l’a conçu ?";
    check_of(("a.md", bridge), asked, 0, &["construit en 1931", "conçu par Arne Holt"], &["Not answered"]);
}

#[test]
fn a_list_is_reported_with_what_leads_to_it_and_its_report_holds() {
    let list = "# Council\n\nThe Orrin council meets in May.\n\nThe members of the Orrin council are:\n\n1. Ada Roe\n2. Bo Li\n3. Cy Dee\n\
        4. Dan Ash\n5. Eva Holt\n6. Finn Moss\n7. Gro Lund\n\nThey are paid.\n";
    let said =
        "## Answer\n\nThe members of the Orrin council are: Ada Roe; Bo Li; Cy Dee; Dan Ash; Eva Holt; Finn Moss; Gro Lund. [S01]\n\n";
    check_of(("a.md", list), "Who are the members of the Orrin council?", 0, &[said], &["unverified", "Not answered"]);
}

/// The same for one document of its own.
#[track_caller]
fn check_of(document: (&str, &str), question: &str, exit: i32, says: &[&str], never: &[&str]) {
    let project = Project::new();
    project.remove("motet.toml");
    project.write(&format!("docs/{}", document.0), document.1);
    project.offline(&["run", "deep-research", question, "--docs", "docs", "--unattended"]).exits(exit);
    let text = project.read(format!(".motet/runs/{}/{}", project.last(), if exit == 1 { "gaps.md" } else { "report.md" }));
    says.iter().for_each(|part| assert!(text.contains(part), "{part} is not in {text}"));
    never.iter().for_each(|part| assert!(!text.contains(part), "{part} is in {text}"));
}

#[test]
fn what_a_document_denies_is_not_reported_as_said() {
    let label = ("a.md", "# Kestrel\n\n- **Default port:** 9443\n\n**Not supported:** The Kestrel Queue runs on Windows.\n");
    check_of(label, "Does the Kestrel Queue run on Windows?", 0, &["Not supported: The Kestrel Queue runs on Windows. [S01]"], &[]);
    check_of(label, "What is the default port?", 0, &["Default port: 9443. [S01]"], &[]);
    let cold = ("a.md", "# Station\n\n-40 °C was the lowest temperature at the station in 1987.\n");
    check_of(cold, "What was the lowest temperature at the station?", 0, &["\n-40 °C was the lowest temperature"], &[]);
    let open = ("a.md", "# Vault\n\n- [x] The Vault has audit logs.\n- [ ] The Vault encrypts every backup.\n");
    check_of(open, "Does the Vault encrypt every backup?", 3, &["Not answered: "], &["The Vault encrypts every backup."]);
}

#[test]
fn what_shares_a_passage_with_a_question_does_not_answer_it() {
    let town =
        "The Vega ferry carries 300 passengers. The Orlen bridge was built in 1931 by the county. The town hall is owned by the parish.\n";
    check_of(("a.md", town), "Who owns the Vega ferry?", 3, &["Not answered: Who owns the Vega ferry?"], &["## Answer"]);
    check_of(("a.md", town), "When was the Vega ferry built?", 3, &["Not answered: "], &["## Answer"]);
    check_of(
        ("a.md", "# Mozart\n\nMozart was born in Salzburg in 1756.\n"),
        "When did Mozart die?",
        3,
        &["Not answered: "],
        &["## Answer"],
    );
}

#[test]
fn sentences_with_footnotes_and_tables_without_bars_are_quoted() {
    let note = ("a.md", "# Bridge\n\nThe Lindholm Bridge was opened in 1974.[7] Its architect was Anna Berg.[3]\n");
    check_of(note, "When was the Lindholm Bridge opened?", 0, &["The Lindholm Bridge was opened in 1974. [S01]"], &["[7]"]);
    let page = "<!doctype html><html><body><article><h1>Bridge</h1><p>The Lindholm Bridge was opened in 1974.<sup class=\"reference\">\
        <a href=\"#cite_note-7\">[7]</a></sup> It is long.</p></article></body></html>";
    check_of(
        ("a.html", page),
        "When was the Lindholm Bridge opened?",
        0,
        &["The Lindholm Bridge was opened in 1974. [S01]"],
        &["cite_note"],
    );
    let table = ("a.md", "# Plans\n\nPlan | Price | Seats\n---|---|---\nBasic | €5 | 3\nTeam | €20 | 10\n");
    check_of(table, "What is the price of the Team plan?", 0, &["Plan Team, Price: €20; Seats: 10. [S01]"], &["unverified"]);
}

#[test]
fn what_does_not_have_what_is_asked_for_is_no_answer() {
    let comet = ("a.md", "# Orlen comet\n\nThe Orlen comet was discovered in 1911. It returns every 76 years.\n");
    let open = ["## Nearest to what was asked", "Not answered: Who discovered the Orlen comet?"];
    check_of(comet, "Who discovered the Orlen comet?", 3, &open, &["## Answer"]);
    let dam = ("a.md", "# Tarn dam\n\nThe Tarn dam failed on 3 June 1976. The cause was seepage through the key trench.\n");
    check_of(dam, "Why did the Tarn dam fail?", 0, &["## Answer", "The cause was seepage"], &["Not answered"]);
}

#[test]
fn what_other_documents_say_of_the_subject_stands_beside_the_best() {
    let project = Project::new();
    project.remove("motet.toml");
    project.write("docs/a.md", "Coffee raises blood pressure by 5 mmHg.\n");
    project.write("docs/b.md", "Coffee has no effect on blood pressure.\n");
    project.write("docs/c.md", "Drinking coffee lowers blood pressure slightly in women.\n");
    let question = "What is the effect of coffee on blood pressure?";
    project.offline(&["run", "deep-research", question, "--docs", "docs", "--unattended"]).exits(0);
    let text = project.read(format!(".motet/runs/{}/report.md", project.last()));
    let answer = text.split("## Answer").nth(1).unwrap_or_else(|| panic!("no answer in {text}"));
    ["raises", "has no effect", "lowers"].iter().for_each(|said| assert!(answer.contains(said), "{said} is not in {text}"));
}

#[test]
fn what_only_shares_small_words_with_a_question_is_not_shown() {
    let tea = ("a.md", "# Tea\n\nTea is boiled at 100 degrees. The kettle has a point of contact.\n");
    check_of(tea, "What is the boiling point of tungsten?", 1, &["“tungsten”"], &["kettle"]);
}

#[test]
fn a_question_has_its_answer_in_its_own_section() {
    let bridge = "# Sarrow Bridge\n\nThe Sarrow Bridge is 842 metres long. The Sarrow Bridge was opened in 2003. The Sarrow Bridge cost 212 \
        million euros. The Sarrow Bridge was designed by Anna Berg. The Sarrow Bridge carries 4,200 cars. The Sarrow Bridge is painted red.\n";
    let asked = "How long is the Sarrow Bridge? When was the Sarrow Bridge opened? What did the Sarrow Bridge cost? Who designed the Sarrow \
        Bridge? How many cars does the Sarrow Bridge carry? What colour is the Sarrow Bridge painted?";
    check_of(("a.md", bridge), asked, 0, &["## How long is the Sarrow Bridge?\n\nThe Sarrow Bridge is 842 metres long."], &[]);
}
