//! Every built-in that a workflow may call here: the pure ones of the agents, and those of the evidence library.
//! It computes nothing; whoever plays, checks or records a workflow asks here, so that all of them know the same ones.

use std::sync::LazyLock;

use motet_agents::builtins::{Builtin, Builtins, Function};

pub fn all() -> Builtins {
    static ALL: LazyLock<Builtins> = LazyLock::new(|| {
        let evidence = motet_evidence::functions::TABLE.iter().map(|described| Builtin {
            name: described.name,
            shape: described.shape,
            about: described.about,
            function: Function::Reading(described.function),
        });
        Builtins::default().and(evidence)
    });
    ALL.clone()
}
