//! Reads a body piece by piece, unpacks it as it comes, and stops at the limit: neither a gigabyte nor a bomb is ever held.
//! It does not know what the bytes mean.

use std::io::{self, ErrorKind, Write};

use flate2::write::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use reqwest::Response;

use super::outcome::Outcome;

/// What happens to a body that is longer than the limit.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Beyond {
    /// It counts as too large.
    Refuse,
    /// Its beginning is enough.
    Cut,
}

pub(super) async fn read(mut response: Response, limit: u64, beyond: Beyond) -> Result<Vec<u8>, Outcome> {
    let too_large = || Outcome::TooLarge { limit_bytes: limit };
    if beyond == Beyond::Refuse && response.content_length().is_some_and(|length| length > limit) {
        return Err(too_large());
    }
    let encoding =
        response.headers().get("content-encoding").and_then(|value| value.to_str().ok()).unwrap_or_default().to_ascii_lowercase();
    let mut unpacking = Unpacking::of(&encoding, limit).ok_or_else(|| unknown(&encoding))?;
    let mut received: u64 = 0;
    loop {
        let piece = response.chunk().await.map_err(|error| super::transport(error))?;
        let Some(piece) = piece else { break };
        received += piece.len() as u64;
        let taken = if received > limit { Err(ErrorKind::FileTooLarge.into()) } else { unpacking.take(&piece) };
        match taken {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::FileTooLarge && beyond == Beyond::Cut => return Ok(unpacking.so_far()),
            Err(error) if error.kind() == ErrorKind::FileTooLarge => return Err(too_large()),
            Err(_) => return Err(corrupt(&encoding)),
        }
    }
    match unpacking.finish() {
        Ok(body) => Ok(body),
        Err(error) if error.kind() == ErrorKind::FileTooLarge => Err(too_large()),
        Err(_) => Err(corrupt(&encoding)),
    }
}

fn unknown(encoding: &str) -> Outcome {
    Outcome::failed(format!("the body is packed as \"{encoding}\", which was not asked for"), false)
}

fn corrupt(encoding: &str) -> Outcome {
    Outcome::failed(format!("the body is said to be packed as {encoding}, but cannot be unpacked"), false)
}

/// Holds no more than the limit, whatever is written.
struct Limited {
    bytes: Vec<u8>,
    limit: u64,
}

impl Write for Limited {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        let room = usize::try_from(self.limit).unwrap_or(usize::MAX).saturating_sub(self.bytes.len());
        self.bytes.extend_from_slice(&piece[..piece.len().min(room)]);
        if piece.len() > room { Err(ErrorKind::FileTooLarge.into()) } else { Ok(piece.len()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

enum Unpacking {
    Plain(Limited),
    Gzip(MultiGzDecoder<Limited>),
    /// Some servers send zlib under this name and some a bare stream; the first byte tells.
    Deflate(Limited),
    Zlib(ZlibDecoder<Limited>),
    Bare(DeflateDecoder<Limited>),
}

impl Unpacking {
    fn of(encoding: &str, limit: u64) -> Option<Self> {
        let held = Limited { bytes: Vec::new(), limit };
        match encoding {
            "" | "identity" | "none" => Some(Self::Plain(held)),
            "gzip" | "x-gzip" => Some(Self::Gzip(MultiGzDecoder::new(held))),
            "deflate" => Some(Self::Deflate(held)),
            _ => None,
        }
    }

    fn take(&mut self, piece: &[u8]) -> io::Result<()> {
        if let (Self::Deflate(held), Some(first)) = (&mut *self, piece.first()) {
            let held = Limited { bytes: Vec::new(), limit: held.limit };
            *self = if first & 0x0f == 8 { Self::Zlib(ZlibDecoder::new(held)) } else { Self::Bare(DeflateDecoder::new(held)) };
        }
        match self {
            Self::Plain(held) | Self::Deflate(held) => held.write_all(piece),
            Self::Gzip(decoder) => decoder.write_all(piece),
            Self::Zlib(decoder) => decoder.write_all(piece),
            Self::Bare(decoder) => decoder.write_all(piece),
        }
    }

    fn finish(self) -> io::Result<Vec<u8>> {
        let held = match self {
            Self::Plain(held) | Self::Deflate(held) => held,
            Self::Gzip(decoder) => decoder.finish()?,
            Self::Zlib(decoder) => decoder.finish()?,
            Self::Bare(decoder) => decoder.finish()?,
        };
        Ok(held.bytes)
    }

    fn so_far(self) -> Vec<u8> {
        match self {
            Self::Plain(held) | Self::Deflate(held) => held.bytes,
            Self::Gzip(mut decoder) => std::mem::take(&mut decoder.get_mut().bytes),
            Self::Zlib(mut decoder) => std::mem::take(&mut decoder.get_mut().bytes),
            Self::Bare(mut decoder) => std::mem::take(&mut decoder.get_mut().bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

    /// Fed in small pieces, as a network does.
    fn unpacked(encoding: &str, packed: &[u8], limit: u64) -> Result<Vec<u8>, ErrorKind> {
        let mut unpacking = Unpacking::of(encoding, limit).expect("a known encoding");
        for piece in packed.chunks(7) {
            unpacking.take(piece).map_err(|error| error.kind())?;
        }
        unpacking.finish().map_err(|error| error.kind())
    }

    fn packed(encoding: &str, text: &[u8]) -> Vec<u8> {
        let (level, out) = (Compression::default(), Vec::new());
        let all = |mut encoder: Box<dyn Write>| encoder.write_all(text).expect("memory takes it");
        match encoding {
            "gzip" => {
                let mut encoder = GzEncoder::new(out, level);
                all(Box::new(&mut encoder));
                encoder.finish().expect("memory takes it")
            }
            "zlib" => {
                let mut encoder = ZlibEncoder::new(out, level);
                all(Box::new(&mut encoder));
                encoder.finish().expect("memory takes it")
            }
            _ => {
                let mut encoder = DeflateEncoder::new(out, level);
                all(Box::new(&mut encoder));
                encoder.finish().expect("memory takes it")
            }
        }
    }

    #[test]
    fn every_packing_comes_out_as_it_went_in() {
        let text = "what was written ".repeat(500).into_bytes();
        assert_eq!(unpacked("", &text, 10_000).as_ref(), Ok(&text));
        assert_eq!(unpacked("gzip", &packed("gzip", &text), 10_000).as_ref(), Ok(&text));
        assert_eq!(unpacked("deflate", &packed("zlib", &text), 10_000).as_ref(), Ok(&text));
        assert_eq!(unpacked("deflate", &packed("bare", &text), 10_000).as_ref(), Ok(&text));
        assert!(Unpacking::of("br", 1).is_none() && Unpacking::of("gzip, gzip", 1).is_none());
    }

    #[test]
    fn a_bomb_is_cut_off_at_the_limit() {
        let bomb = packed("gzip", &vec![0; 5_000_000]);
        assert!(bomb.len() < 10_000);
        assert_eq!(unpacked("gzip", &bomb, 1_000_000), Err(ErrorKind::FileTooLarge));
        let mut unpacking = Unpacking::of("gzip", 1_000_000).expect("known");
        assert!(unpacking.take(&bomb).is_err());
        assert_eq!(unpacking.so_far().len(), 1_000_000);
    }

    #[test]
    fn a_broken_stream_is_an_error_and_not_a_short_page() {
        let whole = packed("gzip", b"the whole of a page");
        assert!(unpacked("gzip", &whole[..whole.len() - 6], 1000).is_err());
        assert!(unpacked("gzip", b"<html>not packed at all</html>", 1000).is_err());
    }
}
