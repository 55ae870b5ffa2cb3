//! What is taken out of plain text: each function with ordinary text, with other languages, and with nothing.

use super::{Object, Scope, check, json, parse};

#[test]
fn sentences_end_with_their_mark_or_their_line() {
    check("sentences('One. Two! Three?')", json!(["One.", "Two!", "Three?"]));
    check("sentences('It costs 3.50 at example.org. Good.')", json!(["It costs 3.50 at example.org.", "Good."]));
    check("sentences('He said “Go.” Then he went.')", json!(["He said “Go.”", "Then he went."]));
    check("sentences('Fruit, e.g. apples. By J. Smith.')", json!(["Fruit, e.g. apples.", "By J. Smith."]));
    check("sentences('A heading\\n\\ntext without end')", json!(["A heading", "text without end"]));
    check("sentences('今日は晴れです。明日は雨です。')", json!(["今日は晴れです。", "明日は雨です。"]));
    check("sentences('...')", json!([]));
    check("sentences(data.none)", json!([]));
    check("sentences(['A b', 'C.'])", json!(["A b", "C."]));
}

#[test]
fn words_stand_without_their_marks_and_addresses_stay_whole() {
    check("words('Well-made, isn’t it? (Yes/No)')", json!(["Well-made", "isn’t", "it", "Yes", "No"]));
    check("words('see https://example.org/a/b.')", json!(["see", "https://example.org/a/b"]));
    check("words('— … —')", json!([]));
    check("size(words(data.count))", json!(0));
}

#[test]
fn themes_are_keywords_with_what_describes_them() {
    check("themes('What does a restart do with an unfinished call?', 3)", json!(["restart", "unfinished call"]));
    check("themes('How is the budget of a failed or unfinished run kept?', 5)", json!(["budget", "failed", "unfinished run", "kept"]));
    check("themes('Cars. Electric cars. Cars again, and red', 2)", json!(["cars", "red"]));
    check("themes('How heavy is the Orlen bell?', 3)", json!(["orlen", "bell"]));
    check("themes('How it is made', 3)", json!([]));
    check("themes('List the bridges of Bern', 3)", json!(["bridges", "bern"]));
    check("themes('港口什么时候开放', 3)", json!([]));
    check("themes('to be or not to be', 5)", json!([]));
    check("themes('x', 'y')", json!(null));
}

#[test]
fn keywords_are_those_used_most_and_carry_meaning() {
    check("keywords('The cat and the dog. A dog is a dog, the cat sleeps.', 2)", json!(["dog", "cat"]));
    check("keywords('to be or not to be', 5)", json!([]));
    check("keywords('Wärmepumpen in Häusern', 5)", json!(["wärmepumpen", "häusern"]));
    check("keywords('When you would use the same, it is the same: can we get it?', 5)", json!([]));
    check("keywords('one two', -1)", json!(null));
    check("keywords('x', 'y')", json!(null));
}

#[test]
fn a_headline_names_what_comes_first() {
    check("headline('a subscription box that delivers vegetables every Friday', 6)", json!("Subscription Box"));
    check("headline('eco-friendly water bottles', 5)", json!("Eco-Friendly Water Bottles"));
    check("headline('- the state of the art in batteries, and more', 4)", json!("State of the Art"));
    check("headline('prices of the houses', 3)", json!("Prices"));
    check("headline('the', 3)", json!("The"));
    check("headline('!?', 3)", json!(""));
    check("headline('one', 0)", json!(""));
    check("title_case('the art of war for iPhones')", json!("The Art of War for IPhones"));
}

#[test]
fn parts_are_what_is_enumerated() {
    check("parts('Do this:\\n- first thing\\n- second thing.\\n')", json!(["first thing", "second thing"]));
    check("parts('1. one\\n2) two\\n3. two')", json!(["one", "two"]));
    check("parts('Add login. Then add logout; log both.')", json!(["Add login", "Then add logout", "log both"]));
    check("parts('Add login, password reset and an audit log')", json!(["Add login", "password reset", "an audit log"]));
    check("parts('Add login, password reset, and an audit log.')", json!(["Add login", "password reset", "an audit log"]));
    check("parts('Search and replace')", json!(["Search and replace"]));
    check("parts('When it rains, stay in')", json!(["When it rains, stay in"]));
    check(
        "parts('How are budgets kept, and what happens when a price and a limit are unknown?')",
        json!(["How are budgets kept", "what happens when a price and a limit are unknown?"]),
    );
    check("parts('Who pays and who decides and when?')", json!(["Who pays", "who decides and when?"]));
    check("parts('Say what it is and how it works')", json!(["Say what it is and how it works"]));
    check("parts('How do Ollama, Gemini and Claude differ as agents?')", json!(["How do Ollama, Gemini and Claude differ as agents?"]));
    check("parts('')", json!([]));
    check("parts(data.none)", json!([]));
}

