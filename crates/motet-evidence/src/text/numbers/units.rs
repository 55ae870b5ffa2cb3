//! Units that the same length, mass, area, time or speed is given in, so that 5 km agrees with 3.1 miles and 5 mg not with 5 g.
//! Only what reports convert every day; other units are words like any other.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::Reader;

/// What a unit measures, and how much of the base unit it is.
#[derive(Debug, PartialEq)]
pub struct Unit {
    pub dimension: &'static str,
    pub factor: f64,
    /// What is added before: 32 degrees Fahrenheit are none of Celsius.
    pub offset: f64,
    names: &'static [&'static str],
}

const fn unit(dimension: &'static str, factor: f64, names: &'static [&'static str]) -> Unit {
    Unit { dimension, factor, offset: 0.0, names }
}

static UNITS: [Unit; 60] = [
    unit("length", 1000.0, &["km", "kilometre", "kilometres", "kilometer", "kilometers"]),
    unit("length", 1.0, &["metre", "metres", "meter", "meters"]),
    unit("length", 0.01, &["cm", "centimetre", "centimetres", "centimeter", "centimeters"]),
    unit("length", 0.001, &["mm", "millimetre", "millimetres", "millimeter", "millimeters"]),
    unit("length", 1e-6, &["\u{3bc}m", "micrometre", "micrometres", "micrometer", "micrometers"]),
    unit("length", 1e-9, &["nm", "nanometre", "nanometres", "nanometer", "nanometers"]),
    unit("length", 1609.344, &["mile", "miles", "mi"]),
    unit("length", 0.3048, &["foot", "feet", "ft"]),
    unit("length", 0.9144, &["yard", "yards", "yd"]),
    unit("length", 0.0254, &["inch", "inches"]),
    unit("mass", 1.0, &["kg", "kilogram", "kilograms", "kilogramme", "kilogrammes", "kilo", "kilos"]),
    unit("mass", 0.001, &["gram", "grams", "gramme", "grammes"]),
    unit("mass", 0.453_592_37, &["lb", "lbs"]),
    unit("mass", 0.028_349_5, &["oz", "ounce", "ounces"]),
    unit("mass", 0.000_001, &["mg", "milligram", "milligrams", "milligramme", "milligrammes"]),
    unit("mass", 1e-9, &["\u{3bc}g", "mcg", "microgram", "micrograms", "microgramme", "microgrammes"]),
    unit("mass", 1000.0, &["tonne", "tonnes"]),
    unit("area", 10_000.0, &["hectare", "hectares", "ha"]),
    unit("area", 4046.856, &["acre", "acres"]),
    unit("area", 1e6, &["km2", "km²"]),
    unit("area", 2_589_988.0, &["mi2", "mi²"]),
    unit("area", 1.0, &["m2", "m²", "sqm"]),
    unit("area", 0.092_903, &["ft2", "ft²", "sqft"]),
    unit("volume", 1.0, &["litre", "litres", "liter", "liters"]),
    unit("volume", 0.001, &["ml", "millilitre", "millilitres", "milliliter", "milliliters"]),
    unit("volume", 1000.0, &["m3", "m³"]),
    unit("volume", 3.785_41, &["gallon", "gallons"]),
    unit("time", 1e-6, &["\u{3bc}s", "microsecond", "microseconds"]),
    unit("time", 0.001, &["ms", "millisecond", "milliseconds"]),
    unit("time", 1.0, &["second", "seconds", "sec", "secs"]),
    unit("time", 60.0, &["minute", "minutes", "min", "mins"]),
    unit("time", 3600.0, &["hour", "hours", "hr", "hrs"]),
    unit("time", 86_400.0, &["day", "days"]),
    unit("time", 604_800.0, &["week", "weeks"]),
    unit("time", 2_629_800.0, &["month", "months"]),
    unit("time", 31_557_600.0, &["year", "years", "yr", "yrs"]),
    unit("time", 315_576_000.0, &["decade", "decades"]),
    unit("time", 3_155_760_000.0, &["centuries"]),
    unit("energy", 1e9, &["gwh"]),
    unit("energy", 1e6, &["mwh"]),
    unit("energy", 1e3, &["kwh"]),
    unit("energy", 1e12, &["twh"]),
    unit("power", 1e6, &["mw", "megawatt", "megawatts"]),
    unit("power", 1e9, &["gw", "gigawatt", "gigawatts"]),
    unit("power", 1e3, &["kw", "kilowatt", "kilowatts"]),
    unit("power", 1.0, &["watt", "watts"]),
    unit("data", 1e3, &["kb", "kilobyte", "kilobytes"]),
    unit("data", 1e6, &["mb", "megabyte", "megabytes"]),
    unit("data", 1e9, &["gb", "gigabyte", "gigabytes"]),
    unit("data", 1e12, &["tb", "terabyte", "terabytes"]),
    unit("frequency", 1.0, &["hz", "hertz"]),
    unit("frequency", 1e3, &["khz", "kilohertz"]),
    unit("frequency", 1e6, &["mhz", "megahertz"]),
    unit("frequency", 1e9, &["ghz", "gigahertz"]),
    unit("speed", 1.0 / 3.6, &["kph", "kmh", "km/h"]),
    unit("speed", 0.447_04, &["mph", "mi/h"]),
    unit("speed", 1.0, &["m/s"]),
    unit("temperature", 1.0, &["celsius"]),
    Unit { dimension: "temperature", factor: 5.0 / 9.0, offset: -32.0, names: &["fahrenheit"] },
    unit("multiple", 1.0, &["times", "fold"]),
];

/// Letters that are a unit only as they are written here, and their names above.
const LETTERS: [(&str, &str); 8] =
    [("m", "metre"), ("g", "gram"), ("s", "second"), ("h", "hour"), ("t", "tonne"), ("l", "litre"), ("L", "litre"), ("W", "watt")];

/// The unit after a number, and the token after it. Pounds are a unit where something is weighed.
pub fn read(reader: &Reader, next: usize, is_weighed: bool) -> Option<(&'static Unit, usize)> {
    let word = reader.word(next);
    if is_weighed {
        return Some((find("lb")?, next + 1));
    }
    temperature(reader, next, &word)
        .or_else(|| speed(reader, next, &word))
        .or_else(|| Some((find(letter(reader, next).unwrap_or(&word))?, next + 1)))
        .or_else(|| Some((squared(&word, &reader.word(next + 1))?, next + 2)))
}

/// The unit of a name, lower case.
pub fn find(name: &str) -> Option<&'static Unit> {
    static BY_NAME: LazyLock<BTreeMap<&str, &Unit>> =
        LazyLock::new(|| UNITS.iter().flat_map(|unit| unit.names.iter().map(move |name| (*name, unit))).collect());
    BY_NAME.get(name).copied()
}

