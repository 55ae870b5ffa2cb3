//! Small PDF files made by hand: whole, locked in no way, and as broken as a test wants them.
//! It draws nothing but lines of text.

/// A paper of one page with these lines.
pub fn pdf(title: &str, lines: &[&str]) -> Vec<u8> {
    let escaped = |text: &str| text.replace('\\', "\\\\").replace('(', "\\(").replace(')', "\\)");
    let shown: String = lines.iter().map(|line| format!("({}) Tj 0 -16 Td\n", escaped(line))).collect();
    let content = format!("BT /F1 12 Tf 72 740 Td\n{shown}ET");
    objects(&[
        "<< /Type /Catalog /Pages 2 0 R >>".to_string(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_string(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>".to_string(),
        format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_string(),
        format!("<< /Title ({}) /Author (Ada Lovelace; Charles Babbage) /CreationDate (D:20240517100000Z) >>", escaped(title)),
    ])
}

/// A paper whose tree of pages goes in a circle.
pub fn circular_pdf() -> Vec<u8> {
    objects(&[
        "<< /Type /Catalog /Pages 2 0 R >>".to_string(),
        "<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 1000000 /Parent 2 0 R >>".to_string(),
    ])
}

/// A paper of arrays in arrays in arrays.
pub fn nested_pdf(depth: usize) -> Vec<u8> {
    let nest = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    objects(&["<< /Type /Catalog /Pages 2 0 R >>".to_string(), format!("<< /Type /Pages /Kids {nest} /Count 1 >>")])
}

fn objects(objects: &[String]) -> Vec<u8> {
    let mut out = b"%PDF-1.4\n".to_vec();
    let mut places = Vec::new();
    for (number, object) in objects.iter().enumerate() {
        places.push(out.len());
        out.extend_from_slice(format!("{} 0 obj\n{object}\nendobj\n", number + 1).as_bytes());
    }
    let table = out.len();
    out.extend_from_slice(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).as_bytes());
    for place in places {
        out.extend_from_slice(format!("{place:010} 00000 n \n").as_bytes());
    }
    let info = if objects.len() > 5 { " /Info 6 0 R" } else { "" };
    let trailer = format!("trailer\n<< /Size {} /Root 1 0 R{info} >>\nstartxref\n{table}\n%%EOF\n", objects.len() + 1);
    out.extend_from_slice(trailer.as_bytes());
    out
}
