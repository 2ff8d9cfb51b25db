//! What the users of all products read when an arena cannot be opened.
use leveret_engine::OpenError;
use std::fmt;

/// Why an arena has no file, or could not be opened. The text says how to fix it.
#[derive(Debug)]
pub enum PlaceError {
    /// The name is neither `NAME`, `arena:NAME` nor a path that ends in `.arena`.
    Name(String),
    /// The engine's reason.
    Open(OpenError),
}

impl From<OpenError> for PlaceError {
    fn from(error: OpenError) -> PlaceError {
        PlaceError::Open(error)
    }
}

impl fmt::Display for PlaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlaceError::Name(name) => write!(
                f,
                "'{name}' names no arena: use a name of letters, digits, '.', '_' and '-' (at most 64), 'arena:NAME', or an absolute path that ends in .arena"
            ),
            PlaceError::Open(error) if error.advises_another_folder() => write!(f, "{error} (leveret.dir, LEVERET_DIR)"),
            PlaceError::Open(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for PlaceError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            PlaceError::Name(_) => None,
            PlaceError::Open(error) => std::error::Error::source(error),
        }
    }
}
