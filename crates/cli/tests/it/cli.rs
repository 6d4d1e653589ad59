//! The command from the outside, as data: `tests/cmd`, brought up to date by
//! `TRYCMD=overwrite cargo test --test it cli`.

#[test]
fn commands_print_what_their_files_say() {
    std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).unwrap();
    trycmd::TestCases::new()
        .env("COLUMNS", "100")
        .case("crates/cli/tests/cmd/*.trycmd")
        .case("crates/cli/tests/cmd/*.toml");
}
