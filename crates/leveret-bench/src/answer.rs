//! The answer of a side.

use serde::Serialize;

use leveret_load::failure::LoadFailure;

/// Description of a measurement.
#[derive(Default, Serialize)]
pub struct LoadAnswer {
    pub figure: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub control: Option<f64>,
    pub beside: Vec<(&'static str, f64)>,
    pub asked: u64,
    pub right: u64,
    /// Of all measurements so far.
    pub said: Option<String>,
}

/// A measurement that can be repeated.
pub trait Repeated {
    fn measure(&mut self) -> Result<LoadAnswer, LoadFailure>;
}
