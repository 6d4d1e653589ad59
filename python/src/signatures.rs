//! The signatures of functions with options, for `inspect.signature`.
//!
//! PyO3 takes a signature as a literal only. These are in the docstrings, where Python finds them,
//! since functions share their options.

/// The first lines of a docstring: the parameters of a function, and its options.
macro_rules! signature {
    ($parameters:literal, $options:ident) => {
        concat!($parameters, ", *", keywords!($options), ")\n--\n")
    };
    ($parameters:literal, * $own:literal, $options:ident) => {
        concat!($parameters, ", *, ", $own, keywords!($options), ")\n--\n")
    };
}

/// Options that functions share, as in `absolve/_options.py`.
macro_rules! keywords {
    (reading) => {
        keywords! { limits; standard engine encoding only attr meta lazy same_document
            base_scope feed_base base_element keep_credentials learn }
    };
    (limits) => {
        keywords! { ; max_input max_output max_base_url max_reference max_links max_srcdoc max_depth
            max_attributes }
    };
    (direction) => {
        keywords! { reading; maps }
    };
    (document) => {
        keywords! { direction; to raw_base as_ }
    };
    (container) => {
        keywords! { ; max_parts max_part_depth max_header max_record_header max_record max_ratio }
    };
    (file) => {
        keywords! { direction container; to raw_base layout base_map root_dir as_ server map_file follow_symlinks
            backup break_hardlinks sync dry_run }
    };
    (tree) => {
        keywords! { file; include exclude allow_empty jobs copy_assets force }
    };
    (archive) => {
        keywords! { reading container; status mime url }
    };
    (warc) => {
        keywords! { archive; jobs record_type maps map_file cdxj dry_run }
    };
    (extract) => {
        keywords! { limits container; to missing at standard jobs status mime url }
    };
    (epub) => {
        keywords! { reading; maps map_file dry_run }
    };
    (audit) => {
        keywords! { container; alias root_dir server index accept redirects rule
            sitemap max_findings max_findings_size external_status ignore_link forbid_host
            fail_on baseline report_only sources include exclude allow_empty status mime url
            follow_symlinks jobs standard encoding only attr meta lazy
            base_scope learn max_input max_base_url max_reference max_links max_srcdoc }
    };
    ($($shared:ident)*; $($name:ident)*) => {
        concat!($(keywords!($shared),)* $(", ", stringify!($name), "=None"),*)
    };
}
