//! The tool servers that a session is given, in the protocol's own form.
//! Which servers those are, and what of them, has been decided: an agent is given a server or it is not.

use agent_client_protocol::Error;
use agent_client_protocol::v1::schema::{self, AgentCapabilities, EnvVariable, HttpHeader, McpServerHttp, McpServerStdio};

use crate::mcp::{McpServer, Reached};

/// What we call it when an agent cannot have what its role says; no agent answers with this.
pub(super) const MISCONFIGURED: i32 = -32_099;

/// Every agent can start a program; one over HTTP only an agent that says so. A task without its tools is not begun.
pub(super) fn given(servers: &[McpServer], can: &AgentCapabilities) -> Result<Vec<schema::McpServer>, Error> {
    servers.iter().map(|server| one(server, can)).collect()
}

fn one(server: &McpServer, can: &AgentCapabilities) -> Result<schema::McpServer, Error> {
    match &server.reached {
        Reached::Stdio { command, env, secret_env, .. } => {
            let (program, arguments) = command.split_first().map_or(("", &[][..]), |(program, rest)| (program.as_str(), rest));
            let secrets = secret_env.iter().map(|(name, value)| EnvVariable::new(name, value.reveal()));
            let env = env.iter().map(|(name, value)| EnvVariable::new(name, value)).chain(secrets).collect();
            Ok(schema::McpServer::Stdio(McpServerStdio::new(&server.name, program).args(arguments.to_vec()).env(env)))
        }
        Reached::Http { url, headers } if can.mcp_capabilities.http => {
            let headers = headers.iter().map(|(name, value)| HttpHeader::new(name, value.reveal())).collect();
            Ok(schema::McpServer::Http(McpServerHttp::new(&server.name, url).headers(headers)))
        }
        Reached::Http { .. } => Err(Error::new(
            MISCONFIGURED,
            format!(
                "it cannot use tool servers over http, and was given `{}`: declare the server with a `command`, or take its tools from the role",
                server.name
            ),
        )),
    }
}
