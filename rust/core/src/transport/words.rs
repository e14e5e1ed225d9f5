//! What a server says about its refusal, cut to one line.

/// How much of a refusal's body is looked at.
pub(crate) const LOOKED_AT: usize = 4096;
const LONGEST: usize = 200;

/// The gist of an error body: an XML `Message`, a page's `title`, else the first line of text.
pub(crate) fn gist(body: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(&body[..body.len().min(LOOKED_AT)]);
    let text = text.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']);
    let line = if text.starts_with('<') {
        ["Message", "title", "h1"].iter().find_map(|tag| element(text, tag))?
    } else {
        text.lines().next()?
    };
    let printable: String = line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let words: Vec<&str> = printable.split_whitespace().collect();
    let line: String = words.join(" ").chars().take(LONGEST).collect();
    (!line.is_empty()).then_some(line)
}

/// The text of the first `tag` element, in any case.
fn element<'a>(text: &'a str, tag: &str) -> Option<&'a str> {
    // ASCII lower case keeps every byte's place.
    let lower = text.to_ascii_lowercase();
    let tag = tag.to_ascii_lowercase();
    let open = lower.find(&format!("<{tag}>")).map(|at| at + tag.len() + 2)?;
    let close = lower[open..].find('<')? + open;
    text.get(open..close)
}

#[cfg(test)]
mod tests;