#[test]
fn what_is_counted_is_named_as_one_or_as_many() {
    check("counted(1, 'task')", json!("1 task"));
    check("counted(0, 'task') + ', ' + counted([1, 2], 'task')", json!("0 tasks, 2 tasks"));
    check(
        "counted([1], 'gap is named', 'gaps are named') + ', ' + counted(3, 'gap is named', 'gaps are named')",
        json!("1 gap is named, 3 gaps are named"),
    );
    check("counted(null, 'task')", json!("0 tasks"));
}

#[test]
fn quoted_words_bring_no_markers_along() {
    check(
        "uncited('The bridge [2] was opened in 1932 [5]. It is long [^a][S01, 3–5].')",
        json!("The bridge was opened in 1932. It is long."),
    );
    check("uncited('So it is 【4†source】, says [Fact-012] he.')", json!("So it is, says he."));
    check(
        "uncited('It was [in 1932] built, [see] list[] and [1932] [x](y) [3](z) [a[b] [')",
        json!("It was [in 1932] built, [see] list[] and [1932] [x](y) [3](z) [a[b] ["),
    );
    check("uncited('It was 30 (95 % CI [12, 45]) on the scale [0, 10] [4].')", json!("It was 30 (95 % CI [12, 45]) on the scale [0, 10]."));
    check(
        "uncited('In its former range[2], on a large scale [1] and at an interval [^a].')",
        json!("In its former range, on a large scale and at an interval."),
    );
    check("uncited(3)", json!(""));
}

#[test]
fn what_is_shortened_ends_between_words() {
    check("shorten('one two three', 9)", json!("one two…"));
    check("shorten('one two three', 13)", json!("one two three"));
    check("shorten('one, two', 5)", json!("one…"));
    check("shorten('unbroken', 4)", json!("unb…"));
    check("shorten('äöü äöü', 5)", json!("äöü…"));
    check("shorten('abc', 0)", json!(""));
    check("shorten('abc', -1)", json!(null));
    check("take([1, 2, 3], 2)", json!([1, 2]));
    check("take([1], 5)", json!([1]));
    check("take(data.none, 5)", json!([]));
    check("take('abc', 1)", json!(null));
}

#[test]
fn what_fits_is_counted_high_and_ends_with_the_first_that_does_not() {
    check("fitting(['one two three', 'a', 'b'], 7)", json!(["one two three"]));
    check("fitting(['one two three', 'a', 'b'], 12)", json!(["one two three", "a"]));
    check("fitting(['a', 'one two three four five', 'b'], 9)", json!(["a"]));
    check("fitting(['橋は開通', 'a'], 8)", json!(["橋は開通"]));
    check("fitting(['橋は開通'], 7)", json!([]));
    check("fitting(['!?.,'], 5)", json!([]));
    check("fitting([{'a': 'b'}], 11)", json!([{ "a": "b" }]));
    check(
        "fitting([{'a': 'b', 'c': 'one two three four five'}, {'a': 'd'}], 22, ['a'])",
        json!([{ "a": "b", "c": "one two three four five" }, { "a": "d" }]),
    );
    check(
        "fitting([{'a': 'b', 'c': 'one two three four five'}, {'a': 'd'}], 21, ['a'])",
        json!([{ "a": "b", "c": "one two three four five" }]),
    );
    check("fitting([{'a': 'b'}], 11, ['a', 'c'])", json!([]));
    check("fitting(['a', 5], 8, ['a'])", json!([]));
    check("fitting(['a'], 3, null)", json!(["a"]));
    check("fitting(data.none, 5)", json!([]));
    check("fitting(['a'], -1)", json!([]));
    check("fitting('abc', 5)", json!(null));
    check("fitting(['a'], 'b')", json!(null));
}

#[test]
fn covering_is_the_share_of_keywords_and_knows_plurals() {
    check("covers('Bottles for water', 'water bottle')", json!(1.0));
    check("covers('Bottles', 'water bottle')", json!(0.5));
    check("covers('anything', 'to be or not')", json!(1.0));
    check("covers(data.none, 'water')", json!(0.0));
    check("covers(['water', 'bottle'], ['water bottle', 'glass'])", json!(0.67));
}

#[test]
fn an_extract_keeps_the_order_and_leaves_out_what_is_about_something_else() {
    let text = "'Tea came late. Coffee came first. Nobody knows why. Tea and coffee were dear.'";
    check(&format!("extract({text}, 'tea, coffee', 2)"), json!(["Tea came late.", "Tea and coffee were dear."]));
    check(&format!("extract({text}, 'rockets', 2)"), json!([]));
    check(&format!("extract({text}, '', 1)"), json!(["Tea came late."]));
}

