//! What the configuration chooses of a session: its mode, its model, its further options, each by the agent's own name for it.
//! What an agent does not offer is refused before anything is asked of it, with what it does offer.

use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    SessionConfigKind, SessionConfigOption, SessionConfigOptionCategory as Category, SessionConfigOptionValue, SessionConfigSelectOptions,
    SessionId, SessionModeState, SetSessionConfigOptionRequest, SetSessionModeRequest,
};
use agent_client_protocol::{Agent, Error};

use super::settings::AcpSettings;

/// What we call it when an agent cannot have what its role says; no agent answers with this.
pub(super) const MISCONFIGURED: i32 = -32_099;

/// What a session lets its client choose.
#[derive(Default)]
pub(super) struct Offered {
    pub modes: Option<SessionModeState>,
    pub options: Option<Vec<SessionConfigOption>>,
}

pub(super) async fn choose(
    connection: &ConnectionTo<Agent>,
    settings: &AcpSettings,
    id: &SessionId,
    offered: &Offered,
) -> Result<(), Error> {
    let chosen = chosen(settings, offered).map_err(|why| Error::new(MISCONFIGURED, why))?;
    if let Some(mode) = chosen.mode {
        connection.send_request(SetSessionModeRequest::new(id.clone(), mode)).block_task().await?;
    }
    for (option, value) in chosen.options {
        connection.send_request(SetSessionConfigOptionRequest::new(id.clone(), option, value)).block_task().await?;
    }
    Ok(())
}

#[derive(Debug, Default, PartialEq)]
struct Chosen {
    mode: Option<String>,
    options: Vec<(String, SessionConfigOptionValue)>,
}

fn chosen(settings: &AcpSettings, offered: &Offered) -> Result<Chosen, String> {
    let options = offered.options.as_deref().unwrap_or_default();
    let of_category = |wanted: Category| options.iter().find(|option| option.category.as_ref() == Some(&wanted));
    let mut chosen = Chosen::default();
    if let Some(mode) = &settings.mode {
        match (&offered.modes, of_category(Category::Mode)) {
            (_, Some(option)) => chosen.options.push(value(option, mode)?),
            (Some(modes), None) => {
                let known: Vec<&str> = modes.available_modes.iter().map(|mode| &*mode.id.0).collect();
                if !known.contains(&mode.as_str()) {
                    return Err(format!("it has no mode `{mode}`; there are {}", known.join(", ")));
                }
                chosen.mode = Some(mode.clone());
            }
            (None, None) => return Err(format!("it has no modes, so `session_mode = \"{mode}\"` cannot hold")),
        }
    }
    if let Some(model) = &settings.model {
        let option = of_category(Category::Model).or_else(|| options.iter().find(|option| &*option.id.0 == "model"));
        let option = option.ok_or_else(|| {
            format!(
                "it lets nobody choose its model, so `with_model = \"{model}\"` cannot hold; say it in its own arguments, if it has one"
            )
        })?;
        chosen.options.push(value(option, model)?);
    }
    for (name, wanted) in &settings.options {
        let known: Vec<&str> = options.iter().map(|option| &*option.id.0).collect();
        let option = options.iter().find(|option| &*option.id.0 == name.as_str()).ok_or_else(|| match known.is_empty() {
            true => format!("it has no options, so `{name}` of `session_options` cannot hold"),
            false => format!("it has no option `{name}`; there are {}", known.join(", ")),
        })?;
        chosen.options.push(value(option, wanted)?);
    }
    Ok(chosen)
}

fn value(option: &SessionConfigOption, wanted: &str) -> Result<(String, SessionConfigOptionValue), String> {
    let refused = |known: &str| Err(format!("its {} cannot be `{wanted}`; there are {known}", option.id.0));
    let value = match &option.kind {
        SessionConfigKind::Select(select) => {
            let known: Vec<&str> = match &select.options {
                SessionConfigSelectOptions::Ungrouped(values) => values.iter().map(|value| &*value.value.0).collect(),
                SessionConfigSelectOptions::Grouped(groups) => {
                    groups.iter().flat_map(|group| &group.options).map(|value| &*value.value.0).collect()
                }
                _ => Vec::new(),
            };
            if !known.contains(&wanted) {
                return refused(&known.join(", "));
            }
            SessionConfigOptionValue::from(wanted)
        }
        SessionConfigKind::Boolean(_) => match wanted {
            "true" => SessionConfigOptionValue::from(true),
            "false" => SessionConfigOptionValue::from(false),
            _ => return refused("true, false"),
        },
        // Of a kind that is newer than this, the agent itself must judge.
        _ => SessionConfigOptionValue::from(wanted),
    };
    Ok((option.id.0.to_string(), value))
}

#[cfg(test)]
mod tests {
    use agent_client_protocol::v1::schema::{SessionConfigSelectOption, SessionMode};

    use super::*;

    fn offered() -> Offered {
        let models = vec![SessionConfigSelectOption::new("small", "Small"), SessionConfigSelectOption::new("big", "Big")];
        let model = SessionConfigOption::select("llm", "Model", "small", models).category(Category::Model);
        let modes = SessionModeState::new("code", vec![SessionMode::new("code", "Code"), SessionMode::new("plan", "Plan")]);
        Offered { modes: Some(modes), options: Some(vec![model, SessionConfigOption::boolean("web", "Web", false)]) }
    }

    /// What is chosen, or what is said about a choice that cannot be.
    fn check(mode: Option<&str>, model: Option<&str>, option: Option<(&str, &str)>, offered: &Offered, expected: Result<&str, &str>) {
        let settings = AcpSettings {
            mode: mode.map(String::from),
            model: model.map(String::from),
            options: option.into_iter().map(|(name, value)| (name.to_string(), value.to_string())).collect(),
            ..AcpSettings::new("x", Vec::new())
        };
        let found = chosen(&settings, offered).map(|chosen| {
            let options = chosen.options.iter().map(|(name, value)| format!("{name}={}", serde_json::json!(value)["value"]));
            chosen.mode.iter().cloned().chain(options).collect::<Vec<_>>().join(" ")
        });
        match (&found, expected) {
            (Ok(found), Ok(expected)) => assert_eq!(found, expected),
            (Err(told), Err(expected)) => assert!(told.contains(expected), "{told}"),
            _ => panic!("{found:?} is not {expected:?}"),
        }
    }

    #[test]
    fn what_is_offered_is_chosen_by_its_own_name() {
        check(None, None, None, &Offered::default(), Ok(""));
        check(Some("plan"), Some("big"), Some(("web", "true")), &offered(), Ok("plan llm=\"big\" web=true"));
    }

    #[test]
    fn what_is_not_offered_is_refused_with_what_is() {
        check(Some("play"), None, None, &offered(), Err("it has no mode `play`; there are code, plan"));
        check(None, Some("huge"), None, &offered(), Err("its llm cannot be `huge`; there are small, big"));
        check(None, None, Some(("wob", "true")), &offered(), Err("it has no option `wob`; there are llm, web"));
        check(None, None, Some(("web", "perhaps")), &offered(), Err("there are true, false"));
        check(Some("plan"), None, None, &Offered::default(), Err("it has no modes"));
        check(None, Some("big"), None, &Offered::default(), Err("it lets nobody choose its model"));
        check(None, None, Some(("web", "true")), &Offered::default(), Err("it has no options"));
    }
}
