//! The wire over `rig-core`: our conversations in its types, its streams in ours, for every provider that we speak to.
//! Nothing of it is seen outside this module and the transport, so that another client could take its place.

mod ending;

use std::sync::Arc;

use futures_util::StreamExt as _;
use motet_core::event::{Failure, FailureKind};
use rig_core::completion::{CompletionRequest, CompletionResponse, OnUnsupported, ToolDefinition};
use rig_core::message::{
    AssistantContent, AssistantMessage, Message as Turn, ToolCall as Called, ToolName, ToolResultContent, UserContent,
};
use rig_core::operation::Completion;
use rig_core::providers::openai::wire::{Auth, Dialect, OPENAI, Quirks};
use rig_core::providers::{anthropic, gemini, ollama, openai};
use rig_core::streaming::{Item, StreamEvent};
use rig_core::{DynModel, ProviderError, schemars};
use serde_json::{Map, Value, json};

use super::account::Tokens;
use super::conversation::{Message, Native, Speaker, ToolCall};
use super::governor::Governor;
use super::provider::{ModelSettings, Provider, ProviderKind};
use super::transport::Transport;
use super::trouble::{self, Trouble};
use super::wire::{Chat, Ending, Piece, Reply, Wire};
use crate::agent::BoxFuture;
use crate::tools::Tool;

/// One provider and one model of it.
pub(super) struct RigWire {
    provider: Provider,
    transport: Transport,
    client: Client,
    model: DynModel<Completion>,
    name: String,
}

/// Who lists the models.
enum Client {
    Ollama,
    OpenAi,
    Anthropic(anthropic::Anthropic),
    Gemini(gemini::Gemini),
}

impl RigWire {
    pub fn new(provider: &Provider, settings: &ModelSettings, governor: Arc<Governor>) -> Result<Self, Failure> {
        let transport = Transport::new(provider, governor)?;
        let key = provider.key.as_ref().map_or("", |key| key.reveal());
        let (address, http, name) = (provider.address(), transport.clone(), settings.model.as_str());
        let (client, model) = match provider.kind {
            ProviderKind::Ollama => {
                let client = ollama::OllamaConfig::new().with_base_url(address).with_api_key(key).connect(http);
                let model = client.native_completion(name).erase();
                (Client::Ollama, model)
            }
            ProviderKind::OpenAi | ProviderKind::OpenAiCompatible => {
                let dialect = if provider.kind == ProviderKind::OpenAi { OPENAI } else { compatible() };
                let client = openai::OpenAIConfig::with_key(&dialect, key).with_base_url(address).connect(http);
                let model = client.chat(name).erase();
                (Client::OpenAi, model)
            }
            ProviderKind::Anthropic => {
                let client = anthropic::AnthropicConfig::new(key).with_base_url(address).connect(http);
                let model = client.completion(name).erase();
                (Client::Anthropic(client), model)
            }
            ProviderKind::Gemini => {
                // The key travels in a header, which the transport adds.
                let client = gemini::GeminiConfig::new("").with_base_url(address).connect(http);
                let model = client.completion(name).erase();
                (Client::Gemini(client), model)
            }
        };
        Ok(Self { provider: provider.clone(), transport, client, model, name: settings.model.clone() })
    }

    fn request(&self, chat: Chat) -> Result<CompletionRequest, Trouble> {
        let mut history = turns(&chat.messages);
        let Some(last) = history.pop() else {
            return Err(Trouble::new(FailureKind::Configuration, "there is nothing to ask: the prompt is empty"));
        };
        let mut request = CompletionRequest::new(last)
            .temperature(chat.temperature)
            .max_tokens(chat.max_tokens)
            .on_unsupported(OnUnsupported::Ignore)
            // What every word means is told in `ending`.
            .accept_unknown_finish_reasons(true)
            .tools(chat.tools.iter().filter_map(definition).collect());
        history.append(&mut request.chat_history);
        request.chat_history = history;
        let mut more = Map::new();
        match chat.seed {
            // The client crate knows no options of servers that it does not know.
            Some(seed) if self.provider.kind == ProviderKind::OpenAiCompatible => {
                more.insert("seed".into(), seed.into());
            }
            Some(seed) => request = request.seed(seed),
            None => {}
        }
        if let Some(tokens) = chat.context_tokens {
            // A prompt that does not fit is to be refused, not cut in silence. Servers too old to know this ignore it.
            more.extend([("truncate".to_string(), false.into()), ("num_ctx".to_string(), tokens.into())]);
        }
        match chat.schema {
            Some(schema) if self.provider.kind == ProviderKind::OpenAiCompatible => {
                // Servers with grammars take any schema; the strict form of OpenAI would be a loss.
                let format = json!({ "type": "json_schema", "json_schema": { "name": "answer", "strict": false, "schema": schema } });
                more.insert("response_format".into(), format);
            }
            Some(schema) => {
                let schema = schemars::Schema::try_from(schema)
                    .map_err(|error| Trouble::new(FailureKind::Configuration, format!("the schema cannot be sent: {error}")))?;
                request = request.output_schema(schema);
            }
            None => {}
        }
        Ok(if more.is_empty() { request } else { request.additional_params(Value::Object(more)) })
    }

