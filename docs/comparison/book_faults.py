"""The books of books.py: made by itself and by pandoc, and the faults that are planted in them."""

import os
import posixpath
import re
import subprocess
import zipfile

CONTAINER = """<?xml version="1.0"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles><rootfile full-path="{}" media-type="application/oebps-package+xml"/></rootfiles>
</container>
"""
XHTML = """<?xml version="1.0" encoding="UTF-8"?>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" xml:lang="en" lang="en">
<head><title>{0}</title>
<link rel="stylesheet" type="text/css" href="{1}style.css"/>
</head><body>
{2}
</body></html>
"""
PACKAGE = """<?xml version="1.0" encoding="UTF-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="{version}" unique-identifier="id" xml:lang="en">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:opf="http://www.idpf.org/2007/opf">
<dc:identifier id="id">urn:uuid:00000000-0000-0000-0000-00000000000{number}</dc:identifier>
<dc:title>Book {number}</dc:title><dc:language>en</dc:language>{modified}
</metadata>
<manifest>
{items}
</manifest>
<spine{toc}>
{spine}
</spine>{guide}
</package>
"""
NCX = """<?xml version="1.0" encoding="UTF-8"?>
<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/" version="2005-1">
<head><meta name="dtb:uid" content="urn:uuid:00000000-0000-0000-0000-00000000000{0}"/></head>
<docTitle><text>Book</text></docTitle>
<navMap>
<navPoint id="n1" playOrder="1"><navLabel><text>1</text></navLabel>
<content src="text/ch1.xhtml#s1"/></navPoint>
</navMap>
</ncx>
"""
SMIL = """<?xml version="1.0" encoding="UTF-8"?>
<smil xmlns="http://www.w3.org/ns/SMIL" xmlns:epub="http://www.idpf.org/2007/ops" version="3.0">
<body>
<par id="p1"><text src="text/ch1.xhtml#s1"/><audio src="a.mp3" clipBegin="0s" clipEnd="1s"/></par>
</body>
</smil>
"""
OVERLAY = ('<meta property="media:duration" refines="#overlay">0:00:01</meta>\n'
           '<meta property="media:duration">0:00:01</meta>')
GUIDE = '\n<guide>\n<reference type="text" title="Begin" href="text/ch1.xhtml"/>\n</guide>'
SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><title>x</title><rect id="r" width="9" height="9"/></svg>\n'
PNG = bytes.fromhex("89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489"
                    "0000000d49444154789c6360f8cf500f0003860180345a30ea0000000049454e44ae426082")


def book(number):
    """The files of a book of EPUB 3, or EPUB 2 for an odd number."""
    is_old = number % 2
    root = ["OEBPS/", "", "EPUB/a b/"][number % 3]
    types = {"xhtml": "application/xhtml+xml", "css": "text/css", "svg": "image/svg+xml", "png": "image/png",
             "ncx": "application/x-dtbncx+xml", "smil": "application/smil+xml", "mp3": "audio/mpeg"}
    files = {}
    for chapter in (1, 2, 3):
        other = chapter % 3 + 1
        body = (f'<h1 id="s1">Chapter {chapter}</h1>\n<p id="ü">x</p>\n'
                f'<p><a href="ch{other}.xhtml#s1">next</a> <a href="#s1">up</a> <a href="https://example.org/">web</a></p>\n'
                f'<p><a href="ch{other}.xhtml#%C3%BC">umlaut</a> <img src="../img/a%20b.png" alt="x"/></p>\n')
        files[f"text/ch{chapter}.xhtml"] = XHTML.format(f"Chapter {chapter}", "../", body)
    files["style.css"] = "body { background: url(img/a%20b.png) }\n"
    files["img/a b.png"] = PNG
    files["img/s.svg"] = SVG
    if is_old:
        files["toc.ncx"] = NCX.format(number)
    else:
        toc = ('<nav epub:type="toc"><ol>\n<li><a href="text/ch1.xhtml">1</a></li>\n'
               '<li><a href="text/ch2.xhtml#s1">2</a></li>\n</ol></nav>')
        files["nav.xhtml"] = XHTML.format("Contents", "", toc)
        files["o.smil"], files["a.mp3"] = SMIL, b"ID3"
    items = []
    for at, name in enumerate(files):
        properties = {"nav.xhtml": ' properties="nav"'}.get(name, "")
        if name == "text/ch1.xhtml" and not is_old:
            properties = ' media-overlay="overlay"'
        end = types[name.rsplit(".", 1)[1]]
        ident = {"toc.ncx": "ncx", "o.smil": "overlay"}.get(name, f"i{at}")
        items.append(f'<item id="{ident}" href="{name.replace(" ", "%20")}" media-type="{end}"{properties}/>')
    modified = "" if is_old else f'\n<meta property="dcterms:modified">2020-01-01T00:00:00Z</meta>\n{OVERLAY}'
    package = PACKAGE.format(
        version="2.0" if is_old else "3.0", number=number, modified=modified, guide=GUIDE if is_old else "",
        items="\n".join(items),
        toc=' toc="ncx"' if is_old else "", spine="\n".join(f'<itemref idref="i{at}"/>' for at in range(3)))
    files = {root + name: content for name, content in files.items()}
    files[root + "p.opf"] = package
    return {"mimetype": "application/epub+zip", "META-INF/container.xml": CONTAINER.format(root + "p.opf"), **files}


