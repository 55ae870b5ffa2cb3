//! Currencies, so that 3.4 billion euros do not bear out 3.4 billion dollars, while `$`, `US$`, `USD` and `dollars` do bear out each other.
//! No exchange rates: an amount that was converted is another number.

use super::{Kind, Reader};

/// What is paid with. Of `$5` the family is said, and not whose dollars they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Currency {
    /// Empty where even the family is open, as for `¥` and `cents`.
    family: &'static str,
    country: &'static str,
}

impl Currency {
    /// Whether both may be the same money.
    pub fn agrees(self, other: Self) -> bool {
        let alike = |one: &str, other: &str| one == other || one.is_empty() || other.is_empty();
        alike(self.family, other.family) && alike(self.country, other.country)
    }
}

const fn currency(family: &'static str, country: &'static str) -> Currency {
    Currency { family, country }
}

static SYMBOLS: [(&str, Currency); 10] = [
    ("$", currency("dollar", "")),
    ("€", currency("euro", "")),
    ("£", currency("pound", "")),
    ("¥", currency("", "")),
    ("₹", currency("rupee", "")),
    ("₩", currency("won", "")),
    ("₽", currency("rouble", "")),
    ("₺", currency("lira", "")),
    ("₪", currency("shekel", "")),
    ("₴", currency("hryvnia", "")),
];

/// What may stand before `$`.
static DOLLARS: [(&str, Currency); 11] = [
    ("US", currency("dollar", "us")),
    ("A", currency("dollar", "australia")),
    ("AU", currency("dollar", "australia")),
    ("C", currency("dollar", "canada")),
    ("CA", currency("dollar", "canada")),
    ("NZ", currency("dollar", "newzealand")),
    ("HK", currency("dollar", "hongkong")),
    ("S", currency("dollar", "singapore")),
    ("SG", currency("dollar", "singapore")),
    ("NT", currency("dollar", "taiwan")),
    ("R", currency("real", "")),
];

/// As they are written before or after a number.
static CODES: [(&str, Currency); 26] = [
    ("USD", currency("dollar", "us")),
    ("AUD", currency("dollar", "australia")),
    ("CAD", currency("dollar", "canada")),
    ("NZD", currency("dollar", "newzealand")),
    ("HKD", currency("dollar", "hongkong")),
    ("SGD", currency("dollar", "singapore")),
    ("EUR", currency("euro", "")),
    ("GBP", currency("pound", "britain")),
    ("CHF", currency("franc", "switzerland")),
    ("JPY", currency("yen", "")),
    ("CNY", currency("yuan", "")),
    ("RMB", currency("yuan", "")),
    ("INR", currency("rupee", "india")),
    ("Rs", currency("rupee", "")),
    ("KRW", currency("won", "")),
    ("RUB", currency("rouble", "")),
    ("BRL", currency("real", "")),
    ("MXN", currency("peso", "mexico")),
    ("ZAR", currency("rand", "")),
    ("SEK", currency("crown", "sweden")),
    ("NOK", currency("crown", "norway")),
    ("DKK", currency("crown", "denmark")),
    ("CZK", currency("crown", "czechia")),
    ("PLN", currency("zloty", "")),
    ("HUF", currency("forint", "")),
    ("ILS", currency("shekel", "")),
];

static WORDS: [(&[&str], Currency); 17] = [
    (&["dollar", "dollars"], currency("dollar", "")),
    (&["euro", "euros"], currency("euro", "")),
    (&["pound", "pounds"], currency("pound", "")),
    (&["yen"], currency("yen", "")),
    (&["yuan", "renminbi"], currency("yuan", "")),
    (&["rupee", "rupees"], currency("rupee", "")),
    (&["franc", "francs"], currency("franc", "")),
    (&["rouble", "roubles", "ruble", "rubles"], currency("rouble", "")),
    (&["krona", "kronor", "krone", "kroner", "crowns"], currency("crown", "")),
    (&["peso", "pesos"], currency("peso", "")),
    (&["lira", "liras"], currency("lira", "")),
    (&["zloty", "zlotys"], currency("zloty", "")),
    (&["forint", "forints"], currency("forint", "")),
    (&["shekel", "shekels"], currency("shekel", "")),
    (&["hryvnia", "hryvnias"], currency("hryvnia", "")),
    (&["rand"], currency("rand", "")),
    (&["dirham", "dirhams"], currency("dirham", "")),
];

/// Whose dollars, pounds, francs or crowns.
static COUNTRIES: [(&str, &str); 14] = [
    ("us", "us"),
    ("american", "us"),
    ("canadian", "canada"),
    ("australian", "australia"),
    ("singapore", "singapore"),
    ("british", "britain"),
    ("egyptian", "egypt"),
    ("swiss", "switzerland"),
    ("swedish", "sweden"),
    ("norwegian", "norway"),
    ("danish", "denmark"),
    ("czech", "czechia"),
    ("mexican", "mexico"),
    ("indian", "india"),
];

/// Money in parts of a hundred.
static HUNDREDTHS: [(&str, Currency); 4] =
    [("cent", currency("", "")), ("cents", currency("", "")), ("pence", currency("pound", "")), ("kopecks", currency("rouble", ""))];

/// The currency before a number, and the token that it begins at.
pub fn before(reader: &Reader, at: usize) -> Option<(usize, Currency)> {
    let place = at.checked_sub(1)?;
    let raw = reader.raw(place);
    if let Some((_, found)) = SYMBOLS.iter().find(|(symbol, _)| *symbol == raw) {
        let prefix = place.checked_sub(1).filter(|_| raw == "$" && reader.touches(place));
        let whose =
            prefix.and_then(|prefix| DOLLARS.iter().find(|(whose, _)| *whose == reader.raw(prefix)).map(|(_, found)| (prefix, *found)));
        return Some(whose.unwrap_or((place, *found)));
    }
    let place = if raw == "." && reader.touches(place) { place.checked_sub(1)? } else { place };
    CODES.iter().find(|(code, _)| *code == reader.raw(place)).map(|(_, found)| (place, *found))
}

/// The currency after a number, the token after it, and whether it counts hundredths.
pub fn after(reader: &Reader, next: usize) -> Option<(usize, Currency, bool)> {
    let raw = reader.raw(next);
    if reader.kind(next)? != Kind::Word {
        let symbol = SYMBOLS.iter().find(|(symbol, _)| *symbol == raw).map(|(_, found)| (next + 1, *found, false));
        // `5 $6`: the sign belongs to what it touches.
        return symbol.filter(|_| reader.kind(next + 1) != Some(Kind::Number) || !reader.touches(next + 1));
    }
    if let Some((_, found)) = CODES.iter().find(|(code, _)| *code == raw) {
        return Some((next + 1, *found, false));
    }
    let word = reader.word(next);
    if let Some((_, found)) = HUNDREDTHS.iter().find(|(name, _)| *name == word) {
        return Some((next + 1, *found, true));
    }
    let named = |word: &str| WORDS.iter().find(|(names, _)| names.contains(&word)).map(|(_, found)| *found);
    if let Some(found) = named(&word) {
        return Some((next + 1, found, false));
    }
    let (_, country) = COUNTRIES.iter().find(|(name, _)| *name == word)?;
    let found = named(&reader.word(next + 1))?;
    Some((next + 2, Currency { country, ..found }, false))
}
