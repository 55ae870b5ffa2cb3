//! Files of a run: projections that people read, written whole and atomically, and lines that are only added.
//! What stands in them is the machine's business; here they only get to the disk, and never outside the run's directory.