def of_pandoc(number, folder):
    """The files of a book that pandoc makes."""
    text = "".join(f"# Chapter {one}\n\nText with a [link](#chapter-{one % 4 + 1}), a note[^{one}].\n\n"
                   f"## Section {one}\n\n![image](img.png)\n\n[^{one}]: Note, <https://example.org/>.\n\n"
                   for one in (1, 2, 3, 4))
    source, path = os.path.join(folder, f"{number}.md"), os.path.join(folder, f"pandoc{number}.epub")
    with open(source, "w", encoding="utf-8") as file:
        file.write(f"---\ntitle: Book {number}\nlang: en\n---\n\n{text}")
    with open(os.path.join(folder, "img.png"), "wb") as file:
        file.write(PNG)
    subprocess.run(["pandoc", source, "-t", f"epub{2 + number % 2}", "--toc", "-o", path], check=True, cwd=folder)
    with zipfile.ZipFile(path) as old:
        return {name: old.read(name) for name in old.namelist() if not name.endswith("/")}


def write(path, files):
    with zipfile.ZipFile(path, "w") as new:
        for name, content in files.items():
            method = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            new.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), content, method)


# Faults: what they are put before, and the line; {next} is another page.
PAGE = "</body>"
INLINE = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 1 1">'
XLINK = 'xmlns:xlink="http://www.w3.org/1999/xlink"'
FAULTS = [
    (PAGE, '<p><a href="gone.xhtml">x</a></p>'),
    (PAGE, '<p><a href="#gone">x</a></p>'),
    (PAGE, '<p><a href="{next}#gone">x</a></p>'),
    (PAGE, '<p><img src="gone.png" alt="x"/></p>'),
    (PAGE, '<p><img src="https://example.org/gone.png" alt="x"/></p>'),
    (PAGE, '<p><a href="{upper}">x</a></p>'),
    (PAGE, '<p><a href="{unlisted}">x</a></p>'),
    (PAGE, '<p><a href="../../../../../gone.xhtml">x</a></p>'),
    (PAGE, '<p><img src="{unlisted_image}" alt="x"/></p>'),
    (PAGE, '<p><a href="{next}#s%20gone">x</a></p>'),
    ("</head>", '<link rel="stylesheet" type="text/css" href="gone.css"/>'),
    ("</head>", '<link rel="stylesheet" type="text/css" href="https://example.org/x.css"/>'),
    ("</manifest>", '<item id="gone" href="gone.xhtml" media-type="application/xhtml+xml"/>'),
    ("</manifest>", '<item id="gone2" href="gone.css" media-type="text/css"/>'),
    ("</spine>", '<itemref idref="nothing"/>'),
    ("</navMap>", '<navPoint id="f1" playOrder="99"><navLabel><text>x</text></navLabel><content src="{here_page}#gone"/></navPoint>'),
    ("</navMap>", '<navPoint id="f2" playOrder="98"><navLabel><text>x</text></navLabel><content src="gone-ncx.xhtml"/></navPoint>'),
    ("css", "p {{ background: url(gone.png) }}"),
    ("css", "p {{ background: url(https://example.org/gone.png) }}"),
    ("css", '@import "gone2.css";'),
    (PAGE, '<p><object data="gone.svg" type="image/svg+xml">x</object></p>'),
    (PAGE, '<p><svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 1 1">'
           '<image xlink:href="gone.jpg" width="1" height="1"/></svg></p>'),
    (PAGE, '<blockquote cite="gone.html"><p>x</p></blockquote>'),
    (PAGE, '<p><a href="text/">x</a></p>'),
    (PAGE, '<p><a href="gone/a%2Fb.xhtml">x</a></p>'),
    (PAGE, f'<p>{INLINE}<use xlink:href="#gone"/></svg></p>'),
    (PAGE, f'<p>{INLINE}<rect fill="url(#gone)" width="1" height="1"/></svg></p>'),
    (PAGE, f'<p>{INLINE}<rect stroke="url(#gone)" width="1" height="1"/></svg></p>'),
    ("</svg>", f'<use {XLINK} xlink:href="#gone"/>'),
    ("</svg>", '<rect fill="url(#gone)" width="1" height="1"/>'),
    ("</svg>", f'<image {XLINK} xlink:href="#gone" width="1" height="1"/>'),
    ("</svg>", f'<linearGradient {XLINK} xlink:href="#gone-2"/>'),
    ("</svg>", '<use href="#gone-2"/>'),
    ("</svg>", '<rect style="mask: url(#gone-2)" width="1" height="1"/>'),
    (PAGE, f'<p>{INLINE}<rect clip-path="url(#gone-2)" width="1" height="1"/></svg></p>'),
    (PAGE, '<p><a href="/{root}">x</a></p>'),
    (PAGE, '<p><object data="/{root}" type="application/xhtml+xml">x</object></p>'),
    (PAGE, '<p><img src="" alt="x"/></p>'),
    (PAGE, '<p><object data="" type="image/svg+xml">x</object></p>'),
    ("</head>", '<link rel="stylesheet" type="text/css" href=""/>'),
    (PAGE, f'<p>{INLINE}<image xlink:href="" width="1" height="1"/></svg></p>'),
    ("</navMap>", '<navPoint id="f3" playOrder="97"><navLabel><text>x</text></navLabel><content src=""/></navPoint>'),
    ("</navMap>", '<navPoint id="f4" playOrder="96"><navLabel><text>x</text></navLabel>'
                  '<content src="/{root}"/></navPoint>'),
    ("</navMap>", '<navPoint id="f5" playOrder="95"><navLabel><text>x</text></navLabel>'
                  '<content src="https://example.org/x.xhtml"/></navPoint>'),
    ("</guide>", '<reference type="text" title="x" href="https://example.org/x.xhtml"/>'),
    ("</guide>", '<reference type="text" title="x" href=""/>'),
    ("</guide>", '<reference type="text" title="x" href="gone-guide.xhtml"/>'),
    ("</manifest>", '<item id="remote" href="https://example.org/item.xhtml" media-type="application/xhtml+xml"/>'),
    ("</manifest>", '<item id="remote2" href="https://example.org/item.png" media-type="image/png"/>'),
    ("</manifest>", '<item id="query" href="{here_page}?x" media-type="application/xhtml+xml"/>'),
    ("</manifest>", '<item id="data" href="data:text/css,a" media-type="text/css"/>'),
    ("smil", '<par><text src="{here_page}#gone"/><audio src="a.mp3"/></par>'),
    ("smil", '<par><text src="gone-smil.xhtml#s1"/><audio src="a.mp3"/></par>'),
    ("smil", '<par><text src="{here_page}#s1"/><audio src="gone.mp3"/></par>'),
    ("smil", '<par><text src="{here_page}#s1"/><audio src="https://example.org/gone.mp3"/></par>'),
    ("smil", '<seq epub:textref="{here_page}#gone"><par><text src="{here_page}#s1"/><audio src="a.mp3"/></par></seq>'),
    ("smil", '<seq epub:textref="gone-smil.xhtml"><par><text src="{here_page}#s1"/><audio src="a.mp3"/></par></seq>'),
    ("smil", '<par><text src="/{root}#s1"/><audio src="a.mp3"/></par>'),
    ("member", "{upper_style}"),
]