    async fn converse(&self, chat: Chat, hear: &mut (dyn FnMut(Piece) + Send)) -> Result<Reply, Trouble> {
        let most = longest_answer(chat.max_tokens);
        let request = self.request(chat)?;
        let wrong = |error: ProviderError| trouble::of(&error, &self.provider);
        let mut stream = self.model.stream(request).map_err(wrong)?;
        let mut written = 0;
        while let Some(item) = stream.next().await {
            written += match item.map_err(wrong)? {
                Item::Event(StreamEvent::Text { text, .. }) => heard(text, Piece::Text, hear),
                Item::Event(StreamEvent::Reasoning { text, .. }) => heard(text, Piece::Thought, hear),
                Item::Event(StreamEvent::Arguments { json, .. }) => json.len(),
                Item::Event(_) | Item::Unknown(_) => 0,
            };
            if written > most {
                return Err(trouble::does_not_end(written, &self.provider));
            }
        }
        let response = stream.finish().await.map_err(wrong)?;
        match ending::of(&response, &self.provider) {
            Ok(ending) => Ok(reply(&response, ending)),
            Err(trouble) => {
                let (read, wrote) = counted(&response);
                Err(Trouble { counted: read.zip(wrote).map(|(input, output)| Tokens { input, output }), ..trouble })
            }
        }
    }

    /// The names in a list of models. The client crate wants fields there that some servers leave out.
    async fn names(&self, path: &str, list: &str, name: &str) -> Result<Vec<String>, Trouble> {
        let found = self.small(path, None).await?;
        let models = found.as_ref().and_then(|found| found.get(list)?.as_array());
        let models = models.ok_or_else(|| trouble::another_server(&self.provider))?;
        Ok(models.iter().filter_map(|model| model.get(name)?.as_str().map(String::from)).collect())
    }

    /// One of a server's small answers; None if the server does not know the address.
    async fn small(&self, path: &str, body: Option<Value>) -> Result<Option<Value>, Trouble> {
        let address = format!("{}/{path}", self.provider.address());
        let answered = self.transport.json(&address, self.provider.key.as_ref().map(|key| key.reveal()), body.as_ref()).await;
        let (status, headers, bytes) = answered.map_err(|broken| trouble::of_broken(&broken, &self.provider))?;
        match status {
            404 => Ok(None),
            300.. => Err(trouble::of_response(Some(status), &String::from_utf8_lossy(&bytes), Some(&headers), false, &self.provider)),
            _ => serde_json::from_slice(&bytes).map(Some).map_err(|_| trouble::another_server(&self.provider)),
        }
    }
}

impl Wire for RigWire {
    fn chat<'a>(&'a self, chat: Chat, hear: &'a mut (dyn FnMut(Piece) + Send)) -> BoxFuture<'a, Result<Reply, Trouble>> {
        Box::pin(self.converse(chat, hear))
    }

    fn models(&self) -> BoxFuture<'_, Result<Vec<String>, Trouble>> {
        Box::pin(async {
            let found = match &self.client {
                Client::Ollama => return self.names("api/tags", "models", "name").await,
                Client::OpenAi => return self.names("models", "data", "id").await,
                Client::Anthropic(client) => client.list_models().await,
                Client::Gemini(client) => client.list_models().await,
            };
            let found = found.map_err(|error| match trouble::of(&error, &self.provider) {
                trouble if trouble.failure.kind == FailureKind::NotFound => trouble::another_server(&self.provider),
                trouble => trouble,
            })?;
            Ok(found.data.into_iter().map(|model| model.id.strip_prefix("models/").map_or(model.id.clone(), String::from)).collect())
        })
    }

    fn longest_context(&self) -> BoxFuture<'_, Result<Option<u64>, Trouble>> {
        Box::pin(async {
            if self.provider.kind != ProviderKind::Ollama {
                return Ok(None);
            }
            match self.small("api/show", Some(json!({ "model": self.name }))).await {
                Ok(shown) => Ok(shown.as_ref().and_then(context_length)),
                // A server that is not there now may be there, and may tell, at the next attempt.
                Err(trouble) if trouble.failure.kind.is_transient() => Err(trouble),
                Err(_) => Ok(None),
            }
        })
    }

    fn version(&self) -> BoxFuture<'_, Result<Option<String>, Trouble>> {
        Box::pin(async {
            if self.provider.kind != ProviderKind::Ollama {
                return Ok(None);
            }
            let found = self.small("api/version", None).await?;
            let version = found.as_ref().and_then(|found| found.get("version")?.as_str());
            version.map(|version| Some(version.to_string())).ok_or_else(|| trouble::another_server(&self.provider))
        })
    }
}

