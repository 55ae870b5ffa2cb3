//! What keeps a model from being asked, found without asking it anything.

use motet_agents::Secret;
use motet_agents::model::{ModelAgent, ModelSettings, Provider, ProviderKind};
use motet_testkit::providers::{FakeProvider, Line};

use super::{KEY, agent, nobody_listens, provider};

/// Whether a server that tells of its models with this status stands in the way.
async fn check(status: u16, expected: bool) {
    for kind in ProviderKind::ALL.into_iter().filter(|kind| *kind != ProviderKind::Ollama) {
        let server = FakeProvider::start([Line::Silent]).listing_with(status);
        let obstacle = agent(kind, &server).obstacle().await;
        assert_eq!(obstacle.is_some(), expected, "{kind} {status}: {obstacle:?}");
        assert!(server.chats().is_empty(), "{kind}: nobody is asked");
    }
}

#[tokio::test]
async fn a_server_that_does_not_list_its_models_is_no_obstacle() {
    for status in [200, 401, 403, 404, 405, 429, 500, 501] {
        check(status, false).await;
    }
}

#[tokio::test]
async fn a_gateway_with_nobody_behind_it_is_an_obstacle() {
    for status in [502, 503, 521] {
        check(status, true).await;
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_an_obstacle_whatever_its_kind() {
    let address = nobody_listens().await;
    for kind in ProviderKind::ALL {
        let provider = Provider::at(kind, &address).unwrap().with_key(Secret::new(KEY), "KEY");
        let agent = ModelAgent::new(provider, ModelSettings::new("m")).unwrap();
        let message = agent.obstacle().await.expect("nobody listens").message;
        assert!(message.contains("is not running at"), "{kind}: {message}");
    }
}

#[tokio::test]
async fn only_ollama_is_known_to_list_all_that_it_has() {
    let server = FakeProvider::start([Line::Silent]);
    for kind in ProviderKind::ALL {
        let agent = ModelAgent::new(provider(kind, &server), ModelSettings::new("unlisted")).unwrap();
        assert_eq!(agent.obstacle().await.is_some(), kind == ProviderKind::Ollama, "{kind}");
    }
}
