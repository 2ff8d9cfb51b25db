//! A request as a client sends it.

/// Appends a request with these arguments.
pub fn write_arguments<A: AsRef<[u8]>>(out: &mut Vec<u8>, arguments: &[A]) {
    let mut digits = itoa::Buffer::new();
    out.push(b'*');
    out.extend_from_slice(digits.format(arguments.len()).as_bytes());
    out.extend_from_slice(b"\r\n");
    for argument in arguments {
        let argument = argument.as_ref();
        out.push(b'$');
        out.extend_from_slice(digits.format(argument.len()).as_bytes());
        out.extend_from_slice(b"\r\n");
        out.extend_from_slice(argument);
        out.extend_from_slice(b"\r\n");
    }
}
