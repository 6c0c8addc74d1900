"""`hyperbaton translate` and the translator behind it."""

import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager

import pytest

from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.decoder.decode import Decoder, SearchSettings
from hyperbaton.decoder.stream import Failure, decode_all
from hyperbaton.decoder.translator import Translator
from hyperbaton.foundation.errors import DataError
from hyperbaton.models.system.folder import default_weights
from tests import command_line
from tests.child_processes import started

LINES = ["kare wa hon o katta", "", "hon o yonda", "hon\to  nageta", "kare wa"]


def run(*arguments, **options):
    return command_line.run("translate", *arguments, **options)


def test_lines_in_lines_out(model, write):
    result = run(model, write("in.txt", "\n".join(LINES) + "\n"), "--distortion-limit", "inf")
    assert result.stderr.endswith("unknown words: 1 of 13 (7.7%), 1 of 7 types (14.3%)\n")
    first, empty, third, unknown, last = result.stdout.splitlines()
    assert (first, empty, third, last) == ("he bought a book", "", "read a book", "he")
    assert sorted(unknown.split()) == ["a", "book", "nageta"]


def test_text_that_was_prepared_differently_came_back_without_a_word(model):
    result = run(model, input="KARE WA HON\nHON O KATTA\nhon o yonda.\nkare wa hon o katta\n")
    assert [line for line in result.stderr.splitlines() if "compiling" not in line] == [
        "the system knows these words in lower case: KARE WA HON",
        "the text looks untokenised: the system knows these words without their punctuation: "
        "yonda.",
        "unknown words: 7 of 14 (50.0%), 6 of 11 types (54.5%)",
    ]
    assert "unknown" not in run(model, input="hon o katta\n").stderr


def test_standard_input_and_output_files(model, tmp_path):
    out = tmp_path / "out.txt.gz"
    result = run(model, "-o", out, "--threads", 3, "--stats", input="hon o katta\n" * 50)
    assert result.stdout == ""
    assert "50 sentences in " in result.stderr
    import gzip

    assert gzip.decompress(out.read_bytes()).decode() == "bought a book\n" * 50


def test_n_best_lists_in_moses_format(model):
    options = ["--n-best", 3, "--n-best-file", "-", "--distinct", "--print-alignment"]
    result = run(model, *options, input="kare wa hon o katta\nhon\n")
    # alone on standard output, as with Moses
    lists = [line.split(" ||| ") for line in result.stdout.splitlines()]
    assert {len(fields) for fields in lists} == {5}
    assert [fields[0] for fields in lists] == ["0"] * 3 + ["1"] * len(lists[3:])
    number, text, features, score, alignment = lists[0]
    assert (number, text) == ("0", "he bought a book")
    assert alignment == "0-0 2-3 4-1"
    weights = default_weights("wbe-msd-bidirectional-fe")
    total, name, place = 0.0, "", {}
    groups = {}
    for key in weights:
        groups.setdefault(key.partition(".")[0], []).append(key)
    for token in features.split():
        if token.endswith("="):
            name, place = token[:-1], 0
        else:
            total += weights[groups[name][place]] * float(token)
            place += 1
    assert total == pytest.approx(float(score), abs=1e-3)
    scores = [float(fields[3]) for fields in lists[:3]]
    assert scores == sorted(scores, reverse=True)


def test_a_word_of_bars_broke_the_lists(model, tmp_path):
    words = ["hon", "|||", "||", "||||", "katta"]
    lists, options = tmp_path / "lists", ["--n-best", 2, "--print-alignment"]
    best = run(model, *options, "--n-best-file", lists, input=" ".join(words) + "\n").stdout
    lines = lists.read_text().splitlines()
    assert {line.count(" ||| ") for line in lines} == {4}
    assert best.count(" ||| ") == 1
    told = json.loads(
        run(model, "--format=json", *options[:2], input=" ".join(words) + "\n").stdout
    )
    texts = [told["translation"], *(one["translation"] for one in told["n_best"])]
    assert texts[0].split().count("|||") == 1  # JSON needs no escape
    back = [line.split(" ||| ")[1].replace("&#124;&#124;&#124;", "|||") for line in lines]
    assert back == texts
    assert best.split(" ||| ")[0] == lines[0].split(" ||| ")[1]


def test_json_says_everything(model):
    first, second = run(
        model, "--format=json", "--n-best", 2, input="hon o katta\n\n"
    ).stdout.splitlines()
    content = json.loads(first)
    assert content["id"] == 0
    assert content["translation"] == "bought a book"
    assert content["alignment"] == [[0, 2], [2, 0]]
    assert content["features"]["word_penalty"] == -3.0
    assert len(content["n_best"]) == 1
    spans = content["segmentation"]
    assert sorted(p for start, end, *_ in spans for p in range(start, end)) == [0, 1, 2]
    assert json.loads(second)["translation"] == ""


def test_a_line_that_is_not_utf8_costs_only_itself(model, tmp_path):
    (tmp_path / "in").write_bytes(b"hon o katta\n\xff\xfe\nkare wa hon o yonda\n")
    result = run(model, tmp_path / "in", code=1)
    assert result.stdout == "bought a book\n\nhe read a book\n"
    assert "sentence 2: " in result.stderr
    assert "in:2: byte 0xff at column 1 is not UTF-8" in result.stderr


