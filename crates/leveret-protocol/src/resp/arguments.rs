//! The arguments of a request: borrowed from a reader's buffer, or owned.

/// Where an argument lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    begin: u32,
    len: u32,
}

impl Span {
    pub(super) const EMPTY: Span = Span { begin: 0, len: 0 };

    /// Requests are shorter than 4 GiB: `RequestReader` refuses longer ones.
    pub(super) fn new(begin: usize, len: usize) -> Span {
        Span { begin: begin as u32, len: len as u32 }
    }

    pub(super) fn of(self, bytes: &[u8]) -> &[u8] {
        let begin = self.begin as usize;
        bytes.get(begin..begin + self.len as usize).unwrap_or_default()
    }
}

/// Arguments of a request whose bytes were not kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NotKept {
    /// The first one that was longer than `RequestBounds::value_max`: its index and its length.
    pub too_large: Option<(usize, usize)>,
    /// The argument that the caller received itself: its index and its length.
    pub diverted: Option<(usize, usize)>,
}

/// A request: its arguments, the name of the command first.
#[derive(Clone, Copy)]
pub struct Arguments<'r> {
    bytes: &'r [u8],
    spans: &'r [Span],
    not_kept: NotKept,
}

impl<'r> Arguments<'r> {
    pub(super) fn new(bytes: &'r [u8], spans: &'r [Span], not_kept: NotKept) -> Arguments<'r> {
        Arguments { bytes, spans, not_kept }
    }

    /// How many arguments there are, the name included.
    #[inline]
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// One of the arguments; empty beyond the last.
    #[inline]
    pub fn get(&self, index: usize) -> &'r [u8] {
        self.spans.get(index).map_or(&[], |span| span.of(self.bytes))
    }

    /// The name of the command.
    #[inline]
    pub fn name(&self) -> &'r [u8] {
        self.get(0)
    }

    /// All arguments, the name first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &'r [u8]> + ExactSizeIterator + Clone {
        let bytes = self.bytes;
        self.spans.iter().map(move |span| span.of(bytes))
    }

    /// The request whose name is the argument at `index`: of `COMMAND GETKEYS SET a 1` with 2 it is `SET a 1`.
    pub fn skip(&self, index: usize) -> Arguments<'r> {
        Arguments { spans: self.spans.get(index..).unwrap_or_default(), not_kept: NotKept::default(), ..*self }
    }

    /// Arguments whose bytes were not kept, and read as empty.
    pub fn not_kept(&self) -> NotKept {
        self.not_kept
    }

    /// Bytes of all arguments together.
    pub fn total_len(&self) -> usize {
        self.spans.iter().map(|span| span.len as usize).sum()
    }

    /// A copy that borrows nothing.
    pub fn to_buf(&self) -> ArgumentsBuf {
        self.iter().collect()
    }
}

impl std::fmt::Debug for Arguments<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut list = f.debug_list();
        list.entries(self.iter().map(|argument| argument.escape_ascii().to_string()));
        if self.not_kept != NotKept::default() {
            list.entry(&self.not_kept);
        }
        list.finish()
    }
}

/// A request that owns its arguments: one that waits for EXEC, or one that a program makes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArgumentsBuf {
    bytes: Vec<u8>,
    spans: Vec<Span>,
}

impl ArgumentsBuf {
    /// Without an argument.
    pub fn new() -> ArgumentsBuf {
        ArgumentsBuf::default()
    }

    /// Adds an argument. False: with it the request would be longer than 4 GiB.
    pub fn push(&mut self, argument: &[u8]) -> bool {
        let fits = self.bytes.len() + argument.len() <= u32::MAX as usize;
        if fits {
            self.spans.push(Span::new(self.bytes.len(), argument.len()));
            self.bytes.extend_from_slice(argument);
        }
        fits
    }

    /// Forgets the arguments, and keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.spans.clear();
    }

    /// The request.
    pub fn arguments(&self) -> Arguments<'_> {
        Arguments::new(&self.bytes, &self.spans, NotKept::default())
    }

    /// Bytes of memory that the arguments take.
    pub fn size(&self) -> usize {
        self.bytes.len() + std::mem::size_of_val(self.spans.as_slice())
    }
}

impl<A: AsRef<[u8]>> FromIterator<A> for ArgumentsBuf {
    fn from_iter<I: IntoIterator<Item = A>>(arguments: I) -> ArgumentsBuf {
        let mut request = ArgumentsBuf::new();
        for argument in arguments {
            request.push(argument.as_ref());
        }
        request
    }
}
