// Generated from the options of the command; GENERATED=overwrite cargo test --test it generated
// writes this file.

/// The options that functions share, as a signature has them.
macro_rules! keywords {
    (document) => {
        ", standard=None, engine=None, encoding=None, only=None, attr=None, meta=None, \
         lazy=None, ignore_link=None, same_document=None, raw_base=None, base_scope=None, \
         feed_base=None, base_element=None, keep_credentials=None, learn=None, maps=None, \
         strict=None, to=None, as_=None, max_input=None, max_output=None, max_base_url=None, \
         max_reference=None, max_links=None, max_srcdoc=None, max_depth=None, \
         max_attributes=None"
    };
    (file) => {
        ", raw_base=None, learn=None, layout=None, base_map=None, base_scope=None, \
         feed_base=None, base_element=None, keep_credentials=None, as_=None, \
         follow_symlinks=None, root_dir=None, to=None, server=None, maps=None, map_file=None, \
         dry_run=None, backup=None, break_hardlinks=None, strict=None, sync=None, \
         standard=None, engine=None, encoding=None, only=None, attr=None, meta=None, lazy=None, \
         ignore_link=None, same_document=None, max_input=None, max_output=None, \
         max_base_url=None, max_reference=None, max_links=None, max_srcdoc=None, \
         max_depth=None, max_attributes=None, max_parts=None, max_part_depth=None, \
         max_header=None"
    };
    (tree) => {
        concat!(keywords!(file), "\
         , include=None, exclude=None, allow_empty=None, jobs=None, copy_assets=None, \
         force=None")
    };
    (archive) => {
        ", learn=None, base_scope=None, feed_base=None, base_element=None, \
         keep_credentials=None, status=None, mime=None, url=None, standard=None, engine=None, \
         encoding=None, only=None, attr=None, meta=None, lazy=None, ignore_link=None, \
         same_document=None, max_input=None, max_base_url=None, max_reference=None, \
         max_links=None, max_srcdoc=None, max_depth=None, max_attributes=None, max_parts=None, \
         max_part_depth=None, max_header=None, max_record_header=None, max_record=None, \
         max_ratio=None"
    };
    (extract) => {
        ", to=None, missing=None, at=None, standard=None, jobs=None, status=None, mime=None, \
         url=None, max_input=None, max_output=None, max_base_url=None, max_reference=None, \
         max_links=None, max_srcdoc=None, max_parts=None, max_part_depth=None, max_header=None, \
         max_record_header=None, max_record=None, max_ratio=None"
    };
    (audit) => {
        ", alias=None, root_dir=None, server=None, index=None, accept=None, redirects=None, \
         rule=None, sitemap=None, external_status=None, ignore_link=None, forbid_host=None, \
         fail_on=None, baseline=None, report_only=None, sources=None, include=None, \
         exclude=None, allow_empty=None, follow_symlinks=None, jobs=None, standard=None, \
         encoding=None, only=None, attr=None, meta=None, lazy=None, base_scope=None, \
         learn=None, max_input=None, max_base_url=None, max_reference=None, max_links=None, \
         max_srcdoc=None, max_findings=None, max_findings_size=None"
    };
    (link) => {
        "element, attribute, grammar, reference, url, base, base_source, span, line, column, enclosing"
    };
    (docstrings) => {
        [
            "The name of the element, in lower case.",
            "The name of the attribute, in lower case; `(text)` for the text of the element.",
            "How the attribute holds references, such as `url` or `srcset`.",
            "The reference as an HTML parser reads it: character references are decoded.",
            "The absolute URL; `None` if the reference stays unresolved.",
            "The base URL that the reference was resolved against.",
            "Where the base URL came from, such as `retrieval-url` or `base-element`.",
            "Start and end of the reference as it is written: bytes of `bytes`, code points of `str`.\n\n`None` with `engine=\"dom\"`.",
            "The line of the reference, from 1; `None` with `engine=\"dom\"`.",
            "The column of the reference in characters, from 1; `None` with `engine=\"dom\"`.",
            "For a link of a document inside a `srcdoc`: the span of that attribute's value.",
        ]
    };
    (columns) => {
        "- `element`: The name of the element, in lower case.
- `attribute`: The name of the attribute, in lower case; `(text)` for the text of the
  element.
- `grammar`: How the attribute holds references, such as `url` or `srcset`.
- `reference`: The reference as an HTML parser reads it: character references are decoded.
- `url`: The absolute URL; `None` if the reference stays unresolved.
- `base`: The base URL that the reference was resolved against.
- `base_source`: Where the base URL came from, such as `retrieval-url` or `base-element`.
- `start`: The start of the reference.
- `end`: The end of the reference.
- `line`: The line of the reference, from 1.
- `column`: The column of the reference in characters, from 1."
    };
    (more_columns) => {
        "- `text`: The text of an `a` element with its white space collapsed and the `alt` of images.
- `rel`: The attribute `rel`.
- `hreflang`: The attribute `hreflang`.
- `title`: The attribute `title`.
- `nofollow`: Whether `rel` has `nofollow`."
    };
}
