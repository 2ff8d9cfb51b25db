//! State of a link's conversation: which requests change the connection, and whether their replies confirmed it.
use super::target::{RedisCredentials, RedisIdentity};
use leveret_protocol::resp::ReplyToken;
use std::collections::VecDeque;

/// Effect of a request on its connection, if the server accepts it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RedisEffect {
    Select(u32),
    Name(Vec<u8>),
    SignIn(RedisCredentials),
    Multi,
    Exec,
    Discard,
    Watch,
    Unwatch,
    Reset,
}

/// What the name of a command, and a word behind it, tell.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct RedisWords {
    pub effect: Option<RedisEffect>,
    /// What the connection is afterwards is not known.
    pub is_opaque: bool,
}

impl RedisWords {
    /// `is_raw`: an application has written it as it is.
    pub fn of<'w>(word: &dyn Fn(usize) -> &'w [u8], len: usize, is_raw: bool) -> RedisWords {
        use RedisEffect::*;
        const OPAQUE: RedisWords = RedisWords { effect: None, is_opaque: true };
        let with = |effect| RedisWords { effect: Some(effect), is_opaque: is_raw };
        // No command that counts has a name as short as GET and SET.
        if word(0).len() < SHORTEST && !is_raw {
            return RedisWords::default();
        }
        let mut upper = [0; 16];
        let name = upper_case(word(0), &mut upper);
        match name {
            b"SELECT" if is_raw => OPAQUE,
            b"SELECT" => match std::str::from_utf8(word(1)).ok().and_then(|digits| digits.parse().ok()) {
                Some(database) => with(Select(database)),
                None => RedisWords::default(),
            },
            b"AUTH" if is_raw => OPAQUE,
            b"AUTH" => {
                let user = (len > 2).then(|| word(1).to_vec());
                let password = word(if len > 2 { 2 } else { 1 }).to_vec();
                with(SignIn(RedisCredentials { user, password }))
            }
            b"MULTI" => with(Multi),
            b"EXEC" => with(Exec),
            b"DISCARD" => with(Discard),
            b"WATCH" => with(Watch),
            b"UNWATCH" => RedisWords { effect: Some(Unwatch), is_opaque: false },
            b"RESET" if is_raw => OPAQUE,
            b"RESET" => with(Reset),
            b"CLIENT" => match upper_case(word(1), &mut [0; 16]) {
                b"SETNAME" if !is_raw => with(Name(word(2).to_vec())),
                b"ID" | b"INFO" | b"LIST" | b"GETNAME" | b"GETREDIR" | b"KILL" | b"HELP" | b"UNBLOCK" | b"PAUSE"
                | b"UNPAUSE" | b"SETINFO" | b"TRACKINGINFO" => RedisWords::default(),
                _ => OPAQUE,
            },
            b"HELLO" | b"QUIT" | b"MONITOR" | b"SYNC" | b"PSYNC" | b"REPLCONF" | b"READONLY" | b"READWRITE"
            | b"ASKING" | b"SUBSCRIBE" | b"PSUBSCRIBE" | b"SSUBSCRIBE" | b"UNSUBSCRIBE" | b"PUNSUBSCRIBE"
            | b"SUNSUBSCRIBE" => OPAQUE,
            name if is_raw && !leveret_strings::is_known(name) => OPAQUE,
            _ => RedisWords::default(),
        }
    }
}

/// Bytes of AUTH, EXEC, QUIT and SYNC.
const SHORTEST: usize = 4;

/// The front of a word in upper case: no word that counts here is longer.
fn upper_case<'u>(word: &[u8], upper: &'u mut [u8; 16]) -> &'u [u8] {
    let Some(room) = upper.get_mut(..word.len()) else { return b"-" };
    room.copy_from_slice(word);
    room.make_ascii_uppercase();
    room
}

/// Where a conversation is.
#[derive(Debug, Default)]
pub(crate) struct RedisConversation {
    pub in_multi: bool,
    pub is_watching: bool,
    /// Unconfirmed effects, with the numbers of their requests.
    asked: VecDeque<(u64, RedisEffect)>,
    /// Requests that the transaction has queued.
    queued: u64,
    /// Which of them change the connection.
    held: VecDeque<(u64, RedisEffect)>,
    /// The elements that come are those of EXEC, and this is the next one.
    executed: Option<u64>,
}

/// Effect on a connection whose server has accepted.
pub(crate) type Agreed = Option<RedisEffect>;

impl RedisConversation {
    /// It would not survive the loss of its connection.
    pub fn has_state(&self) -> bool {
        self.in_multi || self.is_watching
    }

    /// No reply that comes changes the connection, or is counted.
    #[inline]
    pub fn is_idle(&self) -> bool {
        self.asked.is_empty() && self.executed.is_none() && !self.in_multi
    }

    /// The request of this number goes out.
    pub fn ask(&mut self, number: u64, effect: RedisEffect) {
        self.asked.push_back((number, effect));
    }

    /// The reply to the request of this number begins.
    #[inline]
    pub fn answered(&mut self, number: u64, head: &ReplyToken<'_>) -> Agreed {
        self.executed = None;
        let is_asked = self.asked.front().is_some_and(|(asked, _)| *asked == number);
        if !is_asked && !self.in_multi {
            return None;
        }
        let effect = if is_asked { self.asked.pop_front().map(|(_, effect)| effect) } else { None };
        self.noted(effect, head)
    }

