//! The ends of names: top-level domains, and extensions of files.

/// Top-level domains that are not extensions of files: if no such file exists, `example.com` is a
/// host and `readme.md` is not.
const TOP_LEVEL: &[&str] =
    &["com", "org", "net", "edu", "gov", "mil", "int", "info", "biz", "io", "dev", "app"];

/// Domains of countries that tables of media types (`mime.types`) do not have as extensions, and
/// programs do not use as such: without `pl`, `md` or `rs`.
const COUNTRIES: &[&str] = &[
    "ad", "ae", "af", "ag", "al", "ao", "aq", "ar", "at", "aw", "ax", "az", "ba", "bd", "be", "bf",
    "bg", "bh", "bi", "bj", "bm", "bn", "bo", "bs", "bt", "bw", "by", "ca", "cd", "cf", "cg", "ch",
    "ci", "ck", "cm", "cn", "co", "cv", "cx", "cy", "cz", "de", "dj", "dk", "dm", "ec", "ee", "eg",
    "er", "et", "eu", "fi", "fj", "fk", "fr", "ga", "gb", "ge", "gg", "gh", "gi", "gm", "gn", "gp",
    "gq", "gr", "gt", "gu", "gw", "gy", "hk", "hm", "hn", "hr", "ht", "hu", "id", "ie", "il", "im",
    "iq", "ir", "is", "it", "je", "jm", "jo", "jp", "ke", "kg", "kh", "ki", "km", "kn", "kp", "kr",
    "kw", "ky", "kz", "lb", "lc", "li", "lk", "lr", "ls", "lt", "lu", "lv", "mc", "mg", "mh", "mn",
    "mp", "mq", "mr", "mt", "mu", "mv", "mw", "mx", "my", "mz", "na", "ne", "nf", "ng", "ni", "nl",
    "no", "np", "nr", "nz", "om", "pa", "pe", "pf", "pg", "ph", "pn", "pr", "pw", "qa", "ro", "ru",
    "rw", "sa", "sb", "se", "sg", "sk", "sn", "ss", "su", "sx", "sy", "sz", "tc", "tg", "th", "tj",
    "tl", "tn", "to", "tt", "tv", "tw", "tz", "ua", "ug", "uk", "us", "uy", "uz", "va", "ve", "vg",
    "vi", "vn", "vu", "wf", "ws", "ye", "za", "zm", "zw",
];

/// Extensions of files, also of such as are top-level domains: `logo@2x.png` and `tool@1.2.zip` are
/// not addresses.
const EXTENSIONS: &[&str] = &[
    "7z",
    "aac",
    "aif",
    "aiff",
    "apk",
    "asc",
    "asp",
    "aspx",
    "avi",
    "avif",
    "bak",
    "bat",
    "bib",
    "bin",
    "bmp",
    "bz2",
    "cab",
    "cer",
    "cfg",
    "cfm",
    "cgi",
    "class",
    "conf",
    "cpp",
    "crt",
    "csh",
    "css",
    "csv",
    "dat",
    "db",
    "deb",
    "dll",
    "dmg",
    "doc",
    "docm",
    "docx",
    "dot",
    "dotx",
    "dtd",
    "dvi",
    "dxf",
    "eml",
    "eot",
    "eps",
    "epub",
    "exe",
    "flac",
    "flv",
    "fon",
    "gif",
    "gz",
    "htm",
    "html",
    "icns",
    "ico",
    "ics",
    "ini",
    "ipa",
    "ipynb",
    "iso",
    "jar",
    "java",
    "jpe",
    "jpeg",
    "jpg",
    "js",
    "json",
    "jsonl",
    "jsp",
    "jsx",
    "kml",
    "kmz",
    "less",
    "log",
    "lua",
    "lzma",
    "m3u",
    "m3u8",
    "m4a",
    "m4v",
    "map",
    "markdown",
    "md",
    "mdx",
    "mid",
    "midi",
    "mjs",
    "mkv",
    "mobi",
    "mov",
    "mp3",
    "mp4",
    "mpeg",
    "mpg",
    "msi",
    "odg",
    "odp",
    "ods",
    "odt",
    "ogg",
    "ogv",
    "opus",
    "otf",
    "pdf",
    "pem",
    "php",
    "pkg",
    "png",
    "pps",
    "ppt",
    "pptm",
    "pptx",
    "psd",
    "pub",
    "py",
    "pyc",
    "rar",
    "rb",
    "rdf",
    "rpm",
    "rss",
    "rst",
    "rtf",
    "sass",
    "scss",
    "sh",
    "sig",
    "sql",
    "sqlite",
    "srt",
    "svg",
    "svgz",
    "swf",
    "tar",
    "tex",
    "tgz",
    "tif",
    "tiff",
    "toml",
    "ts",
    "tsv",
    "tsx",
    "ttc",
    "ttf",
    "txt",
    "vcf",
    "vtt",
    "vue",
    "wasm",
    "wav",
    "webm",
    "webmanifest",
    "webp",
    "whl",
    "wma",
    "wmf",
    "wmv",
    "woff",
    "woff2",
    "xhtml",
    "xls",
    "xlsm",
    "xlsx",
    "xml",
    "xpi",
    "xsd",
    "xsl",
    "xslt",
    "xz",
    "yaml",
    "yml",
    "zip",
    "zst",
];

/// Whether the end of a host is a well-known top-level domain.
pub(super) fn is_top_level(end: &str) -> bool {
    has(TOP_LEVEL, end)
}

/// Whether an end can only be that of a domain, not of a file.
pub(super) fn is_only_a_domain(end: &str) -> bool {
    is_top_level(end) || has(COUNTRIES, end)
}

/// Whether an end is that of a file.
pub(super) fn is_extension(end: &str) -> bool {
    has(EXTENSIONS, end)
}

fn has(ends: &[&str], end: &str) -> bool {
    ends.iter().any(|one| one.eq_ignore_ascii_case(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_end_is_that_of_a_domain_alone_and_of_a_file() {
        assert!(EXTENSIONS.iter().all(|end| !is_only_a_domain(end)));
        assert!(["COM", "de", "io"].into_iter().all(is_only_a_domain));
        assert!(["pl", "rs", "kt", "museum"].into_iter().all(|end| !is_only_a_domain(end)));
    }
}
