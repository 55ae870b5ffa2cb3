//! One conversation with an agent, from its first word to the end of a turn.
//! It judges no answer: what the turn came to is handed back as it is.

use std::sync::Arc;
use std::time::Duration;

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    AgentCapabilities, CancelNotification, ClientCapabilities, ContentBlock, CreateTerminalRequest, FileSystemCapabilities, Implementation,
    InitializeRequest, KillTerminalRequest, KillTerminalResponse, LoadSessionRequest, McpServer, NewSessionRequest, PromptRequest,
    PromptResponse, ReadTextFileRequest, ReleaseTerminalRequest, ReleaseTerminalResponse, RequestPermissionRequest, ResumeSessionRequest,
    SessionId, SessionNotification, TerminalOutputRequest, TextContent, WaitForTerminalExitRequest, WriteTextFileRequest,
};
use agent_client_protocol::{Agent, Client, ConnectTo, Error, on_receive_notification, on_receive_request};
use tokio::time::{Instant, sleep_until};

use super::choices::{Offered, choose};
use super::desk::{Desk, refused};
use super::settings::AcpSettings;
use crate::agent::Request;
use crate::context::Progress;
use crate::conversation::{continued, opened};
use crate::permission::Permissions;

/// How long an agent may take to end a turn that was cancelled.
pub(super) const FAREWELL: Duration = Duration::from_secs(2);

