//! What `.gitignore` files leave out, as git reads them: later lines win, `!` takes back, `**` crosses folders.
//! Patterns with character classes match letter by letter here; nothing else is left out of the language.

use std::fs;
use std::path::{Path, PathBuf};

/// The rules that hold in a folder, those of the folders above included.
#[derive(Clone, Default)]
pub(super) struct Ignored {
    rules: Vec<Rule>,
}

#[derive(Clone)]
struct Rule {
    folder: PathBuf,
    pattern: String,
    takes_back: bool,
    folders_only: bool,
    /// It names a place, not just a name.
    anchored: bool,
}

impl Ignored {
    /// These rules, and those that a folder adds.
    pub(super) fn with(&self, folder: &Path) -> Self {
        let mut rules = self.rules.clone();
        let text = fs::read_to_string(folder.join(".gitignore")).unwrap_or_default();
        rules.extend(text.lines().filter_map(|line| rule(folder, line)));
        Self { rules }
    }

    pub(super) fn covers(&self, path: &Path, is_folder: bool) -> bool {
        let last = self.rules.iter().rev().find(|rule| rule.matches(path, is_folder));
        last.is_some_and(|rule| !rule.takes_back)
    }
}

fn rule(folder: &Path, line: &str) -> Option<Rule> {
    let line = line.trim_end();
    if line.is_empty() || line.starts_with('#') {
        return None;
    }
    let (line, takes_back) = line.strip_prefix('!').map_or((line, false), |line| (line, true));
    let (line, folders_only) = line.strip_suffix('/').map_or((line, false), |line| (line, true));
    let anchored = line.contains('/');
    let pattern = line.trim_start_matches('/').trim_start_matches('\\').to_string();
    (!pattern.is_empty()).then(|| Rule { folder: folder.to_path_buf(), pattern, takes_back, folders_only, anchored })
}

impl Rule {
    fn matches(&self, path: &Path, is_folder: bool) -> bool {
        if self.folders_only && !is_folder {
            return false;
        }
        let Ok(inside) = path.strip_prefix(&self.folder) else { return false };
        let inside = inside.to_string_lossy().replace('\\', "/");
        match self.anchored {
            true => segments_match(&self.pattern.split('/').collect::<Vec<_>>(), &inside.split('/').collect::<Vec<_>>()),
            false => name_matches(&self.pattern, inside.rsplit('/').next().unwrap_or_default()),
        }
    }
}

/// `**` stands for any number of folders. Tried by a table, so that no pattern can make it slow.
fn segments_match(pattern: &[&str], path: &[&str]) -> bool {
    let mut reached = vec![false; path.len() + 1];
    reached[0] = true;
    for part in pattern {
        let mut next = vec![false; path.len() + 1];
        for at in 0..=path.len() {
            if *part == "**" {
                next[at] = reached[at] || (at > 0 && next[at - 1]);
            } else if at > 0 && reached[at - 1] {
                next[at] = name_matches(part, path[at - 1]);
            }
        }
        reached = next;
    }
    reached[path.len()]
}

fn name_matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut at, mut of, mut star) = (0, 0, None);
    while of < name.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, of));
                at += 1;
            }
            Some(letter) if *letter == '?' || *letter == name[of] => {
                at += 1;
                of += 1;
            }
            _ => match star {
                Some((star_at, star_of)) => {
                    star = Some((star_at, star_of + 1));
                    at = star_at + 1;
                    of = star_of + 1;
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|letter| *letter == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(lines: &[&str], path: &str, is_folder: bool, covered: bool) {
        let folder = Path::new("/docs");
        let ignored = Ignored { rules: lines.iter().filter_map(|line| rule(folder, line)).collect() };
        assert_eq!(ignored.covers(&folder.join(path), is_folder), covered, "{path} under {lines:?}");
    }

    #[test]
    fn patterns_mean_what_they_mean_to_git() {
        check(&["*.log"], "a/b/x.log", false, true);
        check(&["*.log"], "x.log.md", false, false);
        check(&["/out"], "out", true, true);
        check(&["/out"], "a/out", true, false);
        check(&["drafts/"], "drafts", true, true);
        check(&["drafts/"], "drafts", false, false);
        check(&["a/**/z.md"], "a/b/c/z.md", false, true);
        check(&["a/**/z.md"], "a/z.md", false, true);
        check(&["**/tmp"], "x/y/tmp", true, true);
        check(&["*.md", "!keep.md"], "keep.md", false, false);
        check(&["# comment", "", "note?.txt"], "note1.txt", false, true);
        check(&["*a*b*c*d*e*f*g*h"], &"abcdefg".repeat(40), false, false);
    }
}
