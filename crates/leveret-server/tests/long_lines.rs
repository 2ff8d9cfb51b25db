//! Lines that are answered in parts are parsed once.
mod common;
use common::Ours;
use leveret_server::{Next, Session, Settings, Transport};

/// A line of two megabytes was parsed again for each large value of its answer. Here the front of the line, which was
/// answered, is overwritten between two parts: an answer that goes on where it stood does not depend on it.
#[test]
fn a_line_that_is_answered_in_parts_is_not_parsed_again() {
    let mut ours = Ours::new(Settings::default());
    for (value_len, keys) in [(1, 3000), (5_000, 2_000), (300_000, 20)] {
        let value = "v".repeat(value_len);
        assert_eq!(ours.say(&format!("set k 7 0 {value_len}\r\n{value}\r\n")), "STORED\r\n");
        for end in ["\r\n", "\n"] {
            for command in ["get", "gat 0"] {
                let line = format!("{command}{}{end}", " k".repeat(keys));
                let mut input = [line.as_bytes(), b"mn\r\n"].concat();
                let mut session = Session::new(Transport::Local);
                let (mut answer, mut at, mut parts) = (Vec::new(), 0, 0);
                loop {
                    let mut part = Vec::new();
                    let (consumed, next) = session.take(&ours.worker, &input[at..], &mut part);
                    answer.append(&mut part);
                    at += consumed;
                    if matches!(next, Next::Read { .. }) {
                        break;
                    }
                    if at == 0 {
                        parts += 1;
                        input[..8].fill(b'\n');
                    }
                }
                let want = format!("VALUE k 7 {value_len}\r\n{value}\r\n").repeat(keys) + "END\r\nMN\r\n";
                assert!(answer == want.as_bytes(), "{command}, {keys} values of {value_len} bytes");
                assert!(parts > 1, "{command}, {keys} values of {value_len} bytes in one part");
            }
        }
    }
}
