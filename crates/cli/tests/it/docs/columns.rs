//! The columns of links that a page lists.

use std::fs;

use absolve::column::Column;

use super::root;

#[test]
fn the_page_names_the_columns() {
    let page = fs::read_to_string(root().join("docs/links.md")).unwrap();
    assert!(Column::of_objects().all(|column| page.contains(&format!("`{}`", column.name))));
}