def plant(files, number, count):
    """Plants so many faults; returns the name of the file, the line, and the text of each."""
    planted = []
    names = list(files)
    pages = [name for name in names if re.search(r"ch\d+\.xhtml$", name)]
    opf = next(name for name in names if name.endswith(".opf"))
    folder = os.path.dirname(pages[0])
    unlisted, image = folder + "/unlisted.xhtml", folder + "/unlisted.png"
    ends = {"</manifest>": ".opf", "</spine>": ".opf", "</guide>": ".opf", "</navMap>": ".ncx", "css": ".css",
            "</svg>": ".svg", "smil": ".smil", "member": ".css"}
    at = number * count
    while len(planted) < count:
        where, text = FAULTS[at % len(FAULTS)]
        at += 1
        page = pages[at % len(pages)]
        other = pages[(at + 1) % len(pages)]
        relative = os.path.relpath(pages[0], os.path.dirname(opf) or ".").replace(" ", "%20")
        name = page if where in (PAGE, "</head>") else next((one for one in names if one.endswith(ends[where])), None)
        before = {"css": "", "member": "", "smil": "</body>"}.get(where, where)
        content = files[name] if name and isinstance(files[name], str) else (files[name].decode() if name else "")
        if name is None or before not in content:
            continue
        line = text.format(next=os.path.basename(other), upper=os.path.basename(other).upper(), here_page=relative,
                           unlisted="unlisted.xhtml", unlisted_image="unlisted.png", root=pages[0].replace(" ", "%20"),
                           upper_style=posixpath.join(os.path.dirname(name), os.path.basename(name).upper()))
        if "unlisted.xhtml" in line:
            files[unlisted] = XHTML.format("x", "../", "<p>x</p>").replace('href="../style.css"', 'href="#"').replace("<link rel", "<!--").replace("/>\n</head>", "-->\n</head>")
        if "unlisted.png" in line:
            files[image] = PNG
        if where == "member":
            files[line] = "a {}\n"
        elif where == "css":
            # Imports have to be first.
            content = line + "\n" + content if line[0] == "@" else content.rstrip("\n") + "\n" + line + "\n"
        else:
            content = content.replace(before, "\n" + line + "\n" + before, 1)
        files[name] = content
        planted.append((name, line))
    found = []
    for name, line in planted:
        content = files[name]
        found.append((name, content[:content.index(line)].count("\n") + 1 if line in content else 0, line))
    return found
