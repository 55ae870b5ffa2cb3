//! Units that the same length, mass or area is given in, so that 5 km agrees with 3.1 miles.
//! Only what reports convert every day; other units are words like any other.

/// What a unit measures, and how much of the base unit it is.
#[derive(Debug, PartialEq)]
pub struct Unit {
    pub dimension: &'static str,
    pub factor: f64,
    pub offset: f64,
    names: &'static [&'static str],
}

const fn unit(dimension: &'static str, factor: f64, names: &'static [&'static str]) -> Unit {
    Unit { dimension, factor, offset: 0.0, names }
}

static UNITS: [Unit; 38] = [
    unit("length", 1000.0, &["km", "kilometre", "kilometres", "kilometer", "kilometers"]),
    unit("length", 1.0, &["metre", "metres", "meter", "meters"]),
    unit("length", 0.01, &["cm", "centimetre", "centimetres", "centimeter", "centimeters"]),
    unit("length", 0.001, &["mm", "millimetre", "millimetres", "millimeter", "millimeters"]),
    unit("length", 1609.344, &["mile", "miles", "mi"]),
    unit("length", 0.3048, &["foot", "feet", "ft"]),
    unit("length", 0.9144, &["yard", "yards", "yd"]),
    unit("length", 0.0254, &["inch", "inches"]),
    unit("mass", 1.0, &["kg", "kilogram", "kilograms", "kilogramme", "kilogrammes"]),
    unit("mass", 0.001, &["gram", "grams"]),
    unit("mass", 0.453_592_37, &["lb", "lbs"]),
    unit("mass", 0.000_001, &["mg", "milligram", "milligrams", "milligramme", "milligrammes"]),
    unit("mass", 1000.0, &["tonne", "tonnes"]),
    unit("area", 10_000.0, &["hectare", "hectares", "ha"]),
    unit("area", 4046.856, &["acre", "acres"]),
    unit("area", 1e6, &["km2", "km²"]),
    unit("area", 2_589_988.0, &["mi2", "mi²"]),
    unit("area", 1.0, &["m2", "m²", "sqm"]),
    unit("area", 0.092_903, &["ft2", "ft²", "sqft"]),
    unit("volume", 1.0, &["litre", "litres", "liter", "liters"]),
    unit("volume", 3.785_41, &["gallon", "gallons"]),
    unit("time", 1.0, &["second", "seconds"]),
    unit("time", 60.0, &["minute", "minutes"]),
    unit("time", 3600.0, &["hour", "hours"]),
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
    unit("metre", 1.0, &["m"]),
];

/// `square kilometres`, `sq mi`.
pub fn squared(word: &str, following: &str) -> Option<&'static Unit> {
    if !matches!(word, "square" | "sq") {
        return None;
    }
    let short = match following {
        "m" => "m2",
        _ => match UNITS.iter().find(|unit| unit.dimension == "length" && unit.names.contains(&following))?.names {
            ["km", ..] => "km2",
            ["metre", ..] => "m2",
            ["mile", ..] => "mi2",
            ["foot", ..] => "ft2",
            _ => return None,
        },
    };
    UNITS.iter().find(|unit| unit.names.contains(&short))
}

/// The unit that a word names. A single letter is one only where it touches its number or is written as such.
pub fn named(word: &str, raw: &str, touching: bool) -> Option<&'static Unit> {
    let found = UNITS.iter().find(|unit| unit.names.contains(&word))?;
    if found.dimension == "metre" {
        return if raw == "m" || touching { UNITS.iter().find(|unit| unit.factor == 1.0 && unit.dimension == "length") } else { None };
    }
    Some(found)
}
