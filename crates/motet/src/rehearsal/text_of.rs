//! Small texts of a rehearsal: words for statuses, and files that grow line by line.

use std::collections::BTreeMap;

use motet_core::files::Projected;
use motet_core::state::TaskStatus;

pub fn word(status: TaskStatus) -> String {
    serde_json::to_value(status).ok().and_then(|word| word.as_str().map(str::to_owned)).unwrap_or_default()
}

/// Adds what one event gives to a file, every addition ending as lines do.
pub fn append(files: &mut BTreeMap<String, Result<String, String>>, line: Projected) {
    let file = files.entry(line.path).or_insert_with(|| Ok(String::new()));
    match (file, line.content) {
        (Ok(text), Ok(added)) => {
            text.push_str(&added);
            if !text.ends_with('\n') {
                text.push('\n');
            }
        }
        (file, Err(why)) => *file = Err(why),
        (Err(_), Ok(_)) => {}
    }
}