def test_a_sentence_that_fails_does_not_disturb_the_others(model, monkeypatch):
    translator = Translator.load(model)
    decode = Decoder.decode

    def fail_on_long(self, sentence, *arguments, **options):
        if len(sentence) > 3:
            raise DataError("too long")
        return decode(self, sentence, *arguments, **options)

    monkeypatch.setattr("hyperbaton.decoder.decode.Decoder.decode", fail_on_long)
    sentences = [Sentence.parse(text) for text in ("hon", "a b c d", "hon o katta")]
    good, bad, other = decode_all(translator, sentences, threads=2)
    assert isinstance(bad, Failure)
    assert str(bad.error) == "too long"
    assert good.words()[-1] == "book"
    assert other.words() == ["bought", "a", "book"]


PICKY = """
from hyperbaton.models.distortion.linear import Linear
from hyperbaton.foundation.errors import DataError

class Picky(Linear):
    name = "picky"

    def prepare(self, sentence, options):
        if "kare" in sentence.words:
            raise DataError("kare is not liked")
        return super().prepare(sentence, options)
"""


@pytest.mark.parametrize("threads", [1, 2])
def test_sentences_that_fail_give_blank_lines_messages_and_exit_code_1(
    model, tmp_path, write, threads, monkeypatch
):
    write("picky.py", PICKY)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    lists = tmp_path / "lists"
    path = write("in.txt", "hon o katta\nkare wa\nhon\nkare wa hon o yonda\nhon o yonda\n")
    arguments = ["--threads", threads, "--n-best", 2, "--n-best-file", lists]
    result = run(model, path, "--distortion", "picky:Picky", *arguments, env=os.environ, code=1)
    first, failed, second, also_failed, third, end = result.stdout.split("\n")
    assert (first, third) == ("bought a book", "read a book")
    assert second.endswith("book")
    assert (failed, also_failed, end) == ("", "", "")
    said = [line for line in result.stderr.splitlines() if "sentence" in line]
    assert said == [f"hyperbaton: sentence {number}: kare is not liked" for number in (2, 4)]
    numbers = [line.split(" ||| ")[0] for line in lists.read_text().splitlines()]
    assert sorted(set(numbers)) == ["0", "2", "4"]
    good = run(model, "--distortion", "picky:Picky", input="hon o katta\n", env=os.environ)
    assert good.stdout == "bought a book\n"


def test_memory_gives_out_as_an_error_of_the_sentence(model, monkeypatch):
    monkeypatch.setattr("hyperbaton.decoder.decode.MOST_BYTES", 1)
    translator = Translator.load(model, SearchSettings(pop_limit=0, stack_size=0))
    with translator._borrowed_decoder() as small:
        small._capacity = small._capacity._replace(groups=8, edges=8, steps=8, slots=16)
    with pytest.raises(DataError, match="a sentence of 5 words needs too much memory\n  split it"):
        translator.decode(LINES[0])


def test_long_sentences_are_translated_in_pieces(model):
    line = " ".join(LINES[0].split() * 2)
    whole, cut = (
        run(model, "--distortion-limit", "2", "--set", f"search.max_length={longest}", input=line)
        for longest in (10, 5)
    )
    assert "pieces" not in whole.stderr
    assert "sentence 1: 10 words, translated in 2 pieces" in cut.stderr.splitlines()
    alone = run(model, "--distortion-limit", "2", input=LINES[0]).stdout.strip()
    assert cut.stdout == f"{alone} {alone}\n"


def test_the_python_interface(model):
    translator = Translator.load(str(model))
    result = translator.translate("kare wa hon o katta")
    assert result.text == "he bought a book"
    assert result.alignment == [(0, 0), (2, 3), (4, 1)]
    weights = translator.weights
    total = sum(weights[name] * value for name, value in result.features.items())
    assert result.score == pytest.approx(total, abs=1e-5)
    doubled = translator.with_weights({name: 2 * value for name, value in weights.items()})
    assert doubled.translate("kare wa hon o katta").score == pytest.approx(2 * result.score)
    monotone = translator.with_settings(distortion_limit=0)
    spans = monotone.translate("kare wa hon o katta").segmentation
    assert spans == sorted(spans)


def test_a_missing_weight_is_named(model):
    translator = Translator.load(model)
    weights = {name: value for name, value in translator.weights.items() if name != "linear"}
    with pytest.raises(DataError, match="the feature 'linear' has no weight"):
        Translator(translator.phrases, translator.lm, translator.distortion, weights)


def test_reading_ahead_is_limited(model):
    read = []

    def sentences():
        for number in range(1000):
            read.append(number)
            yield Sentence.parse("hon")

    stream = decode_all(Translator.load(model), sentences(), threads=2)
    next(stream)
    assert len(read) < 200
    stream.close()


@contextmanager
def endless(model):
    """A process that translates the same sentence again and again, and its first translation."""
    command = [sys.executable, "-m", "hyperbaton", "translate", model, "--threads", 2]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with (
        started(["/bin/sh", "-c", "exec yes hon o katta"], stdout=subprocess.PIPE) as lines,
        started(command, stdin=lines.stdout, **pipes) as process,
    ):
        lines.stdout.close()  # now only the translator has it
        yield process, process.stdout.readline()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stopped_stream_ends_with_a_whole_line(model, number):
    with endless(model) as (process, first):
        process.send_signal(number)
        rest, err = process.communicate()
    assert process.returncode == 128 + number
    lines = (first + rest).split("\n")
    assert lines.pop() == ""
    assert set(lines) == {"bought a book"}
    assert "Traceback" not in err
    assert "hyperbaton:" not in err


def test_a_reader_that_has_seen_enough_is_no_failure(model):
    with endless(model) as (process, first):
        process.stdout.close()
        err = process.stderr.read()
        assert process.wait() == 0
    assert first == "bought a book\n"
    assert "Traceback" not in err
    assert "hyperbaton:" not in err
