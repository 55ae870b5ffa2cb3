//! Digits of other scripts and styles that stand for ours, and the signs between them: `１９３２`, `١٢٫٥٪`.
//! What is written above the line is none of them: it may be a power or the number of a note.

/// The zeros of digits that stand for ours, each with nine others behind it: full-width and lowered ones, and those of the scripts of Arabs,
/// Persians, the peoples of India and Tibet, Thais, Laotians, Burmese, Khmers, Mongols and the Mande.
const ZEROS: [u32; 21] = [
    0xFF10, 0x2080, 0x0660, 0x06F0, 0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0B66, 0x0BE6, 0x0C66, 0x0CE6, 0x0D66, 0x0DE6, 0x0F20, 0x0E50, 0x0ED0,
    0x1040, 0x17E0, 0x1810, 0x07C0,
];
/// Digits in five styles for formulas.
const STYLED: std::ops::RangeInclusive<u32> = 0x1D7CE..=0x1D7FF;
/// What stands between such digits, and behind them, and what we write there.
const SIGNS: [(char, char); 6] = [('．', '.'), ('٫', '.'), ('，', ','), ('٬', ','), ('％', '%'), ('٪', '%')];

pub fn our_digit(letter: char) -> Option<char> {
    let code = u32::from(letter);
    let value = match code {
        0..0x0660 => return None,
        _ if STYLED.contains(&code) => (code - STYLED.start()) % 10,
        _ => ZEROS.iter().find(|zero| (**zero..**zero + 10).contains(&code)).map(|zero| code - zero)?,
    };
    char::from_digit(value, 10)
}

pub fn our_sign(letter: char) -> Option<char> {
    SIGNS.iter().find(|(theirs, _)| *theirs == letter).map(|(_, ours)| *ours)
}