fn letter(reader: &Reader, at: usize) -> Option<&'static str> {
    LETTERS.iter().find(|(letter, _)| *letter == reader.raw(at)).map(|(_, name)| *name)
}

/// `°C`, `degrees Celsius`.
fn temperature(reader: &Reader, next: usize, word: &str) -> Option<(&'static Unit, usize)> {
    if reader.raw(next) != "°" && !matches!(word, "degree" | "degrees") {
        return None;
    }
    let name = match reader.word(next + 1).as_str() {
        "c" | "celsius" | "centigrade" => "celsius",
        "f" | "fahrenheit" => "fahrenheit",
        _ => return None,
    };
    Some((find(name)?, next + 2))
}

/// `km/h`, `miles per hour`, `m/s`.
fn speed(reader: &Reader, next: usize, word: &str) -> Option<(&'static Unit, usize)> {
    let way = find(letter(reader, next).unwrap_or(word)).filter(|unit| unit.dimension == "length")?;
    let is_per = reader.raw(next + 1) == "/" || matches!(reader.word(next + 1).as_str(), "per" | "an" | "a");
    let time = match reader.word(next + 2).as_str() {
        "h" | "hr" | "hour" => 3600.0,
        "s" | "sec" | "second" => 1.0,
        _ => return None,
    };
    let is_same = |unit: &&Unit| unit.dimension == "speed" && (unit.factor - way.factor / time).abs() < 1e-6;
    let found = UNITS.iter().find(is_same).filter(|_| is_per)?;
    Some((found, next + 3))
}

/// `square kilometres`, `sq mi`.
fn squared(word: &str, following: &str) -> Option<&'static Unit> {
    if !matches!(word, "square" | "sq") {
        return None;
    }
    let short = match following {
        "m" => "m2",
        _ => match find(following).filter(|unit| unit.dimension == "length")?.names {
            ["km", ..] => "km2",
            ["metre", ..] => "m2",
            ["mile", ..] => "mi2",
            ["foot", ..] => "ft2",
            _ => return None,
        },
    };
    find(short)
}