/// Each with what is looked for beyond its own words.
#[track_caller]
fn asks(text: &str, expected: &[(&str, &str)]) {
    let expected: Vec<_> =
        expected.iter().map(|(name, further)| json!({ "name": name, "query": format!("{name} {further}").trim() })).collect();
    check(&format!("questions('{text}')"), json!(expected));
}

#[test]
fn a_question_is_asked_with_what_it_is_about() {
    asks("How do Ollama, Gemini and Claude differ?", &[("How do Ollama, Gemini and Claude differ?", "")]);
    asks("The Kestrel Tower is famous. When was it completed?", &[("When was the Kestrel Tower completed?", "")]);
    asks("The Kestrel Tower is famous. Who paid?", &[("Who paid?", "the Kestrel Tower")]);
    asks("I work at Acme. Who paid?", &[("Who paid?", "")]);
    asks(
        "How common are heat pumps in Norway and what share of households had one in 2022?",
        &[("How common are heat pumps in Norway", ""), ("what share of households had heat pumps in 2022?", "Norway")],
    );
    asks(
        "Who opened the Lindholm Bridge, when was it opened and how long is it?",
        &[("Who opened the Lindholm Bridge", ""), ("when was the Lindholm Bridge opened", ""), ("how long is the Lindholm Bridge?", "")],
    );
    asks("What is tea, and and what is milk?", &[("What is tea", ""), ("what is milk?", "")]);
    asks("Who built the Shard, which stands in London?", &[("Who built the Shard, which stands in London?", "")]);
    asks(
        "When was the Orlen bell cast and what is its weight?",
        &[("When was the Orlen bell cast", ""), ("what is the Orlen bell’s weight?", "")],
    );
}

#[test]
fn a_word_that_points_back_takes_what_was_named_last() {
    asks(
        "How long is the Kestrel Bridge and who built it? How high is the Melbury Tower and who built it?",
        &[
            ("How long is the Kestrel Bridge", ""),
            ("who built the Kestrel Bridge?", ""),
            ("How high is the Melbury Tower", ""),
            ("who built the Melbury Tower?", ""),
        ],
    );
    asks(
        "The Orin dam is old. When was Acme founded and how many people does it employ?",
        &[("When was Acme founded", ""), ("how many people does Acme employ?", "")],
    );
    asks(
        "The Orin dam is old. When was it built? The Melbury Tower is older. Who paid for it?",
        &[("When was the Orin dam built?", ""), ("Who paid for the Melbury Tower?", "")],
    );
    asks(
        "How long is the Kestrel Bridge, who built it, and when did it open?",
        &[("How long is the Kestrel Bridge", ""), ("who built the Kestrel Bridge", ""), ("when did the Kestrel Bridge open?", "")],
    );
    asks(
        "Who built the Orin dam and how much water does it store?",
        &[("Who built the Orin dam", ""), ("how much water does the Orin dam store?", "")],
    );
    asks("When was Mozart born and where did he die?", &[("When was Mozart born", ""), ("where did Mozart die?", "")]);
    asks(
        "How high is the Melbury Tower and how long does it take to climb it?",
        &[("How high is the Melbury Tower", ""), ("how long does it take to climb the Melbury Tower?", "")],
    );
    asks(
        "When was the Bank of England founded and who owns it?",
        &[("When was the Bank of England founded", ""), ("who owns the Bank of England?", "")],
    );
}

#[test]
fn a_question_behind_a_comma_is_one_where_it_cannot_say_more_of_anybody() {
    let built = ("When was the Sarrow Bridge built", "");
    asks(
        "When was the Sarrow Bridge built, who designed it, and what did it cost?",
        &[built, ("who designed the Sarrow Bridge", ""), ("what did the Sarrow Bridge cost?", "")],
    );
    asks(
        "When was the Sarrow Bridge built, who designed the bridge, and what did it cost?",
        &[built, ("who designed the bridge", "the Sarrow Bridge"), ("what did the Sarrow Bridge cost?", "")],
    );
    asks("When was the Sarrow Bridge built, who designed the towers?", &[built, ("who designed the towers?", "")]);
    asks(
        "What did the Sarrow Bridge cost, who paid the workers?",
        &[("What did the Sarrow Bridge cost", ""), ("who paid the workers?", "")],
    );
    asks("When was the Sarrow Bridge built, which river does it cross?", &[built, ("which river does the Sarrow Bridge cross?", "")]);
    asks("When was the Sarrow Bridge built, and by whom was it designed?", &[built, ("by whom was the Sarrow Bridge designed?", "")]);
    for whole in [
        "Who was Ada Roe, who built the Shard?",
        "When was the Shard opened, which does not stand in Orlen?",
        "Who built the Shard, when, and at what cost?",
    ] {
        asks(whole, &[(whole, "")]);
    }
}

