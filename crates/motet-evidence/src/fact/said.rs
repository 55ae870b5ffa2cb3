//! A statement as it is compared with others: what it speaks of, what it says of it, and the numbers, dates and names that it gives.
//! No grammar: the subject is what stands before the first word that looks like a verb. A row of a table is one statement for each cell.

use std::collections::BTreeSet;

use super::value::{Value, values};
use super::vocabulary::{self, is_light_verb, is_preposition, is_unit_word};
use crate::text::{Kind, Measure, Number, Token, fold, names, numbers, sentences, tokens, words};

/// A name as it is compared, and as it is written.
pub type Named = (String, String);

#[derive(Debug, Default)]
pub struct Said {
    /// What it says in plain words: no names, units, months, populations, and nothing of whose words they are.
    pub words: BTreeSet<String>,
    /// All words, those of names among them.
    pub all: BTreeSet<String>,
    /// The noun that the subject is about; none if it is a pronoun.
    pub head: Option<String>,
    /// The other words of the subject.
    pub modifiers: BTreeSet<String>,
    /// The names in the subject.
    pub subjects: Vec<Named>,
    /// Names after the subject, each with the preposition before it.
    pub objects: Vec<(String, Named)>,
    /// Names after `in`, `at`, `near`.
    pub places: Vec<Named>,
    pub populations: BTreeSet<String>,
    /// None if the verb only joins: is, has.
    pub verb: Option<String>,
    /// Whether the verb stands directly behind a form of `be`: it was done to the subject, and not by it.
    pub is_passive: bool,
    /// Whose words they are.
    pub authority: Option<String>,
    pub quantities: Vec<Value>,
    pub dates: Vec<Value>,
    /// Things that are told apart by a number: `version 2` is not `version 3`. The stem of each with its number.
    pub labels: Vec<(String, String)>,
    /// Whether the subject is one thing of its kind, such as `the capital of Zubrowka`.
    pub is_definite: bool,
    /// Whether it speaks of somebody or something that was named before or is named here, and not of any one: `the treaty`, `Ada Roe`.
    pub is_particular: bool,
}

impl Said {
    /// One for each cell of a row, or for each sentence.
    pub fn all_of(statement: &str) -> Vec<Self> {
        let statement = without_code_numbers(statement);
        match cells(&statement) {
            Some(cells) => cells.iter().map(|(subject, name, value)| Self::of_cell(subject, name, value)).collect(),
            None => Self::of_sentences(&statement),
        }
    }

