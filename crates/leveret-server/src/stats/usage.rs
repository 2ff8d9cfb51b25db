//! How much processor time the server has taken.

/// Processor time.
pub(crate) struct ProcessorTime {
    pub user: String,
    pub system: String,
}

impl ProcessorTime {
    /// Seconds with six places, as memcached writes them. /proc counts in hundredths.
    pub fn of_this_process() -> ProcessorTime {
        let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
        let fields: Vec<&str> = text.rsplit(')').next().unwrap_or("").split_whitespace().collect();
        let secs = |field: usize| {
            let hundredths: u64 = fields.get(field).and_then(|field| field.parse().ok()).unwrap_or(0);
            format!("{}.{:06}", hundredths / 100, hundredths % 100 * 10_000)
        };
        ProcessorTime { user: secs(11), system: secs(12) }
    }
}
