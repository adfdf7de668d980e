//! What the real client imports and what it passes over, one row per case.
//! Border: tests of `import`.

use super::*;

/// `✓` marks what the client imported; `f.md` was there each time.
const MEASURED: [(&str, bool); 92] = [
    ("@f.md", true),
    ("see @f.md here", true),
    ("- @f.md", true),
    ("1. @f.md", true),
    ("- [ ] @f.md", true),
    ("- [x] @f.md", true),
    ("# @f.md", true),
    ("@f.md\n===\n", true),
    ("**@f.md**", true),
    ("** @f.md **", true),
    ("**see @f.md now**", true),
    ("**x** @f.md", true),
    ("**x**@f.md", true),
    ("`x` @f.md", true),
    ("`x`@f.md", true),
    ("_@f.md_ x", true),
    ("[@f.md](foo)", true),
    ("[ @f.md ](foo)", true),
    ("[see @f.md now](foo)", true),
    ("[@f.md][z]\n\n[z]: y\n", true),
    ("[a](b) @f.md", true),
    ("> @f.md", true),
    (">@f.md", true),
    ("@./f.md", true),
    ("@sub/../f.md", true),
    ("@f.md#foo", true),
    ("@f.md#", true),
    ("<b>@f.md</b>", true),
    ("x <b> @f.md </b>", true),
    ("@f.md<br>", true),
    ("~~ @f.md ~~", true),
    ("~~see @f.md now~~", true),
    ("` @f.md open", true),
    ("  @f.md", true),
    ("para\n    @f.md\n", true),
    ("| @f.md | b |", true),
    ("| a | b |\n|---|---|\n| @f.md | x |\n", true),
    ("| @f.md | b |\n|---|---|\n| c | x |\n", true),
    ("see: @f.md", true),
    ("see\u{a0}@f.md x", true),
    ("// @f.md", true),
    ("@f.md   ", true),
    ("@f.md\\", true),
    ("@f.md\r", true),
    ("。 @f.md", true),
    ("✅ @f.md", true),
    ("line one\n@f.md", true),
    ("line one  \n@f.md", true),
    ("https://ex.com/ @f.md", true),
    ("&amp; @f.md &lt;", true),
    ("x\\_@f.md", true),
    ("<div>\n\n@f.md\n\n</div>\n", true),
    ("<!-- c --> @f.md\nnext\n", true),
    ("@f.md <!-- c -->\n", true),
    ("<!-- a -- b --> @f.md\n", true),
    ("1. x\n\n    @f.md\n", true),
    ("- x\n@f.md\n", true),
    ("$ @f.md $", true),
    ("````\n```\n@g.md\n```\n````\n@f.md\n", true),
    ("(@f.md x", false),
    ("(@f.md)", false),
    ("\"@f.md\"", false),
    ("@\"f.md\"", false),
    ("a,@f.md x", false),
    ("[foo](@f.md)", false),
    ("![](@f.md)", false),
    ("![@f.md](foo)", false),
    ("[a]: @f.md", false),
    ("[^1]: @f.md", false),
    ("<@f.md>", false),
    ("text <!-- @f.md --> more", false),
    ("<!--\n@f.md\n-->\nafter\n", false),
    ("- a\n  <!-- @f.md -->\n", false),
    ("<!-- a --> mid <!-- b @f.md --> end\n", false),
    ("x\n\n<!--\n@f.md\n\nafter\n", false),
    ("<div>\n@f.md\n</div>\n", false),
    ("<b>\n@f.md\n</b>\n", false),
    ("<?php @f.md ?>\n", false),
    ("~~@f.md~~", false),
    ("`@f.md`", false),
    ("`` @f.md ``", false),
    ("a `b\n@f.md` c\n", false),
    ("```\n@f.md\n", false),
    ("~~~\n@f.md\n~~~\n", false),
    ("- x\n  ```\n  @f.md\n  ```\n", false),
    ("\t@f.md", false),
    ("    @f.md", false),
    ("@@f.md", false),
    ("me@f.md", false),
    ("\\@f.md", false),
    ("&nbsp;@f.md", false),
    ("see:@f.md", false),
];

#[test]
fn an_import_counts_where_the_client_counts_it() {
    for (text, counts) in MEASURED {
        let paths: Vec<String> = imports(text).into_iter().map(|import| import.path).collect();
        let is_there =
            paths.iter().any(|path| ["f.md", "./f.md", "sub/../f.md"].contains(&&**path));
        assert_eq!(is_there, counts, "{text:?}: {paths:?}");
    }
}

#[test]
fn what_ends_a_path_is_a_space_and_nothing_else() {
    for (text, path) in [
        ("@f.md.", "f.md."),
        ("@f.md:", "f.md:"),
        ("@f.md, x", "f.md,"),
        ("@f.md)", "f.md)"),
        ("@f.md's", "f.md's"),
        ("@f.md— x", "f.md—"),
        ("@f.md?x=1", "f.md?x=1"),
        ("@f.md@g.md", "f.md@g.md"),
        ("@./a\\ b/c\\ d.md and", "./a b/c d.md"),
        ("@my_long_name.md", "my_long_name.md"),
        ("@a:b.md", "a:b.md"),
        ("@.env", ".env"),
        ("@-x.md", "-x.md"),
        ("@./+x.md", "./+x.md"),
        ("@~/x.md", "~/x.md"),
        ("@/x.md", "/x.md"),
        ("@../x.md", "../x.md"),
    ] {
        assert_eq!(imports(text)[0].path, path, "{text}");
    }
    for text in [
        "@+x.md",
        "@日.md",
        "@(x).md",
        "@$x.md",
        "@é.md",
        "@%x.md",
        "@~x.md",
        "@#x.md",
        "@/",
        "@",
        "@__a__/b.md",
    ] {
        assert_eq!(imports(text), [], "{text}");
    }
}

#[test]
fn what_looks_like_an_import_is_told_with_the_reason() {
    for (text, path, why) in [
        ("`@f.md`", "f.md", Lookalike::CodeSpan),
        ("```\n@f.md\n```", "f.md", Lookalike::CodeBlock),
        ("    @f.md", "f.md", Lookalike::CodeBlock),
        ("a <!-- @f.md --> b", "f.md", Lookalike::Comment),
        ("<!--\n@f.md\n-->", "f.md", Lookalike::Comment),
        ("<div>\n@f.md\n</div>", "f.md", Lookalike::Html),
        ("![x](@f.md)", "f.md", Lookalike::Target),
        ("[x](@f.md)", "f.md", Lookalike::Target),
        ("(@f.md)", "f.md", Lookalike::Glued),
        ("me@f.md", "f.md", Lookalike::Glued),
        ("@\"my file.md\"", "my file.md", Lookalike::Form),
        ("@日.md", "日.md", Lookalike::Form),
        ("@__tests__/f.md", "__tests__/f.md", Lookalike::Emphasis),
    ] {
        let found = missed(text, &imports(text));
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        assert_eq!((found[0].path.as_str(), found[0].why), (path, why), "{text}");
    }
    assert_eq!(missed("see @f.md", &imports("see @f.md")), []);
    assert_eq!(missed("a @ b", &[]), []);
}

#[test]
fn a_text_full_of_signs_takes_no_time() {
    let text = "@".repeat(100_000);
    assert_eq!(imports(&text), []);
    assert!(missed(&text, &[]).is_empty());
    let text = "(@f.md ".repeat(20_000);
    assert_eq!(missed(&text, &imports(&text)).len(), LOOKALIKES_MAX);
}
