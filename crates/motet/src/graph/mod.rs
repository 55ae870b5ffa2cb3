//! Drawings of a workflow's machine: Mermaid, DOT, SVG, one for the terminal and one for programs, all of the same picture.
//! Nothing here runs a workflow or reads a file.

mod areas;
mod channels;
mod definition;
mod dot;
mod json;
mod label;
mod layout;
mod lines;
mod mermaid;
mod path;
mod picture;
mod returns;
mod shift;
mod straighten;
mod svg;
mod svg_style;
mod terminal;
mod text_width;
mod ways;

pub use definition::Options;
pub use dot::dot;
pub use json::json;
pub use mermaid::mermaid;
pub use picture::Picture;
pub use svg::svg;
pub use terminal::{Paint, Part, Plain, terminal};

#[cfg(test)]
mod tests;