/// Speaks with the agent behind the transport until its turn has ended. None: it was told to stop and did not answer any more.
pub(super) async fn converse(
    transport: impl ConnectTo<Client> + 'static,
    desk: Arc<Desk>,
    settings: &AcpSettings,
    servers: Vec<McpServer>,
    request: &Request,
) -> Result<Option<PromptResponse>, Error> {
    let at = || desk.clone();
    let (updates, permissions, reads, writes) = (at(), at(), at(), at());
    let (creates, outputs, waits, kills, releases) = (at(), at(), at(), at(), at());
    Client
        .v1()
        .name("motet")
        .on_receive_notification(
            async move |notification: SessionNotification, _connection| {
                updates.on_update(notification);
                Ok(())
            },
            on_receive_notification!(),
        )
        .on_receive_request(
            async move |request: RequestPermissionRequest, responder, _connection| permissions.on_permission(request, responder),
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: ReadTextFileRequest, responder, connection| {
                let desk = reads.clone();
                connection.spawn(async move { responder.respond_with_result(desk.read_file(&request).await) })
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: WriteTextFileRequest, responder, connection| {
                let desk = writes.clone();
                connection.spawn(async move { responder.respond_with_result(desk.write_file(&request).await) })
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: CreateTerminalRequest, responder, connection| {
                let desk = creates.clone();
                connection.spawn(async move { responder.respond_with_result(desk.create_terminal(&request).await) })
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: TerminalOutputRequest, responder, _connection| {
                responder.respond_with_result(outputs.terminal_output(&request))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: WaitForTerminalExitRequest, responder, connection| {
                let desk = waits.clone();
                connection.spawn(async move { responder.respond_with_result(desk.terminal_exit(&request).await) })
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: KillTerminalRequest, responder, _connection| {
                let killed = kills.terminals.kill(&request.terminal_id).map_err(refused);
                responder.respond_with_result(killed.map(|()| KillTerminalResponse::new()))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: ReleaseTerminalRequest, responder, _connection| {
                let released = releases.terminals.release(&request.terminal_id).map_err(refused);
                responder.respond_with_result(released.map(|()| ReleaseTerminalResponse::new()))
            },
            on_receive_request!(),
        )
        .connect_with(transport, async move |connection: ConnectionTo<Agent>| {
            let led = lead(&connection, &desk, settings, servers, request).await;
            if connection.is_incoming_closed() {
                desk.hang_up();
            }
            led
        })
        .await
}

async fn lead(
    connection: &ConnectionTo<Agent>,
    desk: &Desk,
    settings: &AcpSettings,
    servers: Vec<McpServer>,
    request: &Request,
) -> Result<Option<PromptResponse>, Error> {
    let agent = connection.send_request(hello(desk.policy)).block_task().await?;
    let (id, offered, is_known) = open(connection, desk, &agent.agent_capabilities, servers).await?;
    choose(connection, settings, &id, &offered).await?;

    let said = if is_known { continued(request, desk.conversation().told()) } else { opened(request) };
    desk.turn().begin();
    desk.say(&id.to_string(), &said);
    let prompt = PromptRequest::new(id.clone(), vec![ContentBlock::Text(TextContent::new(said))]);
    turn(connection, desk, &id, prompt).await
}

/// What we say of ourselves.
pub(super) fn hello(policy: Permissions) -> InitializeRequest {
    let may_change = policy != Permissions::Reject;
    let files = FileSystemCapabilities::new().read_text_file(true).write_text_file(may_change);
    InitializeRequest::new(ProtocolVersion::V1)
        .client_capabilities(ClientCapabilities::new().fs(files).terminal(may_change))
        .client_info(Implementation::new("motet", env!("CARGO_PKG_VERSION")))
}

/// Takes the conversation up again if there is one and the agent can, or begins one. Tells what can be chosen in it, and which of the two.
async fn open(
    connection: &ConnectionTo<Agent>,
    desk: &Desk,
    can: &AgentCapabilities,
    servers: Vec<McpServer>,
) -> Result<(SessionId, Offered, bool), Error> {
    let known = desk.conversation().id().map(SessionId::new);
    if let Some(id) = known {
        let resumed = if can.session_capabilities.resume.is_some() {
            let resume = ResumeSessionRequest::new(id.clone(), desk.ground.root.clone()).mcp_servers(servers.clone());
            let resumed = connection.send_request(resume).block_task().await;
            resumed.map(|session| Offered { modes: session.modes, options: session.config_options })
        } else if can.load_session {
            let load = LoadSessionRequest::new(id.clone(), desk.ground.root.clone()).mcp_servers(servers.clone());
            let loaded = connection.send_request(load).block_task().await;
            loaded.map(|session| Offered { modes: session.modes, options: session.config_options })
        } else {
            Err(refused("it cannot take up a conversation again".into()))
        };
        match resumed {
            Ok(offered) => return Ok((id, offered, true)),
            Err(error) if connection.is_incoming_closed() => return Err(error),
            Err(error) => {
                desk.context.tell(Progress::Log(format!("the conversation begins anew: {}", error.message)));
                desk.conversation().forget();
            }
        }
    }
    let session = connection.send_request(NewSessionRequest::new(desk.ground.root.clone()).mcp_servers(servers)).block_task().await?;
    desk.conversation().begin(&session.session_id.to_string());
    Ok((session.session_id, Offered { modes: session.modes, options: session.config_options }, false))
}

/// Waits for the end of the turn, and ends it early if somebody must be asked or nobody waits any more.
async fn turn(
    connection: &ConnectionTo<Agent>,
    desk: &Desk,
    id: &SessionId,
    prompt: PromptRequest,
) -> Result<Option<PromptResponse>, Error> {
    let mut answer = Box::pin(connection.send_request(prompt).block_task());
    let mut give_up_at: Option<Instant> = None;
    loop {
        let deadline = give_up_at.unwrap_or_else(Instant::now);
        tokio::select! {
            biased;
            response = &mut answer => return response.map(Some),
            () = desk.asked.notified(), if give_up_at.is_none() => {}
            _ = desk.context.stopped(), if give_up_at.is_none() => {}
            () = sleep_until(deadline), if give_up_at.is_some() => return Ok(None),
        }
        connection.send_notification(CancelNotification::new(id.clone()))?;
        desk.close();
        give_up_at = Some(Instant::now() + FAREWELL);
    }
}
