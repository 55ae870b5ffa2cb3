//! Every provider with every fault: which kind of failure it is, and the words that say what to do.

use std::sync::Arc;
use std::time::Duration;

use motet_agents::model::{ModelAgent, ModelSettings, Provider, ProviderKind};
use motet_agents::{Agent, Context, Exchange, Secret};
use motet_core::event::FailureKind;
use motet_testkit::providers::{Ended, FakeProvider, Fault, Line, Said};
use rustls::ServerConfig;
use rustls::pki_types::PrivatePkcs8KeyDer;

use super::{KEY, agent, ask_each, nobody_listens, provider};
use crate::{failure, prompted};

/// The same for every provider. No message may hold the key.
async fn check(line: Line, kind: FailureKind, told: &[&str]) {
    check_each(line, |_| (kind, told.to_vec())).await;
}

async fn check_each<'a>(line: Line, expected: impl Fn(ProviderKind) -> (FailureKind, Vec<&'a str>)) {
    for (provider, _server, outcome) in ask_each(&line, &prompted("Write.")).await {
        let (kind, told) = expected(provider);
        let (found, message) = failure(outcome);
        assert_eq!(found, kind, "{provider}: {message}");
        for words in told {
            assert!(message.contains(words), "{provider}: `{message}` does not say `{words}`");
        }
        assert!(!message.contains(KEY), "{provider}: {message}");
    }
}

#[tokio::test]
async fn whoever_is_not_let_in_is_told_where_the_key_is_set() {
    check_each(Line::Fails(Fault::Unauthorised), |provider| (FailureKind::Configuration, vec!["(401)", "check", provider.usual_key()]))
        .await;
    check_each(Line::Fails(Fault::Forbidden), |provider| (FailureKind::Configuration, vec!["(403)", "check", provider.usual_key()])).await;
}

#[tokio::test]
async fn a_missing_model_is_told_with_those_that_are_there() {
    let told = ["has no model `gemma2:2b`", "it has gemma2:2b, llama3.2:latest", "--model"];
    check(Line::Fails(Fault::NoSuchModel), FailureKind::NotFound, &told).await;
}

#[tokio::test]
async fn what_may_be_better_next_time_is_transient() {
    check(Line::Fails(Fault::TookTooLong), FailureKind::Timeout, &["took too long (408)"]).await;
    check(Line::Fails(Fault::Broken), FailureKind::Unavailable, &["failed (500)"]).await;
    check(Line::Fails(Fault::Busy(None)), FailureKind::Unavailable, &["failed (503)"]).await;
}

#[tokio::test]
async fn a_prompt_that_is_too_long_is_told_in_the_same_words_by_all() {
    let told = ["the prompt is too long for the model", "shorten it, or use a model with a longer context"];
    check(Line::Fails(Fault::TooLong), FailureKind::Configuration, &told).await;
}

#[tokio::test]
async fn a_refusal_is_no_answer_and_is_not_tried_again() {
    check(Line::Fails(Fault::Filtered), FailureKind::Refused, &["refused to answer", "use another model"]).await;
    let withheld = Line::Says(Said::new("Tea").ending(Ended::Filtered));
    for (provider, _server, outcome) in ask_each(&withheld, &prompted("Write.")).await {
        // Ollama has no filter.
        if provider != ProviderKind::Ollama {
            assert_eq!(failure(outcome).0, FailureKind::Refused, "{provider}");
        }
    }
    let declined = FakeProvider::start([Line::Says(Said::new("I cannot help with that.").ending(Ended::Declined))]);
    let (kind, message) = failure(super::ask(ProviderKind::OpenAi, &declined, prompted("Write.")).await);
    assert_eq!(kind, FailureKind::Refused);
    assert!(message.contains("I cannot help with that."), "{message}");
}

