//! Tools that prove the engine: see each module.
