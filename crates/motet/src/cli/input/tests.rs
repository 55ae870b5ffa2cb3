//! Tests come with the module.