#[tokio::test]
async fn an_account_without_money_is_not_waited_for() {
    let told = ["takes no more calls on this account", "add credit"];
    check(Line::Fails(Fault::OutOfMoney), FailureKind::Configuration, &told).await;
    // The status says it, whatever the words do.
    for words in ["Payment required", "this model's context window needs more, and fewer max_tokens can be afforded", ""] {
        let body = format!(r#"{{"error": {{"message": "{words}"}}}}"#);
        check(Line::Answers(402, vec![], body), FailureKind::Configuration, &told).await;
    }
}

#[tokio::test]
async fn a_broken_stream_may_be_tried_again() {
    check(Line::Garbles, FailureKind::Unavailable, &["the answer of", "is not in its format"]).await;
    check(Line::EndsEarly, FailureKind::Unavailable, &["ended before it was done"]).await;
    check(Line::Cuts, FailureKind::Unavailable, &["broke off"]).await;
    check_each(Line::GivesUp, |provider| {
        let words = if provider == ProviderKind::Gemini { "failed (500)" } else { "gave up in the middle" };
        (FailureKind::Unavailable, vec![words])
    })
    .await;
}

#[tokio::test]
async fn what_was_written_before_a_stream_broke_is_counted_and_on_record() {
    for kind in ProviderKind::ALL {
        let server = FakeProvider::start([Line::Cuts]);
        let (context, _stop) = Context::new();
        let outcome = agent(kind, &server).perform(prompted(&"word ".repeat(80)), &context).await;
        assert!(outcome.usage().tokens_in > 50, "{kind} {outcome:?}");
        let [Exchange::Model { answer, finish, .. }] = &context.recorded()[..] else { panic!("{kind}") };
        assert!(answer.starts_with("Tea") && finish.starts_with("failed: "), "{kind} {answer} {finish}");
    }
}

#[tokio::test]
async fn silence_is_a_timeout_before_and_within_the_answer() {
    for line in [Line::Silent, Line::Stalls] {
        for kind in ProviderKind::ALL {
            let server = FakeProvider::start([line.clone()]);
            let impatient = Provider { request_timeout: Duration::from_millis(300), ..provider(kind, &server) };
            let agent = ModelAgent::new(impatient, ModelSettings::new("gemma2:2b")).unwrap();
            let (found, message) = failure(agent.perform(prompted("Write."), &Context::new().0).await);
            assert_eq!(found, FailureKind::Timeout, "{kind}");
            let cure = match kind {
                ProviderKind::Ollama => "raise OLLAMA_REQUEST_TIMEOUT to wait longer".to_string(),
                _ => format!("raise `timeout` of [providers.{}] to wait longer", kind.word()),
            };
            assert!(message.contains("said nothing for 0.3 s") && message.ends_with(&cure), "{kind}: {message}");
        }
    }
}

#[tokio::test]
async fn a_slow_answer_is_an_answer_while_it_keeps_coming() {
    let said = Said::in_pieces(["Tea", " for", " all"]).slowly(Duration::from_millis(120));
    for kind in ProviderKind::ALL {
        let server = FakeProvider::start([Line::Says(said.clone())]);
        let patient = Provider { request_timeout: Duration::from_millis(400), ..provider(kind, &server) };
        let agent = ModelAgent::new(patient, ModelSettings::new("gemma2:2b")).unwrap();
        assert_eq!(crate::returned(agent.perform(prompted("Write."), &Context::new().0).await), "Tea for all", "{kind}");
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_told_with_what_to_do() {
    let address = nobody_listens().await;
    for kind in ProviderKind::ALL {
        let provider = Provider::at(kind, &address).unwrap().with_key(Secret::new(KEY), "KEY");
        let agent = ModelAgent::new(provider, ModelSettings::new("m")).unwrap();
        let (found, message) = failure(agent.perform(prompted("Write."), &Context::new().0).await);
        assert_eq!(found, FailureKind::Unavailable);
        let cure = match kind {
            ProviderKind::Ollama => "start it with `ollama serve`, choose another model with `--model`, or point OLLAMA_BASE_URL elsewhere",
            _ => "start it, or check its `base_url`",
        };
        assert_eq!(message, format!("{} is not running at {address} — {cure}", kind.title()));
    }
}

#[tokio::test]
async fn a_name_that_nobody_knows_and_a_server_that_is_not_encrypted_are_told_apart() {
    let server = FakeProvider::start([Line::Silent]);
    let plain = server.base_url(super::format(ProviderKind::Anthropic)).replace("http:", "https:");
    for (address, told) in [("http://no-such-host.invalid", "cannot be found: "), (plain.as_str(), "cannot be reached: tls ")] {
        let provider = Provider::at(ProviderKind::Anthropic, address).unwrap().with_key(Secret::new(KEY), "KEY");
        let agent = ModelAgent::new(provider, ModelSettings::new("m")).unwrap();
        let (found, message) = failure(agent.perform(prompted("Write."), &Context::new().0).await);
        assert_eq!(found, FailureKind::Unavailable, "{message}");
        assert!(message.starts_with(&format!("{address} {told}")), "{message}");
    }
}

/// Speaks TLS with a certificate that nobody has signed but itself, to whoever comes.
fn self_signed() -> std::net::SocketAddr {
    let certificate = include_bytes!("../stand_ins/self_signed.cert.der").to_vec().into();
    let key = PrivatePkcs8KeyDer::from(include_bytes!("../stand_ins/self_signed.key.der").to_vec());
    let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()));
    let config = config.with_safe_default_protocol_versions().expect("there are some").with_no_client_auth();
    let config = Arc::new(config.with_single_cert(vec![certificate], key.into()).expect("they belong together"));
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("there is a free port");
    let address = listener.local_addr().expect("it is bound");
    // It ends with the test's process.
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut connection = rustls::ServerConnection::new(config.clone()).expect("the settings are fine");
            while connection.is_handshaking() && connection.complete_io(&mut stream).is_ok() {}
        }
    });
    address
}

