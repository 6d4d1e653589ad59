//! The command from the outside, as data: `tests/cmd`, brought up to date by
//! `TRYCMD=overwrite cargo test --test it cli`.

#[test]
fn commands_print_what_their_files_say() {
    trycmd::TestCases::new()
        .env("COLUMNS", "100")
        .case("tests/cmd/*.trycmd")
        .case("tests/cmd/*.toml");
}
