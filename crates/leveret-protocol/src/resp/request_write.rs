//! A request as a client sends it.

/// Appends a request with these arguments.
pub fn write_arguments<A: AsRef<[u8]>>(out: &mut Vec<u8>, arguments: &[A]) {
    write_request(out, arguments.iter().map(A::as_ref));
}

/// The same of arguments that lie anywhere.
#[inline]
pub fn write_request<'a>(out: &mut Vec<u8>, arguments: impl ExactSizeIterator<Item = &'a [u8]>) {
    write_header(out, b'*', arguments.len());
    for argument in arguments {
        write_header(out, b'$', argument.len());
        out.extend_from_slice(argument);
        out.extend_from_slice(b"\r\n");
    }
}

#[inline]
fn write_header(out: &mut Vec<u8>, kind: u8, number: usize) {
    let digit = |number: usize| b'0' + (number % 10) as u8;
    // Nearly all are this short: one store each.
    match number {
        0..=9 => out.extend_from_slice(&[kind, digit(number), b'\r', b'\n']),
        10..=99 => out.extend_from_slice(&[kind, digit(number / 10), digit(number), b'\r', b'\n']),
        _ => write_long_header(out, kind, number),
    }
}

fn write_long_header(out: &mut Vec<u8>, kind: u8, number: usize) {
    out.push(kind);
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
    out.extend_from_slice(b"\r\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_lengths_are_decimal() {
        for len in [0, 1, 9, 10, 11, 99, 100, 101, 999, 1000, 65_536, 1_234_567] {
            let (argument, mut out) = (vec![b'x'; len], b"before".to_vec());
            write_arguments(&mut out, &[b"SET", argument.as_slice()]);
            let text = String::from_utf8(argument).expect("it is text");
            assert_eq!(String::from_utf8(out), Ok(format!("before*2\r\n$3\r\nSET\r\n${len}\r\n{text}\r\n")));
            let mut many = Vec::new();
            write_arguments(&mut many, &vec![b"a"; len]);
            assert!(many.starts_with(format!("*{len}\r\n").as_bytes()), "{len}");
            assert_eq!(many.len(), format!("*{len}\r\n").len() + len * b"$1\r\na\r\n".len());
        }
    }
}
