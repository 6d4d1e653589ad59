#!/usr/bin/env python3
"""Compares what two other parsers of Markdown read, before and after links become absolute.

    markdown.py COMMAND generated NUMBER [SEED]
    markdown.py COMMAND spec SPEC...
    markdown.py COMMAND files PATH...

COMMAND is the program `absolve`. The documents are NUMBER generated ones, the examples of a
specification in the form of CommonMark's `spec.txt`, or files. cmark-gfm (cmarkgfm) and markdown-it (markdown-it-py)
write each document as HTML. That HTML with its links made absolute has to be the HTML of the
document whose links are absolute, and a second run changes nothing. It prints counts, and each difference;
the exit code is 1 if
both parsers differ, or a second run does.
"""

import random
import re
import subprocess
import sys

import cmarkgfm
from cmarkgfm.cmark import Options
from markdown_it import MarkdownIt

BASE = "http://h/d/p"
# Without footnotes, which these parsers do not read, and without an indented line right after a table, which
# pulldown-cmark takes for a row of it.
PARTS = [
    "[a](b)", "![i](j.png)", "[![k](l)](m)", "[n][r]", "![o][s]", "[r]", "<http://e/f>", "<g@h>", "[q](<t u> 'v')",
    "[w](x\\(y)", "[z](a&amp;b)", "[c](d(e)f)", "[]()", "[f](\ng)", "[h](#i)", "[j](\\<k)", "[l](m&copy;n)",
    "[o](p\\\\q)", "[r](<s\\>t>)", "[u](v*w*)", "[x](y_z_)", "[a](b|c)", "`[d](e)`", "<img src=f>", "<a href='g'>", "</a>",
    "<!-- [h](i) -->", "*", "**", "_", "`", "``", "\\", "!", "[", "]", "(", ")", "<", ">", "&", " ", "  ", "\n", "\n\n",
    "\n> ", "\n- ", "\n\n    ", "\n# ", "\n```\n", "\n| a | b |\n|---|---|\n| ", " | ", "\n\n[r]: s\n", "\n\n[s]: <t u>\n",
    "\n\n[t]:\n  u 'v\n w'\n", "\n> [w]: x\n", "\n<div>\n", "\n</div>\n", "~~", "\u00e9", "\t", "1. ",
]  # fmt: skip


def by_cmark(text):
    return cmarkgfm.github_flavored_markdown_to_html(text, Options.CMARK_OPT_UNSAFE)


by_markdown_it = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render
PARSERS = {"cmark-gfm": by_cmark, "markdown-it": by_markdown_it}


def rewritten(command, kind, text):
    args = [command, "rewrite", "-q", "--no-config", "--learn", "none", "--as", kind, "-b", BASE]
    run = subprocess.run([*args, "-"], input=text.encode(), capture_output=True, check=True)
    return run.stdout.decode()


def examples(path):
    text = open(path, encoding="utf-8", newline="").read()
    fence = "`" * 32
    for example in re.findall(rf"^{fence} example[^\n]*\n(.*?)^\.\n", text, re.S | re.M):
        yield example.replace("\u2192", "\t")


def generated(number, seed):
    chance = random.Random(seed)
    for _ in range(number):
        yield "".join(chance.choices(PARTS, k=chance.randint(1, 12))) + "\n"


def documents(kind, args):
    if kind == "generated":
        yield from generated(int(args[0]), int(args[1]) if args[1:] else 0)
    for path in args if kind != "generated" else []:
        yield from examples(path) if kind == "spec" else [open(path, encoding="utf-8", newline="").read()]


def differences(command, text, new):
    """What a parser makes of the new text, and what it should, where these are not equal."""
    for name, parser in PARSERS.items():
        expected, found = rewritten(command, "html", parser(text)), parser(new)
        if expected != found:
            yield f"{name}: {text!r}\n  source   {new!r}\n  expected {expected!r}\n  found    {found!r}"


def main():
    command, kind, *args = sys.argv[1:]
    counts = dict.fromkeys(["documents", "changed", "different", "read otherwise by one parser"], 0)
    for text in documents(kind, args):
        new = rewritten(command, "markdown", text)
        found = list(differences(command, text, new))
        if rewritten(command, "markdown", new) != new:
            counts["different"] += 1
            print(f"a second run changes {text!r}\n  {new!r}")
        counts["documents"] += 1
        counts["changed"] += new != text
        # A URL of HTML on two lines stays.
        if found and not re.search(r"<a href=[\"'][^\"'>]*\n", text):
            # Where only one differs, the two read the document differently.
            both = len(found) == len(PARSERS)
            counts["different" if both else "read otherwise by one parser"] += 1
            print(*found, sep="\n")
    print(", ".join(f"{number} {name}" for name, number in counts.items()))
    return counts["different"] > 0


if __name__ == "__main__":
    sys.exit(main())