/// Passes a piece on, and tells how long it is.
fn heard(text: String, piece: fn(String) -> Piece, hear: &mut (dyn FnMut(Piece) + Send)) -> usize {
    let length = text.len();
    hear(piece(text));
    length
}

/// How many bytes an answer of so many tokens can have. No token is as long, and a server may count a little differently from us.
fn longest_answer(max_tokens: u64) -> usize {
    const BYTES_OF_A_TOKEN: u64 = 64;
    const ALWAYS: u64 = 1024 * 1024;
    usize::try_from(max_tokens.saturating_mul(BYTES_OF_A_TOKEN).max(ALWAYS)).unwrap_or(usize::MAX)
}

/// A server that speaks OpenAI's format and need not ask for a key, nor say why a model stopped if it says that it did.
fn compatible() -> Dialect {
    let mut quirks = Quirks::openai().done_without_finish_reason();
    quirks.auth = Auth::OptionalBearer;
    Dialect::gateway("openai_compatible", "", "").with_quirks(quirks)
}

fn context_length(shown: &Value) -> Option<u64> {
    let facts = shown.get("model_info")?.as_object()?;
    facts.iter().find(|(name, _)| name.ends_with(".context_length")).and_then(|(_, length)| length.as_u64())
}

fn definition(tool: &Tool) -> Option<ToolDefinition> {
    Some(ToolDefinition::new(ToolName::new(tool.name.clone()).ok()?, tool.description.clone(), tool.parameters.clone()))
}

/// The conversation in the client's types: what one side says in a row is one turn, as some providers want it.
fn turns(messages: &[Message]) -> Vec<Turn> {
    let mut turns: Vec<Turn> = Vec::new();
    let mut calls: Vec<Called> = Vec::new();
    // Every provider wants something to answer to.
    let only_system = messages.iter().all(|message| message.speaker == Speaker::System);
    for message in messages {
        match message.speaker {
            Speaker::System if !only_system => turns.push(Turn::system(&message.content)),
            Speaker::System | Speaker::User => say(&mut turns, &message.content),
            Speaker::Assistant => {
                let turn = message.native.0.as_deref().cloned().unwrap_or_else(|| assistant(message));
                if let Turn::Assistant(said) = &turn {
                    calls.extend(said.tool_calls().cloned());
                }
                turns.push(turn);
            }
            Speaker::Tool => {
                let Some(call) = calls.iter().find(|call| Some(call.id.to_string()) == message.answers) else { continue };
                let result = UserContent::ToolResult(call.result(vec![ToolResultContent::text(&message.content)]));
                match turns.last_mut() {
                    Some(Turn::User { content }) if matches!(content.last(), Some(UserContent::ToolResult(_))) => content.push(result),
                    _ => turns.push(Turn::User { content: vec![result] }),
                }
            }
        }
    }
    turns
}

fn say(turns: &mut Vec<Turn>, words: &str) {
    if let Some(Turn::User { content }) = turns.last_mut()
        && let Some(UserContent::Text(text)) = content.last_mut()
    {
        text.text = format!("{}\n\n{words}", text.text);
        return;
    }
    turns.push(Turn::user(words));
}

fn assistant(message: &Message) -> Turn {
    let mut content = Vec::new();
    if !message.content.is_empty() {
        content.push(AssistantContent::text(&message.content));
    }
    for call in &message.tool_calls {
        if let Ok(name) = ToolName::new(call.name.clone()) {
            content.push(AssistantContent::tool_call(&call.id, name, call.arguments.clone()));
        }
    }
    Turn::Assistant(AssistantMessage::new(content))
}

fn reply(response: &CompletionResponse, ending: Ending) -> Reply {
    let calls: Vec<ToolCall> = response
        .tool_calls()
        .map(|call| ToolCall {
            id: call.id.to_string(),
            name: call.function.name.to_string(),
            arguments: Value::Object(call.function.arguments.clone()),
            unreadable: call.function.invalid_arguments.clone(),
        })
        .collect();
    let text = response.text();
    let (tokens_in, tokens_out) = counted(response);
    let mut turn = Message::new(Speaker::Assistant, text.clone());
    turn.tool_calls.clone_from(&calls);
    turn.native = Native(response.message().map(Arc::new));
    Reply { text, thoughts: response.reasoning(), calls, ending, finish: ending::word(response), tokens_in, tokens_out, turn }
}

/// What the server says that it read and wrote. Some leave out what they did not count, and others say zero: no prompt has no tokens.
fn counted(response: &CompletionResponse) -> (Option<u64>, Option<u64>) {
    let is_empty = response.text().is_empty() && response.tool_calls().next().is_none() && response.reasoning().is_empty();
    let read = response.usage.input_tokens.filter(|tokens| *tokens > 0);
    (read, response.usage.output_tokens.filter(|tokens| *tokens > 0 || is_empty))
}
