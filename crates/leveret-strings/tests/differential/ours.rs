//! The commands as a server runs them: a reader, databases, a selected one.
use crate::random::Random;
use leveret_engine::{Arena, OpenOptions};
use leveret_protocol::resp::{ReplyWriter, RequestBounds, RequestRead, RequestReader, RespVersion};
use leveret_strings::{database_number, find, run, Call, Databases, Problem, Ran, Scripts, ServerCommand};
use std::sync::OnceLock;

pub struct Stores {
    arenas: Vec<OnceLock<Arena>>,
    folder: tempfile::TempDir,
    value_max: usize,
    scripts: Scripts,
}

impl Stores {
    fn open(&self, number: u32) -> Arena {
        let path = self.folder.path().join(format!("db{number}.arena"));
        Arena::open(&path, &OpenOptions::new().memory(64 << 20)).expect("an arena").0
    }
}

impl Databases for Stores {
    fn arena(&self, database: u32) -> Option<&Arena> {
        self.arenas.get(database as usize)?.get()
    }

    fn make(&self, database: u32) -> Result<&Arena, Problem> {
        let place = self.arenas.get(database as usize).ok_or(Problem::NO_DATABASE)?;
        Ok(place.get_or_init(|| self.open(database)))
    }

    fn count(&self) -> u32 {
        self.arenas.len() as u32
    }

    fn value_max(&self) -> usize {
        self.value_max
    }

    fn scripts(&self) -> Option<&Scripts> {
        Some(&self.scripts)
    }
}

pub struct Ours {
    pub stores: Stores,
    reader: RequestReader,
    input: Vec<u8>,
    swallow: usize,
    database: u32,
    version: RespVersion,
    pub is_over: bool,
    pub is_unknown: bool,
}

impl Ours {
    pub fn new(databases: u32) -> Ours {
        let folder = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let mut stores = Stores {
            arenas: (0..databases).map(|_| OnceLock::new()).collect(),
            folder,
            value_max: 0,
            scripts: Scripts::new(),
        };
        stores.value_max = stores.make(0).expect("the first").value_max();
        Ours {
            stores,
            reader: RequestReader::new(),
            input: Vec::new(),
            swallow: 0,
            database: 0,
            version: RespVersion::Two,
            is_over: false,
            is_unknown: false,
        }
    }

    pub fn value_max(&self) -> usize {
        self.stores.value_max
    }

    pub fn begin(&mut self, version: RespVersion) {
        for arena in self.stores.arenas.iter().filter_map(OnceLock::get) {
            arena.flush().expect("there");
        }
        (self.database, self.version, self.is_over) = (0, version, false);
        (self.reader, self.swallow) = (RequestReader::new(), 0);
        self.input.clear();
    }

    /// The reply to each request, which comes in pieces.
    pub fn talk(&mut self, said: &[u8], random: &mut Random) -> Vec<Vec<u8>> {
        let mut replies = Vec::new();
        let mut rest = said;
        while !rest.is_empty() && !self.is_over {
            let most = if random.one_in(4) { 7 } else { 4096 };
            let len = 1 + random.below(rest.len().min(most));
            self.input.extend_from_slice(&rest[..len]);
            rest = &rest[len..];
            self.take(&mut replies);
        }
        replies
    }

    fn take(&mut self, replies: &mut Vec<Vec<u8>>) {
        let bounds = RequestBounds { is_unknown: self.is_unknown, ..RequestBounds::new(self.stores.value_max) };
        loop {
            let swallowed = self.swallow.min(self.input.len());
            self.input.drain(..swallowed);
            self.swallow -= swallowed;
            if self.swallow > 0 {
                return;
            }
            let mut output = Vec::new();
            let consumed = match self.reader.read(&self.input, &bounds) {
                RequestRead::More { .. } => return,
                RequestRead::Nothing { consumed } => consumed,
                RequestRead::Swallow { consumed, swallow } => {
                    self.swallow = swallow;
                    consumed
                }
                RequestRead::Refused(fault) => {
                    fault.write(&mut ReplyWriter::new(&mut output, self.version));
                    replies.push(output);
                    self.is_over = true;
                    return;
                }
                RequestRead::Request { request, consumed } => {
                    let mut call = Call::new(&self.stores, self.database, ReplyWriter::new(&mut output, self.version));
                    match find(&request) {
                        Err(problem) => problem.write(&mut call.reply),
                        Ok(row) => match run(row, &mut call, &request) {
                            Ran::Done(_) => {}
                            Ran::Server(ServerCommand::Select) => {
                                match database_number(request.get(1), self.stores.count()) {
                                    Ok(number) => {
                                        self.database = number;
                                        call.reply.ok();
                                    }
                                    Err(problem) => problem.write(&mut call.reply),
                                }
                            }
                            other => panic!("{other:?} of {request:?}"),
                        },
                    }
                    replies.push(output);
                    consumed
                }
            };
            self.input.drain(..consumed);
        }
    }
}
