//! In place of `tls.rs` where the feature `tls` is left out: such servers are refused, and their users told why.
use super::options::TlsOptions;
use rustix::io::Errno;
use rustix::net::RecvFlags;
use std::os::fd::OwnedFd;

/// There is none.
#[derive(Debug)]
pub(super) enum Secured {}

impl Secured {
    pub fn new(_: &TlsOptions, _: &str) -> Result<Secured, String> {
        Err("this build of Leveret has no TLS, which LEVERET_FEATURES=tls ./x build builds in".to_owned())
    }

    pub fn trouble(&self) -> Option<&str> {
        match *self {}
    }

    pub fn holds_back(&self) -> bool {
        match *self {}
    }

    pub fn has_more(&mut self) -> bool {
        match *self {}
    }

    pub fn shake_hands(&mut self, _: &OwnedFd) -> Result<bool, Errno> {
        match *self {}
    }

    pub fn recv(&mut self, _: &OwnedFd, _: &mut [u8], _: RecvFlags) -> Result<usize, Errno> {
        match *self {}
    }

    pub fn send(&mut self, _: &OwnedFd, _: &[u8]) -> Result<usize, Errno> {
        match *self {}
    }

    pub fn finish(&mut self, _: &OwnedFd) -> Result<(), Errno> {
        match *self {}
    }
}
