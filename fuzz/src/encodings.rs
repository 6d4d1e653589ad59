//! Every property in every encoding, named or declared at any place, and a text in another encoding
//! is rewritten as in UTF-8.

use crate::check::{Settings, all, encoded};
use crate::common::holds;

#[rustfmt::skip]
const LABELS: [&str; 12] = [
    "utf-16le", "utf-16be", "shift_jis", "euc-kr", "gb18030", "big5", "iso-2022-jp",
    "windows-1252", "euc-jp", "gbk", "koi8-r", "x-user-defined",
];

/// Texts before a document and after it that declare an encoding or look like it.
const DECLARATIONS: [(&str, &str); 8] = [
    ("", "<meta charset=LABEL>"),
    ("PADDING<meta charset=LABEL>", "<meta charset=koi8-u>"),
    ("PADDING<meta http-equiv=content-type content='text/html; charset=LABEL'>", ""),
    ("<script><meta charset=koi8-u></script>PADDING<meta charset=LABEL>", ""),
    ("<!-- --!><meta charset=LABEL><!-- --><meta charset=shift_jis>", ""),
    ("<title><meta charset=iso-2022-jp></title>", "</title><meta charset=LABEL>"),
    ("<?xml encoding='LABEL'?>", ""),
    ("<?xml encoding='euc-jp'?>", "PADDING<template><meta charset=LABEL>"),
];

/// The document with a declaration of this encoding.
fn declared(data: &[u8], (before, after): (&str, &str), label: &str) -> Vec<u8> {
    let written = |text: &str| {
        text.replace("PADDING", &format!("<!--{}-->", "x".repeat(1024))).replace("LABEL", label)
    };
    [written(before).as_bytes(), data, written(after).as_bytes()].concat()
}

pub(crate) fn run(data: &[u8]) {
    let Some((&first, data)) = data.split_first() else { return };
    let (label, way) = (usize::from(first) % LABELS.len(), usize::from(first) / LABELS.len());
    let label = LABELS[label];
    // Of the 21 ways that a byte leaves, the first eight declare the encoding.
    if let Some(&declaration) = DECLARATIONS.get(way) {
        let source = declared(data, declaration, label);
        return holds(|| all(&Settings::default(), &source).map(|_| ()));
    }
    match str::from_utf8(data) {
        Ok(text) => holds(|| encoded(&Settings::default(), text, label)),
        Err(_) => {
            holds(|| all(&Settings { encoding: Some(label), ..Settings::default() }, data));
        }
    }
}
