//! The chunked transfer coding
//! ([RFC 9112 section 7.1](https://www.rfc-editor.org/rfc/rfc9112#section-7.1)), decoded.

use memchr::memchr;

/// Maximum bytes of a size line, with extensions.
const LINE: usize = 4096;

/// Decodes a chunked body; `None` if it has no chunks: some recording programs remove them and
/// leave the header.
pub(super) fn decode(mut body: &[u8]) -> Result<Option<Vec<u8>>, &'static str> {
    let mut whole = Vec::new();
    loop {
        let is_first = whole.is_empty();
        let (size, rest) = match size(body) {
            Some(found) => found,
            None if is_first => return Ok(None),
            None => return Err("it is chunked, and the size of a chunk cannot be read"),
        };
        if size == 0 {
            return Ok(Some(whole));
        }
        let Some((chunk, after)) = rest.split_at_checked(size) else {
            return Err("it is chunked, and the last chunk is incomplete");
        };
        whole.extend_from_slice(chunk);
        if matches!(after, b"" | b"\r" | b"\r\n" | b"\n") {
            return Err("it is chunked, and the last chunk is missing");
        }
        let after = after.strip_prefix(b"\r\n").or(after.strip_prefix(b"\n"));
        body = after.ok_or("it is chunked, and a chunk is longer than its size")?;
    }
}

/// The chunk size in the first line, and the bytes after that line.
fn size(body: &[u8]) -> Option<(usize, &[u8])> {
    let end = memchr(b'\n', &body[..body.len().min(LINE)])?;
    let line = body[..end].split(|byte| *byte == b';').next()?.trim_ascii();
    // `from_str_radix` takes a sign.
    if !line.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let size = usize::from_str_radix(std::str::from_utf8(line).ok()?, 16).ok()?;
    Some((size, &body[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[track_caller]
    fn is(body: &str, expected: Result<Option<&str>, &str>) {
        let found = decode(body.as_bytes());
        let found = found.map(|body| body.map(|body| String::from_utf8(body).unwrap()));
        assert_eq!(
            found.as_ref().map(Option::as_deref),
            expected.as_ref().map(|&text| text),
            "{body:?}"
        );
    }

    #[test]
    fn chunks_are_joined() {
        is("3\r\nabc\r\n0\r\n\r\n", Ok(Some("abc")));
        is(
            "3;a=b\r\nabc\r\nA \r\n0123456789\r\n000\r\nTrailer: x\r\n\r\n",
            Ok(Some("abc0123456789")),
        );
        is("1\na\n0\n", Ok(Some("a")));
        is("0\r\n\r\n", Ok(Some("")));
    }

    #[test]
    fn what_is_not_chunked_is_left_alone() {
        is("<html>", Ok(None));
        is("", Ok(None));
        is("-1\r\nx", Ok(None));
        is("ffffffffffffffffffffff\r\nx", Ok(None));
    }

    #[test]
    fn bad_sizes_are_errors() {
        is("ffffffffffffffff\r\nx", Err("it is chunked, and the last chunk is incomplete"));
        is("1\r\nab\r\n0\r\n", Err("it is chunked, and a chunk is longer than its size"));
        is("1\r\na\r\nx\r\n", Err("it is chunked, and the size of a chunk cannot be read"));
        is("1\r\na\r\n", Err("it is chunked, and the last chunk is missing"));
    }
}
