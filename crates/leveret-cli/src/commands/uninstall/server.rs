//! The memcached that takes an arena's place.
use std::str::FromStr;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerAddress {
    pub host: String,
    pub port: u16,
}

impl FromStr for ServerAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<ServerAddress, String> {
        let is_host = |host: &str| {
            !host.is_empty() && host.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-'))
        };
        let (host, port) = text.rsplit_once(':').unwrap_or((text, "11211"));
        match port.parse() {
            Ok(port) if port > 0 && is_host(host) => Ok(ServerAddress { host: host.to_owned(), port }),
            _ => Err("a server is HOST:PORT, as 127.0.0.1:11211".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_hosts_with_ports_are_servers() {
        let server = |text: &str| text.parse::<ServerAddress>().map(|server| (server.host, server.port)).ok();
        assert_eq!(server("cache-1.example.com:11311"), Some(("cache-1.example.com".to_owned(), 11311)));
        assert_eq!(server("localhost"), Some(("localhost".to_owned(), 11211)));
        for text in ["", ":1", "a:0", "a:65536", "a b:1", "a':1", "/run/x.sock"] {
            assert_eq!(server(text), None, "{text}");
        }
    }
}
