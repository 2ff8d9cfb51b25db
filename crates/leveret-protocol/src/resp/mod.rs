//! Redis' protocol, RESP: arrays of bulk strings or inline commands in, typed replies out, in version 2 or 3.
//!
//! A server reads requests with a `RequestReader`, which remembers how far it has come, and writes replies with a
//! `ReplyWriter`. Clients read replies token by token with `read_token`, tools and tests as a `ReplyValue`.
mod ahead;
mod arguments;
mod inline;
mod integer;
mod reply_read;
mod reply_write;
mod request_read;
mod request_write;
mod token_read;

pub use ahead::keys_ahead;
pub use arguments::{Arguments, ArgumentsBuf, NotKept};
pub use integer::parse_integer;
pub use reply_read::{parse_reply, ReplyBounds, ReplyValue};
pub use reply_write::{ReplyWriter, RespVersion};
pub use request_read::{ArgumentUnderWay, RequestBounds, RequestRead, RequestReader, RespFault};
pub use request_write::{write_arguments, write_request};
pub use token_read::{read_token, whole_string, ReplyToken, TokenRead};
