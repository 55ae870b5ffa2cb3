//! Files as projections: which there are, and what stands in them, given a state. Writing them is the host's business.
