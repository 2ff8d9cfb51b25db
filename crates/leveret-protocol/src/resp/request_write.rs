//! A request as a client sends it.

/// Appends a request with these arguments.
pub fn write_arguments<A: AsRef<[u8]>>(out: &mut Vec<u8>, arguments: &[A]) {
    write_request(out, arguments.iter().map(A::as_ref));
}

/// The same of arguments that lie anywhere.
pub fn write_request<'a>(out: &mut Vec<u8>, arguments: impl ExactSizeIterator<Item = &'a [u8]>) {
    let mut digits = itoa::Buffer::new();
    out.push(b'*');
    out.extend_from_slice(digits.format(arguments.len()).as_bytes());
    out.extend_from_slice(b"\r\n");
    for argument in arguments {
        out.push(b'$');
        out.extend_from_slice(digits.format(argument.len()).as_bytes());
        out.extend_from_slice(b"\r\n");
        out.extend_from_slice(argument);
        out.extend_from_slice(b"\r\n");
    }
}
