//! Encrypted values, as libmemcached's encoding key makes them.
use crate::leveret_bytes;
use leveret_client::codec::Cipher;
use std::ffi::c_void;

/// An application's key for its values. Any thread may use it.
pub struct leveret_cipher(Cipher);

/// Makes one of any bytes. leveret_cipher_free frees it.
///
/// # Safety
/// `key` can be read.
#[no_mangle]
pub unsafe extern "C" fn leveret_cipher_new(key: leveret_bytes) -> *mut leveret_cipher {
    // SAFETY: by contract.
    let key = unsafe { key.as_slice() };
    Box::into_raw(Box::new(leveret_cipher(Cipher::new(key))))
}

/// NULL is allowed.
///
/// # Safety
/// It came from leveret_cipher_new, and is not used any more.
#[no_mangle]
pub unsafe extern "C" fn leveret_cipher_free(cipher: *mut leveret_cipher) {
    if !cipher.is_null() {
        // SAFETY: by contract.
        drop(unsafe { Box::from_raw(cipher) });
    }
}

/// Encrypted length of a value of `len` bytes: up to 16 bytes longer.
#[no_mangle]
pub extern "C" fn leveret_encrypted_len(len: usize) -> usize {
    Cipher::encrypted_len(len)
}

/// Encrypts a value into as many bytes as leveret_encrypted_len says.
///
/// # Safety
/// `cipher` is live, `value` can be read; `dst` has room for that many bytes, and they are the caller's own.
#[no_mangle]
pub unsafe extern "C" fn leveret_encrypt(cipher: *const leveret_cipher, value: leveret_bytes, dst: *mut c_void) {
    // SAFETY: by contract.
    let (cipher, value) = unsafe { (&(*cipher).0, value.as_slice()) };
    let len = Cipher::encrypted_len(value.len());
    // SAFETY: by contract. Zeroed first, because a reference to bytes that were never written is not allowed.
    let into = unsafe {
        std::ptr::write_bytes(dst.cast::<u8>(), 0, len);
        std::slice::from_raw_parts_mut(dst.cast::<u8>(), len)
    };
    cipher.encrypt(value, into);
}

/// Decrypts a value. 0: dst[0..*len] is it. 1: another key has encrypted it, or none.
///
/// # Safety
/// `cipher` is live, `stored` can be read; `dst` has room for as many bytes, and they are the caller's own; `len` is
/// live.
#[no_mangle]
pub unsafe extern "C" fn leveret_decrypt(
    cipher: *const leveret_cipher,
    stored: leveret_bytes,
    dst: *mut c_void,
    len: *mut usize,
) -> i32 {
    // SAFETY: by contract.
    let (cipher, stored) = unsafe { (&(*cipher).0, stored.as_slice()) };
    if stored.is_empty() {
        return 1;
    }
    // SAFETY: by contract. Zeroed first, because a reference to bytes that were never written is not allowed.
    let into = unsafe {
        std::ptr::write_bytes(dst.cast::<u8>(), 0, stored.len());
        std::slice::from_raw_parts_mut(dst.cast::<u8>(), stored.len())
    };
    match cipher.decrypt(stored, into) {
        // SAFETY: by contract.
        Ok(found) => unsafe {
            len.write(found);
            0
        },
        Err(_) => 1,
    }
}
