//! The rows of a Markdown table as sentences, since much of what documents know stands in tables.
//! A row is read with the heading of its columns; a table whose heading is not there is left alone.

/// Every row as a sentence, with the row as it stands in the text.
pub fn statements(text: &str) -> Vec<(String, String)> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let mut found = Vec::new();
    let mut heading: Option<Vec<&str>> = None;
    for (place, line) in lines.iter().enumerate() {
        let is_rule = |line: &str| line.contains('-') && line.chars().all(|character| "|-: ".contains(character)) && line.contains('|');
        let Some(cells) = cells(line) else {
            heading = None;
            continue;
        };
        if lines.get(place + 1).is_some_and(|next| is_rule(next)) {
            heading = Some(cells);
        } else if let Some(heading) = heading.as_ref().filter(|heading| heading.len() == cells.len() && !is_rule(line)) {
            found.extend(statement(heading, &cells).map(|statement| (statement, (*line).to_string())));
        }
    }
    found
}

/// The bars at both ends may be left out.
fn cells(line: &str) -> Option<Vec<&str>> {
    let row = line.strip_prefix('|').unwrap_or(line);
    let row = row.strip_suffix('|').unwrap_or(row);
    line.contains('|').then(|| row.split('|').map(str::trim).collect())
}

/// The first cell says what the row is about. None: it says nothing.
fn statement(heading: &[&str], cells: &[&str]) -> Option<String> {
    let named = |heading: &str, between: &str, cell: &str| match heading.is_empty() {
        true => cell.to_string(),
        false => format!("{heading}{between}{cell}"),
    };
    let subject = named(heading.first()?, " ", cells.first().filter(|cell| !cell.is_empty())?);
    let rest: Vec<String> =
        heading.iter().zip(cells).skip(1).filter(|(_, cell)| !cell.is_empty()).map(|(name, cell)| named(name, ": ", cell)).collect();
    // Links and markup in a cell would not read as words.
    if rest.is_empty() || cells.iter().any(|cell| cell.contains("](") || cell.contains('<')) {
        return None;
    }
    let mut letters = subject.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    let said = format!("{first}{}, {}", letters.as_str(), rest.join("; "));
    Some(if said.ends_with(['.', '!', '?']) { said } else { said + "." })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(table: &str, expected: &[&str]) {
        let said: Vec<String> = statements(table).into_iter().map(|(statement, _)| statement).collect();
        assert_eq!(said, expected);
        assert!(statements(table).iter().all(|(_, row)| table.contains(row)), "{table}");
    }

    #[test]
    fn a_row_is_said_with_the_heading_of_its_columns() {
        check("| class | after a restart |\n|---|---|\n| `pure` | runs again |\n", &["Class `pure`, after a restart: runs again."]);
        check("| | |\n|:--|--:|\n| `plan.md` | the plan |\n", &["`plan.md`, the plan."]);
        check(
            "|City|Opened|Length|\n|---|---|---|\n|Bern|1932| |\n|Rome|1950|12 km|",
            &["City Bern, Opened: 1932.", "City Rome, Opened: 1950; Length: 12 km."],
        );
    }

    #[test]
    fn the_bars_at_both_ends_may_be_left_out() {
        check("Plan | Price | Seats\n--- | --- | ---\nTeam | €20 | 10\n\nOther | text\n", &["Plan Team, Price: €20; Seats: 10."]);
        check("Plan | Price |\n---|---|\nTeam | €20 |\nFree | |\n", &["Plan Team, Price: €20."]);
    }

    #[test]
    fn what_is_no_whole_table_is_left_alone() {
        check("| half | a row |\n| of | a table |\n", &[]);
        check("Either a | b or c.\n", &[]);
        check("| a | b |\n|---|---|\n| only one cell |\n| | x |\n", &[]);
        check("| a | b |\n|---|---|\n| one<br>two | x |\n| three | [four](5.md) |\n", &[]);
    }
}