    /// One that begins with a pronoun speaks of what the sentence before it speaks of, unless that names somebody else as well.
    fn of_sentences(statement: &str) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for span in sentences(statement) {
            let sentence = span.of(statement);
            let first = sentence.split_whitespace().next().map(fold).unwrap_or_default();
            let mut said = Self::of(sentence);
            // Of what was done to something by somebody, `it` is the thing.
            let is_it = |before: &Self| first == "it" && before.is_passive && before.objects.iter().all(|(behind, _)| behind == "by");
            let is_pronoun = ["it", "he", "she", "they"].contains(&first.as_str());
            if let Some(before) = all.last().filter(|before| is_pronoun && (before.objects.is_empty() || is_it(before))) {
                (said.head, said.modifiers, said.subjects) = (before.head.clone(), before.modifiers.clone(), before.subjects.clone());
                (said.is_definite, said.is_particular) = (before.is_definite, before.is_particular);
            }
            all.push(said);
        }
        all
    }

    fn of_cell(subject: &str, name: &str, value: &str) -> Self {
        // A heading such as `Opened` is the verb of its cell; one such as `Length` only joins.
        let is_deed = fold(name).ends_with("ed");
        let name = name.to_lowercase();
        let said = Self::of(&format!("The {subject} {} {name} {value}.", if is_deed { "was" } else { "has" }));
        Self { verb: if is_deed { said.verb } else { None }, ..said }
    }

    pub fn of(statement: &str) -> Self {
        let (statement, authority) = without_authority(statement);
        let text = statement.as_str();
        let tokens = tokens(text);
        let starts: Vec<usize> = sentences(text).iter().map(|span| span.start).collect();
        let reader = Reader { text, tokens: &tokens };
        let (labels, numbers): (Vec<Number>, Vec<Number>) = numbers(text, &tokens).into_iter().partition(|number| reader.is_label(number));
        let in_number =
            |at: usize| numbers.iter().chain(&labels).any(|number| !number.ambiguous && (number.tokens.0..number.tokens.1).contains(&at));
        let names = names(text, &tokens, &starts, &BTreeSet::new());
        let in_name = |at: usize| names.iter().any(|name| name.words.contains(&at));
        let first_number = numbers.iter().map(|number| number.tokens.0).min();
        let verb_at = reader.verb(first_number, &in_name);
        let subject_end = verb_at.or(first_number).unwrap_or(tokens.len());
        let named = |at: usize| ["in", "at", "near", "across", "within"].contains(&reader.before(at).as_str());
        let mut said = Self { authority, ..Self::default() };
        for name in &names {
            let written = name.span.of(text);
            let named_so = (written.split_whitespace().map(fold).collect::<Vec<_>>().join(" "), written.to_string());
            match name.words[0] {
                first if named(first) => said.places.push(named_so),
                first if first < subject_end => said.subjects.push(named_so),
                first => said.objects.push((reader.before(first), named_so)),
            }
        }
        let is_place = |at: usize| names.iter().any(|name| name.words.contains(&at) && named(name.words[0]));
        let mut subject: Vec<(usize, String)> = Vec::new();
        for at in (0..tokens.len()).filter(|at| tokens[*at].kind == Kind::Word && !in_number(*at)) {
            let word = reader.word(at);
            let follows_number = numbers.iter().any(|number| number.tokens.1 == at || number.tokens.1 + 1 == at);
            if words::is_stop(&word) || follows_number && is_unit_word(&word) || vocabulary::is_month(&word) {
                continue;
            }
            if vocabulary::POPULATIONS.contains(&word.as_str()) {
                said.populations.insert(word.clone());
            }
            let stem = vocabulary::attribute(&words::stem(&word));
            said.all.insert(stem.clone());
            if at < subject_end && !is_place(at) {
                subject.push((at, stem.clone()));
            }
            if !in_name(at) && Some(at) != verb_at.filter(|at| is_light_verb(&reader.word(*at))) && !said.populations.contains(&word) {
                said.words.insert(stem);
            }
        }
        let verb = verb_at.and_then(|at| reader.deed(at, &in_number));
        said.verb = verb.map(|at| words::stem(&reader.word(at)));
        said.is_passive = verb.and_then(|at| at.checked_sub(1)).is_some_and(|before| vocabulary::is_form_of_be(&reader.word(before)));
        let is_pronoun = (0..subject_end).any(|at| vocabulary::is_pronoun(&reader.word(at))) && subject.iter().all(|(at, _)| !in_name(*at));
        let head_end = (0..subject_end)
            .find(|at| is_preposition(&reader.word(*at)) && subject.iter().any(|(place, _)| place < at))
            .unwrap_or(subject_end);
        let head = subject.iter().rev().find(|(at, _)| *at < head_end).filter(|_| !is_pronoun);
        said.head = head.map(|(_, stem)| stem.clone());
        let is_modifier = |at: usize, stem: &String| {
            !in_name(at) && head.is_some_and(|(place, _)| *place != at) && !said.populations.iter().any(|word| words::stem(word) == *stem)
        };
        said.modifiers = subject.iter().filter(|(at, stem)| is_modifier(*at, stem)).map(|(_, stem)| stem.clone()).collect();
        (said.dates, said.quantities) = values(text, &tokens, &numbers).into_iter().partition(Value::is_date);
        // `Above 128` says where something begins to hold, and not how much of it there is.
        let is_bound = |number: &Number| reader.before(number.tokens.0) == "above" || reader.before(number.tokens.0) == "below";
        if numbers.iter().any(is_bound) {
            said.quantities.clear();
        }
        said.labels = labels.iter().map(|label| (words::stem(&reader.word(label.tokens.0 - 1)), label.span.of(text).to_string())).collect();
        let of_what = (0..subject_end).find(|at| reader.word(*at) == "of");
        said.is_particular = !said.subjects.is_empty() || ["the", "this", "its", "his", "her", "their"].contains(&reader.word(0).as_str());
        said.is_definite = reader.word(0) == "the" && of_what.is_some() && head.is_some() && !said.subjects.is_empty();
        said
    }
}

struct Reader<'a> {
    text: &'a str,
    tokens: &'a [Token],
}

