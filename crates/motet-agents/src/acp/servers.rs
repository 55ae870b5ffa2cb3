//! The tool servers that a session is given, in the protocol's own form.
//! Which servers those are, and what of them, has been decided; each is a program of ours, which every agent can start.

use agent_client_protocol::v1::schema::{self, EnvVariable, McpServerStdio};

use crate::mcp::RelayedServer;

pub(super) fn given(servers: &[RelayedServer]) -> Vec<schema::McpServer> {
    servers.iter().map(one).collect()
}

fn one(server: &RelayedServer) -> schema::McpServer {
    let (program, arguments) = server.command.split_first().map_or(("", &[][..]), |(program, rest)| (program.as_str(), rest));
    let secrets = server.secret_env.iter().map(|(name, value)| EnvVariable::new(name, value.reveal()));
    let env = server.env.iter().map(|(name, value)| EnvVariable::new(name, value)).chain(secrets).collect();
    schema::McpServer::Stdio(McpServerStdio::new(&server.name, program).args(arguments.to_vec()).env(env))
}
