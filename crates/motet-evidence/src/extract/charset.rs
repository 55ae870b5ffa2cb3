//! Which letters some bytes are: byte order mark, header, the page's own word, and what the bytes themselves prove.
//! It never fails; letters that cannot be are replaced, and it says so.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8};

use super::tags::tags;

/// A page's own word is looked for this far, as browsers do, and a little further.
const PRESCAN: usize = 4096;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded {
    pub text: String,
    pub encoding: &'static str,
    /// Some bytes were no letters in this encoding.
    pub had_errors: bool,
}

pub fn decode(bytes: &[u8], content_type: Option<&str>) -> Decoded {
    let encoding = encoding_of(bytes, content_type);
    let (text, used, had_errors) = encoding.decode(bytes);
    Decoded { text: text.into_owned(), encoding: used.name(), had_errors }
}

fn encoding_of(bytes: &[u8], content_type: Option<&str>) -> &'static Encoding {
    if let Some((encoding, _)) = Encoding::for_bom(bytes) {
        return encoding;
    }
    // Letters beyond ASCII that happen to be valid UTF-8 are UTF-8, whatever an old label says.
    let proven = std::str::from_utf8(bytes).is_ok() && !bytes.is_ascii();
    if proven {
        return UTF_8;
    }
    let is_utf8 = std::str::from_utf8(bytes).is_ok();
    let usable = |encoding: &&'static Encoding| *encoding != UTF_8 || is_utf8;
    let header = content_type.and_then(charset_of).and_then(|label| Encoding::for_label(label.as_bytes()));
    let own = own_word(&bytes[..bytes.len().min(PRESCAN)]);
    let labelled = header.filter(usable).or(own.filter(usable));
    // A label that the bytes contradict is passed over for what they look like.
    let says_utf8 = [header, own].contains(&Some(UTF_8));
    labelled.unwrap_or_else(|| if is_utf8 || is_damaged(bytes) || says_utf8 && looks_broken(bytes) { UTF_8 } else { guessed(bytes) })
}

/// Letters of one byte stand alone among ASCII; the remains of UTF-8 stand together.
fn looks_broken(bytes: &[u8]) -> bool {
    let is_alone = |at: usize| bytes.get(at.wrapping_sub(1)).is_none_or(u8::is_ascii) && bytes.get(at + 1).is_none_or(u8::is_ascii);
    let (mut alone, mut together) = (0, 0);
    for at in (0..bytes.len()).filter(|at| !bytes[*at].is_ascii()) {
        *(if is_alone(at) { &mut alone } else { &mut together }) += 1;
    }
    together > alone
}

/// Whether most of what is beyond ASCII is UTF-8, so that the rest is damage and not another encoding.
fn is_damaged(bytes: &[u8]) -> bool {
    let chunks = || bytes.utf8_chunks();
    let letters: usize = chunks().map(|chunk| chunk.valid().chars().filter(|letter| !letter.is_ascii()).count()).sum();
    letters >= chunks().filter(|chunk| !chunk.invalid().is_empty()).count()
}

/// As browsers guess where nobody has said anything.
fn guessed(bytes: &[u8]) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(bytes, true);
    detector.guess(None, Utf8Detection::Deny)
}

fn charset_of(content_type: &str) -> Option<&str> {
    let at = content_type.to_ascii_lowercase().find("charset=")? + "charset=".len();
    let rest = content_type.get(at..)?.trim_start_matches(['"', '\'', ' ']);
    Some(rest.split(['"', '\'', ';', ' ', ',']).next().unwrap_or_default()).filter(|label| !label.is_empty())
}

/// `<meta charset>`, `<meta http-equiv content>` and `<?xml encoding?>`.
fn own_word(head: &[u8]) -> Option<&'static Encoding> {
    let text: String = head.iter().map(|byte| char::from(*byte)).collect();
    if let Some(declared) = text.trim_start().strip_prefix("<?xml").and_then(|rest| rest.split("?>").next()) {
        let label = declared.split_once("encoding=").and_then(|(_, rest)| rest.trim_start_matches(['"', '\'']).split(['"', '\'']).next());
        return label.and_then(|label| Encoding::for_label(label.as_bytes()));
    }
    let metas = tags(&text).filter(|tag| tag.name == "meta");
    let label =
        metas.filter_map(|tag| tag.attribute("charset").or_else(|| charset_of(&tag.attribute("content")?).map(str::to_string))).next()?;
    let encoding = Encoding::for_label(label.as_bytes())?;
    // A page that can be read this far is not in UTF-16, whatever it says.
    Some(if encoding.name().starts_with("UTF-16") { UTF_8 } else { encoding })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], content_type: Option<&str>, encoding: &str, text: &str) {
        let decoded = decode(bytes, content_type);
        assert_eq!((decoded.encoding, decoded.text.as_str()), (encoding, text));
    }

    #[test]
    fn the_mark_the_header_and_the_page_are_heard_in_this_order() {
        check(b"\xef\xbb\xbfgr\xc3\xbcn", Some("text/html; charset=iso-8859-1"), "UTF-8", "grün");
        check(b"\xff\xfeg\0r\0", None, "UTF-16LE", "gr");
        check(b"gr\xfcn", Some("text/plain; Charset=\"ISO-8859-1\""), "windows-1252", "grün");
        check(b"<meta charset=windows-1251>\xcf\xf0", None, "windows-1251", "<meta charset=windows-1251>Пр");
        check(
            b"<meta http-equiv=c content='text/html; charset=koi8-r'>\xf0",
            None,
            "KOI8-R",
            "<meta http-equiv=c content='text/html; charset=koi8-r'>П",
        );
        check(b"<?xml version='1.0' encoding='Shift_JIS'?>\x83n", None, "Shift_JIS", "<?xml version='1.0' encoding='Shift_JIS'?>ハ");
    }

    #[test]
    fn a_wrong_label_does_not_spoil_what_the_bytes_prove() {
        check("naïve café".as_bytes(), Some("text/html; charset=iso-8859-1"), "UTF-8", "naïve café");
        check(
            b"<meta charset=windows-1252>\x93caf\xe9\x94",
            Some("text/html; charset=utf-8"),
            "windows-1252",
            "<meta charset=windows-1252>“café”",
        );
    }

    #[test]
    fn what_is_no_letter_is_replaced_and_told() {
        let decoded = decode(b"gr\xc3\xbcn \xff ok", Some("text/plain; charset=utf-8"));
        assert!(decoded.had_errors && decoded.text.starts_with("grün ") && decoded.text.contains('\u{fffd}'));
        check(b"caf\xe9", None, "windows-1252", "café");
        check(b"", None, "UTF-8", "");
    }

    #[test]
    fn without_any_label_the_bytes_are_looked_at() {
        let japanese = encoding_rs::SHIFT_JIS.encode("橋は千九百三十二年に開通しました。").0;
        check(&japanese, None, "Shift_JIS", "橋は千九百三十二年に開通しました。");
        let russian = encoding_rs::WINDOWS_1251.encode("Мост был открыт в тысяча девятьсот тридцать втором году.").0;
        check(&russian, None, "windows-1251", "Мост был открыт в тысяча девятьсот тридцать втором году.");
    }
}
