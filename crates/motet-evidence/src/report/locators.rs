//! What stands behind the name of a source and says of when it is and where in it to look: `12 May 2024`, `2024`, `pp. 12–14`.
//! It reads words that were taken apart and put into small letters, and knows no names: what stands before them is asked elsewhere.

/// Behind these words stands the day on which somebody looked.
const LOOKED: [&str; 9] = ["accessed", "retrieved", "visited", "viewed", "consulted", "archived", "checked", "abgerufen", "consulté"];
const MONTHS: &str = "january february march april may june july august september october november december \
    januar februar märz mai juni juli oktober dezember";
/// Nobody has looked an address up before, and an older year may be anybody's.
const FIRST_YEAR: u16 = 1990;
const PAGE: [&str; 4] = ["p", "pp", "page", "pages"];
/// So many digits the number of a page has at most.
const LONGEST_PAGE: usize = 4;

/// How many words say on which day somebody looked: `last accessed on 3 May 2024`.
pub fn looked_up(words: &[&str]) -> usize {
    let leads = usize::from(words.first() == Some(&"last"));
    if !words.get(leads).is_some_and(|word| LOOKED.contains(word)) {
        return 0;
    }
    let behind = &words[leads + 1..];
    let length = behind.iter().take_while(|word| is_of_a_date(word)).count();
    if is_whole_date(&behind[..length]) { leads + 1 + length } else { 0 }
}

/// How many words are a day, a month of a year, or a year.
pub fn date(words: &[&str]) -> usize {
    let is_date = |length: &usize| match words.get(..*length) {
        Some([date]) => is_year(date) || is_written_in_numbers(date),
        Some([month, year]) => is_month(month) && is_year(year),
        Some(all) => !all.iter().any(|word| is_filler(word)) && is_whole_date(all),
        None => false,
    };
    [3, 2, 1].into_iter().find(is_date).unwrap_or(0)
}

/// How many words are one page, or all from one page to another: `p. 12`, `pp.12–14`.
pub fn page(words: &[&str]) -> usize {
    let is_number = |number: &str| (1..=LONGEST_PAGE).contains(&number.len()) && number.bytes().all(|digit| digit.is_ascii_digit());
    let is_place = |place: &str| match place.split_once(['-', '–']) {
        Some((first, last)) => is_number(first) && is_number(last),
        None => is_number(place),
    };
    let touches = |word: &str| word.split_once('.').is_some_and(|(page, place)| PAGE.contains(&page) && is_place(place));
    match words {
        [page, place, ..] if PAGE.contains(page) && is_place(place) => 2,
        [word, ..] if touches(word) => 1,
        _ => 0,
    }
}

fn is_year(word: &str) -> bool {
    word.len() == 4 && word.parse::<u16>().is_ok_and(|year| (FIRST_YEAR..2100).contains(&year))
}

fn is_of_a_date(word: &str) -> bool {
    is_filler(word) || is_month(word) || is_year(word) || is_day(word) || is_written_in_numbers(word)
}

/// A day of a month of a year, in words or in numbers alone; with less than these it may be anything that was counted.
fn is_whole_date(words: &[&str]) -> bool {
    let words: Vec<&str> = words.iter().copied().filter(|word| !is_filler(word)).collect();
    let has_one = |is: fn(&str) -> bool| words.iter().filter(|word| is(word)).count() == 1;
    match words.as_slice() {
        [date] => is_written_in_numbers(date),
        _ => words.len() == 3 && has_one(is_day) && has_one(is_month) && has_one(is_year),
    }
}

fn is_filler(word: &str) -> bool {
    ["on", "at", "am", "le"].contains(&word)
}

fn is_month(word: &str) -> bool {
    word == "sept" || MONTHS.split_whitespace().any(|month| month == word || month.chars().take(3).eq(word.chars()))
}

fn is_day(word: &str) -> bool {
    let number = ["st", "nd", "rd", "th"].iter().find_map(|ending| word.strip_suffix(ending)).unwrap_or(word);
    number.len() <= 2 && number.parse::<u8>().is_ok_and(|day| (1..=31).contains(&day))
}

/// `2024-05-03`, `3.5.2024`, `05/03/2024`.
fn is_written_in_numbers(word: &str) -> bool {
    let parts: Vec<&str> = word.split(['-', '/', '.']).collect();
    match parts.as_slice() {
        [year, month, day] if is_year(year) => is_day(month) && is_day(day),
        [day, month, year] => is_day(day) && is_day(month) && is_year(year),
        _ => false,
    }
}