impl Reader<'_> {
    /// Folded; empty for anything but words.
    fn word(&self, at: usize) -> String {
        self.tokens.get(at).filter(|token| token.kind == Kind::Word).map_or_else(String::new, |token| fold(token.of(self.text)))
    }

    fn before(&self, at: usize) -> String {
        let article = |word: &String| ["the", "a", "an"].contains(&word.as_str());
        let direct = at.checked_sub(1).map(|at| self.word(at)).unwrap_or_default();
        if article(&direct) { at.checked_sub(2).map(|at| self.word(at)).unwrap_or_default() } else { direct }
    }

    /// Whether a bare number belongs to the name of the thing before it: `version 2 of`, `route 12 carries`, `in room 5`.
    fn is_label(&self, number: &Number) -> bool {
        let raw = |at: usize| self.tokens.get(at).map_or("", |token| token.of(self.text));
        let (first, next) = number.tokens;
        let is_bare = number.measure == Measure::Count && number.unit.is_none() && !number.spelled && next == first + 1;
        let Some(noun) = first.checked_sub(1).map(|at| self.word(at)).filter(|noun| !noun.is_empty() && is_bare) else { return false };
        if vocabulary::is_numbered(&noun) {
            return true;
        }
        let follows = self.word(next);
        let ends_subject = vocabulary::is_verb(&follows) || follows.len() > 4 && follows.ends_with("ed") || follows == "of";
        let is_noun = !words::is_stop(&noun) && !vocabulary::is_verb(&noun) && !is_preposition(&noun) && !noun.ends_with("ed");
        let before_verb = (0..first - 1).all(|at| !vocabulary::is_verb(&self.word(at)));
        is_noun && ends_subject && before_verb && raw(first).chars().all(|digit| digit.is_ascii_digit())
    }

    /// The first word that looks like a verb: one of the usual ones, a past tense, or what stands directly before a number.
    fn verb(&self, first_number: Option<usize>, in_name: &impl Fn(usize) -> bool) -> Option<usize> {
        (0..self.tokens.len()).find(|at| {
            let word = self.word(*at);
            let is_past = word.len() > 4 && word.ends_with("ed");
            let counts = first_number == Some(at + 1) && *at > 0;
            let may_be = !in_name(*at) && !word.is_empty();
            may_be && (vocabulary::is_verb(&word) || is_past && *at > 0 || counts && !words::is_stop(&word) && !is_preposition(&word))
        })
    }

    /// What is done: after `was` and `has` the next word, if it is a participle. None if there is only a joining verb.
    fn deed(&self, at: usize, in_number: &impl Fn(usize) -> bool) -> Option<usize> {
        if !is_light_verb(&self.word(at)) {
            return Some(at);
        }
        let next = (at + 1..(at + 4).min(self.tokens.len())).find(|at| !words::is_stop(&self.word(*at)))?;
        let word = self.word(next);
        let is_participle = word.ends_with("ed") || word.ends_with("ing") || vocabulary::is_verb(&word) || vocabulary::is_participle(&word);
        (is_participle && !in_number(next) && !is_light_verb(&word)).then_some(next)
    }
}

/// `City Bern, Opened: 1932; Length: 503 m.` as its cells.
pub fn cells(statement: &str) -> Option<Vec<(&str, &str, &str)>> {
    let (subject, rest) = statement.trim().trim_end_matches('.').split_once(", ")?;
    let cells: Option<Vec<(&str, &str, &str)>> = rest
        .split("; ")
        .map(|cell| {
            cell.split_once(": ").filter(|(name, _)| name.split_whitespace().count() <= 4).map(|(name, value)| (subject, name, value))
        })
        .collect();
    cells.filter(|_| subject.split_whitespace().count() <= 6 && !subject.contains(':'))
}

/// The statement without `according to X` and `X said that`, and X.
pub fn without_authority(statement: &str) -> (String, Option<String>) {
    let lower = statement.to_lowercase();
    // Lower case may be longer or shorter in other scripts; then places in it mean nothing here.
    if lower.len() != statement.len() {
        return (statement.to_string(), None);
    }
    if let Some(start) = lower.find("according to ") {
        let name_start = start + "according to ".len();
        let end = statement[name_start..].find([',', ';']).map_or(statement.trim_end_matches('.').len(), |end| name_start + end);
        let rest = statement.get(end..).unwrap_or_default().trim_start_matches([',', ';', ' ']);
        let before = statement[..start].trim_end_matches([',', ' ']);
        let authority = statement.get(name_start..end).map(fold_words);
        return (format!("{before} {rest}").trim().to_string(), authority);
    }
    for verb in [" said that ", " says that ", " reported that ", " reports that ", " estimates that ", " estimated that ", " claims that "]
    {
        if let Some(at) = lower.find(verb) {
            return (statement[at + verb.len()..].to_string(), Some(fold_words(&statement[..at])));
        }
    }
    (statement.to_string(), None)
}

fn fold_words(text: &str) -> String {
    text.split_whitespace().map(fold).filter(|word| !words::is_stop(word)).collect::<Vec<_>>().join(" ")
}

/// A number in code, or one that an option such as `--budget 3` is given, is an example and no quantity of anything.
pub(crate) fn without_code_numbers(statement: &str) -> String {
    let has_digit = |word: &str| word.contains(|letter: char| letter.is_ascii_digit());
    let is_option = |word: &str| word.trim_start_matches(['`', '(', '"', '“', '[']).starts_with("--");
    let is_paired = statement.matches('`').count().is_multiple_of(2);
    let (mut in_code, mut after_option) = (false, false);
    let mut kept: Vec<String> = Vec::new();
    for word in statement.split_whitespace() {
        let is_code = is_paired && (in_code || word.contains('`'));
        in_code ^= word.matches('`').count() % 2 == 1;
        let is_example = has_digit(word) && (is_code || after_option || is_option(word));
        // The marks stay, so that what is code stays so.
        kept.push(if is_example { word.chars().filter(|mark| *mark == '`').collect() } else { word.to_string() });
        after_option = is_option(word) && !word.contains('=');
    }
    kept.join(" ")
}
