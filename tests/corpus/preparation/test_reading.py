"""The four formats: the same pairs from each, and what is wrong with records."""

import gzip
import json
from pathlib import Path

import pytest

from hyperbaton.corpus.preparation.reading import RawFiles, RawPair, read_pairs
from hyperbaton.foundation.errors import BadLine, SettingError
from tests.refusals import refusals, refused

PAIRS = [('本 <b> & "x"', "a book", "d1"), ("", "b", "d1"), ("犬", "a dog", "d2")]
TMX = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE tmx SYSTEM "tmx14.dtd">
<tmx version="1.4"><header/><body>
<tu><prop type="doc">d1</prop><prop type="other">x</prop>
 <tuv xml:lang="JA-JP"><seg>本 &lt;b&gt; &amp; "x"</seg></tuv>
 <tuv xml:lang="fr"><seg>un livre</seg></tuv>
 <tuv xml:lang="en"><seg>a<ph>code<sub>no</sub></ph> <hi type="b">book</hi></seg></tuv>
 <tuv xml:lang="en"><seg>another</seg></tuv></tu>
<tu><prop type="doc">d1</prop><tuv lang="en"><seg>b</seg></tuv></tu>
<tu><prop type="doc">d2</prop>
 <tuv lang="ja"><seg>犬</seg></tuv><tuv lang="en"><seg>a dog</seg></tuv></tu>
</body></tmx>
"""


def read(*paths, **options):
    files = RawFiles(tuple(map(Path, paths)), "ja", "en", **options)
    files.check()
    return list(read_pairs(files))


def bad(*paths, **options):
    return [str(one) for one in read(*paths, **options) if isinstance(one, BadLine)]


def test_the_same_pairs_from_every_format(write):
    sources, targets, documents = (write(name, "".join(f"{one[k]}\n" for one in PAIRS))
                                   for k, name in enumerate(["a.ja", "a.en", "a.doc"]))  # fmt: skip
    tsv = write("a.tsv", "".join(f"x\t{t}\t{d}\t{s}\n" for s, t, d in PAIRS))
    objects = [{"translation": {"ja": s, "en": t}, "doc": d} for s, t, d in PAIRS]
    jsonl = write("a.jsonl", "".join(f"{json.dumps(one)}\n" for one in objects))
    flat = write("b.json", "".join(f"{json.dumps({'ja': s, 'en': t})}\n\n" for s, t, _ in PAIRS))
    tmx = write("a.tmx", TMX)
    expected = [RawPair(line, *pair) for line, pair in enumerate(PAIRS, 1)]
    assert read(sources, targets, documents=documents) == expected
    assert read(tsv, columns=(4, 2, 3)) == expected
    assert read(jsonl, document_key="doc") == expected
    assert [one[1:] for one in read(tmx, document_key="doc")] == PAIRS
    assert [one.line for one in read(tmx)] == [4, 9, 10]
    plain = [(s, t, "") for s, t, _ in PAIRS]
    for given in ([sources, targets], [jsonl], [flat], [tmx]):
        assert [one[1:] for one in read(*given)] == plain


def test_packed_files(write):
    path = write("a.tsv.gz", gzip.compress("本\tbook\n".encode()))
    assert read(path) == [RawPair(1, "本", "book")]
    path = write("a.tmx.gz", gzip.compress(TMX.encode()))
    assert len(read(path)) == 3
    cut = write("b.tmx.gz", gzip.compress(TMX.encode())[:-20])
    refused("b.tmx.gz: … : broken gzip file", lambda: read(cut))


def test_other_encodings_of_xml(write):
    text = TMX.replace("UTF-8", "UTF-16")
    assert [one[1:3] for one in read(write("a.tmx", text.encode("utf-16")))] == [
        pair[:2] for pair in PAIRS
    ]


def test_units_larger_than_what_is_read_at_once(write):
    unit = '<tu><tuv lang="ja"><seg>{0}</seg></tuv><tuv lang="en"><seg>{0}</seg></tuv></tu>\n'
    texts = ["é" * 70_000, "b" * 200_000, "c"]
    path = write("a.tmx", "<tmx>" + "".join(map(unit.format, texts)) + "</tmx>")
    assert read(path) == [RawPair(n, text, text) for n, text in enumerate(texts, 1)]


def test_bad_lines(write):
    ja, en = write("a.ja", b"x\n\xff\nz\n"), write("a.en", "1\n2\n")
    found = read(ja, en)
    assert found[0] == RawPair(1, "x", "1")
    assert [str(one).splitlines()[0] for one in found[1:]] == [
        f"{ja}:2: byte 0xff at column 1 is not UTF-8",
        f"{en}:3: the file ends here",
    ]
    path = write("a.tsv", "a\tb\na\n\nc\td\te\n")
    assert bad(path) == [f"{path}:{line}: has 1 columns\n  expected 2" for line in (2, 3)]


NO_TEXT = "lacks text in one of the languages"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "is not JSON: Expecting property name"),
        ("[1]", NO_TEXT),
        ('{"translation": {"ja": "x"}}', NO_TEXT),
        ('{"translation": {"ja": "x", "en": 3}}', NO_TEXT),
        ('{"translation": "x"}', NO_TEXT),
        ('{"ja": "\\ud800", "en": "x"}', "has half of a surrogate pair"),
        ("[" * 100_000, "is not JSON"),
    ],
)
def test_bad_json(write, line, message):
    good = '{"ja": "x", "en": "y"}\n'
    path = write("a.jsonl", f"{good}{line}\n{good}")
    assert len(read(path)) == 3
    [found] = bad(path)
    assert f"{path}:2: {message}" in found


LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))  # a billion


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("</tu>\n<tu><prop", "<tu><prop", "a.tmx:11: is not XML: mismatched tag"),
        ("</body></tmx>\n", "", "a.tmx:12: is not XML: no element found"),
        (' SYSTEM "tmx14.dtd"', ' [<!ENTITY a "b">]', "a.tmx:2: has an internal DTD"),
        (' SYSTEM "tmx14.dtd"', f' [<!ENTITY l0 "ha">{LAUGHS}]', "a.tmx:2: has an internal DTD"),
        ("a dog", "&dog;", "a.tmx:11: has the unknown entity &dog;"),
        (TMX, "<tmx><tu>&lol;</tu></tmx>", "a.tmx:1: is not XML: undefined entity"),
    ],
)
def test_bad_xml(write, old, new, message):
    *good, found = read(write("a.tmx", TMX.replace(old, new, 1)))
    assert message in str(found)
    assert all(isinstance(one, RawPair) for one in good)


@refusals(
    (["a.txt"], {}, "a.txt: … --format"),
    (["a.tsv", "b.tsv", "c.tsv"], {}, "tsv takes one file, not 3"),
    (["a.tsv"], {"form": "text"}, "text takes two files, not 1"),
    (["a.tsv"], {"columns": (0, 1)}, "--columns is 0,1 … numbers from 1"),
    (["a.tsv"], {"columns": (1,)}, "--columns is 1\n"),
    error=SettingError,
)
def test_what_is_refused(paths, options):
    read(*paths, **options)