#[test]
fn two_questions_in_another_language_are_two_and_both_are_of_what_the_first_names() {
    asks(
        "Quand le pont de Sarrow a-t-il été construit et qui l’a conçu ?",
        &[("Quand le pont de Sarrow a-t-il été construit", ""), ("qui l’a conçu ?", "pont de Sarrow")],
    );
    asks(
        "Quand a été construit le pont de Sarrow, et combien a-t-il coûté ?",
        &[("Quand a été construit le pont de Sarrow", ""), ("combien a-t-il coûté ?", "pont de Sarrow")],
    );
    asks(
        "Wann wurde die Sarrow-Brücke gebaut und wer hat sie entworfen?",
        &[("Wann wurde die Sarrow-Brücke gebaut", ""), ("wer hat sie entworfen?", "Sarrow-Brücke")],
    );
    asks(
        "Was kostet die Sarrow-Brücke und wer hat sie entworfen?",
        &[("Was kostet die Sarrow-Brücke", ""), ("wer hat sie entworfen?", "Sarrow-Brücke")],
    );
    asks(
        "Who built the Sarrow Bridge? Was it opened in 1931?",
        &[("Who built the Sarrow Bridge?", ""), ("Was the Sarrow Bridge opened in 1931?", "")],
    );
    for whole in ["Quand et où le pont de Sarrow a-t-il été construit ?", "Wann wurden Bern und Sarrow gegründet?"] {
        asks(whole, &[(whole, "")]);
    }
}

#[test]
fn what_stands_before_a_colon_is_what_its_question_is_about() {
    asks(
        "Orin dam: when was it completed? how much water does it store?",
        &[("Orin dam: when was it completed?", ""), ("how much water does Orin dam store?", "")],
    );
    asks(
        "Orin dam: when was it completed and how much water does it store?",
        &[("Orin dam: when was it completed", ""), ("how much water does Orin dam store?", "")],
    );
    asks("Two questions: who built Acme? When was it sold?", &[("Two questions: who built Acme?", ""), ("When was Acme sold?", "")]);
}

#[test]
fn words_that_only_ask_are_no_question() {
    for whole in [
        "When and where was Acme Corp founded?",
        "How, when and where was Acme Corp founded?",
        "How long and how wide is the Kestrel Bridge?",
        "Who built the Shard, who was famous?",
    ] {
        asks(whole, &[(whole, "")]);
    }
    asks("Who paid and when was the Shard built?", &[("Who paid", ""), ("when was the Shard built?", "")]);
}

#[test]
fn a_question_that_may_be_about_something_else_keeps_its_words() {
    asks(
        "Who designed the harbour tunnel and when was it opened?",
        &[("Who designed the harbour tunnel", ""), ("when was it opened?", "the harbour tunnel")],
    );
    asks(
        "How long is the Kestrel Bridge? Who designed the harbour tunnel and when was it opened?",
        &[("How long is the Kestrel Bridge?", ""), ("Who designed the harbour tunnel", ""), ("when was it opened?", "the harbour tunnel")],
    );
    asks(
        "When did the old harbour bridge open and who built it?",
        &[("When did the old harbour bridge open", ""), ("who built it?", "the old harbour bridge")],
    );
    asks(
        "Who built the Kestrel Bridge and when did he die?",
        &[("Who built the Kestrel Bridge", ""), ("when did he die?", "the Kestrel Bridge")],
    );
    asks(
        "What is the weight of the Orlen bell and who cast it?",
        &[("What is the weight of the Orlen bell", ""), ("who cast it?", "the Orlen bell")],
    );
    asks(
        "When was the Orin dam built? How does Acme keep its books?",
        &[("When was the Orin dam built?", ""), ("How does Acme keep its books?", "")],
    );
    asks("When was Acme founded? How long did it take?", &[("When was Acme founded?", ""), ("How long did it take?", "Acme")]);
}

#[test]
fn a_very_long_text_is_parted_in_one_pass() {
    for (text, source) in [
        (format!("What is it{}", ", tea".repeat(80_000)), "size(questions(text))"),
        (format!("tea{}", ", tea".repeat(80_000)), "size(parts(text))"),
        (format!("What is it{}", " and and".repeat(50_000)), "size(parts(text))"),
        (format!("Tea{}b", ".".repeat(400_000)), "size(parts(text))"),
    ] {
        let variables = Object(json!({ "text": text }));
        assert_eq!(parse(source).expect(source).evaluate(&Scope::new(&variables)), json!(1), "{source} of {}…", &text[..12]);
    }
}

#[test]
fn where_nothing_is_asked_the_parts_are_looked_for() {
    asks("Compare tea, coffee and milk", &[("Compare tea", ""), ("coffee", ""), ("milk", "")]);
    asks("- Who pays?\\n- How long is it?", &[("Who pays?", ""), ("How long is it?", "")]);
    asks("", &[]);
}