    fn noted(&mut self, effect: Option<RedisEffect>, head: &ReplyToken<'_>) -> Agreed {
        let is_error = matches!(head, ReplyToken::Error(_) | ReplyToken::BulkError(_));
        match effect {
            Some(RedisEffect::Multi) if !is_error => (self.in_multi, self.queued) = (true, 0),
            Some(RedisEffect::Exec) => {
                if matches!(head, ReplyToken::Array(_)) && !self.held.is_empty() {
                    self.executed = Some(0);
                } else {
                    self.held.clear();
                }
                (self.in_multi, self.is_watching) = (false, false);
            }
            Some(RedisEffect::Discard) if !is_error => {
                self.held.clear();
                (self.in_multi, self.is_watching) = (false, false);
            }
            effect if self.in_multi && *head == ReplyToken::Status(b"QUEUED") => {
                if let Some(effect) = effect {
                    self.held.push_back((self.queued, effect));
                }
                self.queued += 1;
            }
            Some(effect) if !is_error => return self.agreed(effect),
            _ => {}
        }
        None
    }

    /// An element of the reply itself begins.
    #[inline]
    pub fn element(&mut self, head: &ReplyToken<'_>) -> Agreed {
        let number = self.executed?;
        self.executed = Some(number + 1);
        let (_, effect) = match self.held.front() {
            Some((held, _)) if *held == number => self.held.pop_front()?,
            _ => return None,
        };
        match head {
            ReplyToken::Error(_) | ReplyToken::BulkError(_) => None,
            _ => self.agreed(effect),
        }
    }

    fn agreed(&mut self, effect: RedisEffect) -> Agreed {
        match effect {
            RedisEffect::Watch => self.is_watching = true,
            RedisEffect::Unwatch => self.is_watching = false,
            RedisEffect::Reset => {
                *self = RedisConversation { asked: std::mem::take(&mut self.asked), ..Default::default() }
            }
            _ => {}
        }
        Some(effect)
    }
}

impl RedisIdentity {
    /// The server has agreed.
    pub fn note(&mut self, effect: &RedisEffect) {
        match effect {
            RedisEffect::Select(database) => self.database = *database,
            RedisEffect::Name(name) => self.name.clone_from(name),
            RedisEffect::SignIn(credentials) => self.credentials = Some(credentials.clone()),
            RedisEffect::Reset => *self = RedisIdentity::default(),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str, is_raw: bool) -> RedisWords {
        let words: Vec<&[u8]> = text.split(' ').map(str::as_bytes).collect();
        RedisWords::of(&|index| words.get(index).copied().unwrap_or_default(), words.len(), is_raw)
    }

    #[test]
    fn words_that_change_a_connection() {
        assert_eq!(words("select 3", false).effect, Some(RedisEffect::Select(3)));
        assert_eq!(words("SELECT x", false), RedisWords::default());
        for (text, is_opaque) in [
            ("get a", false),
            ("set a b", false),
            ("hset a b c", false),
            ("unwatch", false),
            ("client id", false),
            ("select 1", true),
            ("AUTH x", true),
            ("Hello 3", true),
            ("reset", true),
            ("multi", true),
            ("watch a", true),
            ("subscribe a", true),
            ("monitor", true),
            ("client reply off", true),
            ("client setname x", true),
            ("quit", true),
            ("nosuchcommand", true),
            ("", true),
            ("averyveryverylongcommandname", true),
            ("client", true),
        ] {
            assert_eq!(words(text, true).is_opaque, is_opaque, "{text}");
        }
        for text in ["json.get a", "select 1", "auth x", "multi", "watch a", "reset", "client setname x"] {
            assert!(!words(text, false).is_opaque, "{text}");
        }
        let both = RedisCredentials { user: Some(b"u".to_vec()), password: b"p".to_vec() };
        assert_eq!(words("auth u p", false).effect, Some(RedisEffect::SignIn(both)));
    }

    #[test]
    fn a_transaction_changes_the_connection_when_it_is_executed() {
        let ok = ReplyToken::Status(b"OK");
        let queued = ReplyToken::Status(b"QUEUED");
        for executed in [true, false] {
            let mut talk = RedisConversation::default();
            for (number, effect) in [
                (0, RedisEffect::Multi),
                (2, RedisEffect::Select(5)),
                (3, RedisEffect::Select(99)),
                (4, RedisEffect::Exec),
            ] {
                talk.ask(number, effect);
            }
            assert_eq!(talk.answered(0, &ok), None);
            assert!(talk.in_multi);
            for number in 1..=3 {
                assert_eq!(talk.answered(number, &queued), None);
            }
            if executed {
                assert_eq!(talk.answered(4, &ReplyToken::Array(3)), None);
                assert_eq!(talk.element(&ReplyToken::Nil), None);
                assert_eq!(talk.element(&ok), Some(RedisEffect::Select(5)));
                assert_eq!(talk.element(&ReplyToken::Error(b"ERR")), None);
            } else {
                assert_eq!(talk.answered(4, &ReplyToken::NilArray), None);
            }
            assert!(!talk.in_multi && !talk.is_watching && talk.held.is_empty());
            assert_eq!(talk.answered(5, &ReplyToken::Array(1)), None);
            assert_eq!(talk.element(&ok), None);
        }
    }
}
