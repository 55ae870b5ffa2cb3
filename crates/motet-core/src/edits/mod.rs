//! What a person changed in a run's files, read back as changes of its data, or as reasons why that cannot be.
//! Pure and total: it is given texts and gives changes; who reads the disk and who journals is not its business.

mod changed;
mod difference;
mod form;
mod import;
mod judge;
mod line;
mod list;
#[cfg(test)]
mod tests;
mod whole;

pub use changed::changed_lines;
pub use difference::difference;
pub use form::{Form, Found, FoundField, FoundItem, Likeness, key_of};
pub use import::{Imported, Remark, Sheet, import, sheets, sheets_elsewhere};
pub use judge::{Flaw, judge};
pub use line::{Field, Kind, Line};
