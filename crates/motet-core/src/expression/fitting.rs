//! What of a list fits into so many tokens, for prompts that must not grow beyond a context.
//! Nobody knows here how a model counts: tokens are counted high, so that what is called fitting fits.

use serde_json::Value;

use super::fuel::Fuel;
use super::functions::Argument;

/// What a line of its own takes around a member.
const FRAME_TOKENS: usize = 2;

/// The first members that have no more than so many tokens together, in these fields if some are named: no other is shown then. Null counts as
/// an empty list.
pub(super) fn fitting(list: Argument<'_>, most: Option<i64>, fields: Option<Argument<'_>>, fuel: Fuel<'_>) -> Value {
    let members = list.as_array().map_or(0, Vec::len);
    let named: Option<Vec<&str>> = fields
        .as_ref()
        .filter(|fields| !fields.is_null())
        .map(|fields| fields.as_array().into_iter().flatten().filter_map(Value::as_str).collect());
    let looks = named.as_ref().map_or(0, |named| named.len() as u64 * members as u64);
    let Some(most) = most.filter(|_| fuel.burn_copy(&list) && fuel.burn(looks)) else { return Value::Null };
    let mut left = usize::try_from(most).unwrap_or(0);
    let mut fits = |member: &Value| {
        let shown = named.as_ref().map(|named| Value::Object(named.iter().map(|name| (name.to_string(), member[*name].clone())).collect()));
        let rest = left.checked_sub(at_most(shown.as_ref().unwrap_or(member)) + FRAME_TOKENS);
        left = rest.unwrap_or(0);
        rest.is_some()
    };
    match list.into_owned() {
        Value::Array(mut members) => {
            let end = members.iter().position(|member| !fits(member)).unwrap_or(members.len());
            members.truncate(end);
            Value::Array(members)
        }
        Value::Null => Value::Array(Vec::new()),
        _ => Value::Null,
    }
}

/// One token for three letters of ASCII, one for two bytes of any other script, and at least one for every word and mark.
fn at_most(value: &Value) -> usize {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_string);
    let ascii = text.bytes().filter(u8::is_ascii).count();
    let (mut pieces, mut in_word) = (0, false);
    for letter in text.chars() {
        let is_letter = letter.is_alphanumeric();
        pieces += usize::from(!(letter.is_whitespace() || is_letter && in_word));
        in_word = is_letter;
    }
    (ascii.div_ceil(3) + (text.len() - ascii).div_ceil(2)).max(pieces)
}
