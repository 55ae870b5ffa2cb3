//! Numbers of a claim that may be read in two ways, settled by what a page has: `100m hurdles` as metres, `19:30` as a time.
//! A reading only takes the place of one that the page does not have; no number is left out here.

use super::page::Page;
use super::statement::{Part, Statement};
use crate::text::Number;

/// The claim with the readings that the page bears out.
pub fn settle<'a>(mut statement: Statement<'a>, page: &Page) -> Statement<'a> {
    let has = |number: &Number| page.numbers.iter().any(|(found, _)| found.bears_out(number));
    for reading in std::mem::take(&mut statement.readings) {
        let is_within = |number: &Number| reading.tokens.0 <= number.tokens.0 && number.tokens.1 <= reading.tokens.1;
        let is_had = statement.numbers().filter(|(_, number)| is_within(number)).all(|(_, number)| has(number));
        if is_had || !has(&reading) {
            continue;
        }
        for slot in &mut statement.slots {
            if let Part::Number(number) = &mut slot.part
                && is_within(number)
            {
                // Of the two numbers of a time one stands for both.
                slot.given |= number.tokens.0 != reading.tokens.0;
                *number = Number { ambiguous: false, ..reading };
            }
        }
    }
    statement
}
