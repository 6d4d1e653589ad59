//! Statuses as lines: a URL, a tab, a status, and a tab and the URL of a redirect if there is one.

use crate::audit::external::answer::{Answer, InvalidStatuses, answer_of};

pub(super) fn read(text: &str, add: &mut dyn FnMut(&str, Answer)) -> Result<(), InvalidStatuses> {
    for (number, line) in (1..).zip(text.lines()) {
        let mut cells = line.split('\t').map(str::trim);
        let (url, status) = (cells.next().unwrap_or(""), cells.next());
        if url.is_empty() && status.is_none() {
            continue;
        }
        let is_status = |status: &&str| status.bytes().all(|byte| byte.is_ascii_digit());
        let status = status.filter(is_status).and_then(|status| status.parse().ok());
        let status = status.filter(|&status: &u16| status < 1000).ok_or_else(|| {
            let what = "expected a URL, a tab and a status, such as 404, or the JSON of lychee or \
                        linkinator";
            InvalidStatuses::new(number, what)
        })?;
        add(url, answer_of(url, status, cells.next()));
    }
    Ok(())
}