#[tokio::test]
async fn a_certificate_that_is_not_trusted_is_told_as_such_and_not_tried_again() {
    let address = format!("https://{}", self_signed());
    let provider = Provider::at(ProviderKind::OpenAiCompatible, &address).unwrap().with_key(Secret::new(KEY), "KEY");
    let agent = ModelAgent::new(provider, ModelSettings::new("m")).unwrap();
    let (found, message) = failure(agent.perform(prompted("Write."), &Context::new().0).await);
    assert_eq!(found, FailureKind::Configuration, "{message}");
    assert!(message.starts_with(&format!("{address} cannot be reached safely: invalid peer certificate: UnknownIssuer")), "{message}");
    let cure = "make its certificate trusted on this machine, or check that its `base_url` names the server that you mean";
    assert!(message.ends_with(&format!(" — {cure}")), "{message}");
}

#[tokio::test]
async fn another_kind_of_server_is_noticed() {
    let page = Line::Answers(200, vec![("content-type".into(), "text/html".into())], "<html>Welcome</html>".into());
    for (provider, _server, outcome) in ask_each(&page, &prompted("Write.")).await {
        let (kind, message) = failure(outcome);
        match provider {
            // Its format has no type of its own, so that the page reads as a broken answer.
            ProviderKind::Ollama => assert_eq!(kind, FailureKind::Unavailable, "{message}"),
            _ => {
                assert_eq!(kind, FailureKind::NotFound, "{provider}: {message}");
                assert!(message.contains("it does not speak the expected format"), "{provider}: {message}");
            }
        }
    }
}

#[tokio::test]
async fn a_server_that_answers_in_one_piece_is_told_to_stream() {
    let whole = r#"{"choices": [{"message": {"role": "assistant", "content": "Tea"}, "finish_reason": "stop"}]}"#;
    let server = FakeProvider::start([Line::Answers(200, vec![], whole.into())]);
    let outcome = agent(ProviderKind::OpenAiCompatible, &server).perform(prompted("Write."), &Context::new().0).await;
    let (kind, message) = failure(outcome);
    assert_eq!(kind, FailureKind::Configuration, "{message}");
    assert!(message.contains("answered in one piece though it was asked to stream"), "{message}");
}

#[tokio::test]
async fn an_error_that_comes_as_if_all_were_well_is_read_by_its_code() {
    for (code, kind, told) in [
        (404, FailureKind::NotFound, "has nothing there (404)"),
        (401, FailureKind::Configuration, "does not let us in (401)"),
        (500, FailureKind::Unavailable, "gave up in the middle"),
    ] {
        let body = format!(r#"{{"error": {{"message": "No endpoints were found.", "code": {code}}}}}"#);
        let server = FakeProvider::start([Line::Answers(200, vec![], body)]);
        let outcome = agent(ProviderKind::OpenAiCompatible, &server).perform(prompted("Write."), &Context::new().0).await;
        let (found, message) = failure(outcome);
        assert_eq!(found, kind, "{code}: {message}");
        assert!(message.contains(told), "{code}: {message}");
    }
}

#[tokio::test]
async fn a_server_that_repeats_the_key_does_not_make_us_repeat_it() {
    let body = format!(r#"{{"error": {{"message": "Incorrect API key provided: {KEY}", "type": "invalid_request_error"}}}}"#);
    check(Line::Answers(401, vec![], body), FailureKind::Configuration, &["Incorrect API key provided: …"]).await;
}

#[tokio::test]
async fn other_statuses_are_told_as_they_are() {
    let answer = |status: u16, body: &str| Line::Answers(status, vec![], body.into());
    check(answer(400, r#"{"error": {"message": "invalid format"}}"#), FailureKind::Configuration, &["(400)", "invalid format"]).await;
    check(answer(302, ""), FailureKind::Configuration, &["(302)", "does not say where"]).await;
    check(answer(501, "Not Implemented"), FailureKind::Configuration, &["cannot do this (501)", "Not Implemented"]).await;
    check(answer(500, ""), FailureKind::Unavailable, &["(500)", "without a word"]).await;
    check(answer(502, "<html>\n  bad gateway\n</html>"), FailureKind::Unavailable, &["(502)", "<html> bad gateway </html>"]).await;
}
