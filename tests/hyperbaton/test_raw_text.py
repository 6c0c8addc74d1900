"""Systems that take raw text: declared at training, used by all commands."""

import json
import shutil

import pytest
from hypothesis import given
from hypothesis import settings as few

import hyperbaton
from hyperbaton.corpus.corpora.reading import CorpusFiles
from hyperbaton.corpus.raw_text.both_sides import TextPipelines
from hyperbaton.corpus.raw_text.normalisation import normalise
from hyperbaton.corpus.raw_text.settings import TextSettings
from hyperbaton.foundation.errors import DataError, SettingError
from hyperbaton.models.system.folder import load_phrases, load_text, read_system
from hyperbaton.models.system.settings import TrainingSettings
from hyperbaton.models.system.training import train_system
from tests import command_line
from tests.corpus.raw_text.nasty import texts
from tests.tiny_systems import write_corpus

SOURCE = "Kare wa HON o katta .\nkare wa hon o yonda .\nHon da .\n"
TARGET = 'He bought a book .\nAnd he read "  the Bible " .\nA book .\n'
ALIGNMENT = "0-0 2-3 4-1 5-4\n0-1 2-5 4-2 5-7\n0-1 2-2\n"
# No program is needed: words are cut at spaces
TEXT = TextSettings("xx", "en", "none", "none", "lower", "true", split=True)
OPTIONS = [
    f"--set=text.{key}={value}".lower()
    for key, value in vars(TEXT).items()
    if key.endswith(("tokeniser", "case", "split"))
]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("raw")
    return write_corpus(folder, times=1, source=SOURCE, target=TARGET, alignment=ALIGNMENT)


@pytest.fixture(scope="module")
def model(files):
    folder = files.source.with_name("m")
    train_system(files, folder, TrainingSettings(text=TEXT))
    return folder


def translate(model, *arguments, lines, **options):
    return command_line.run("translate", model, *arguments, input=lines, **options)


def test_a_system_knows_its_text(model):
    content = read_system(model)
    assert content["text"]["source"]["language"] == "xx"
    assert content["text"]["target"]["case"] == "true"
    assert "text" not in content["settings"]
    table = load_phrases(model)
    assert "kare" in table.source_vocabulary
    assert "Kare" not in table.source_vocabulary
    assert {"he", "Bible"} <= set(table.target_vocabulary.words)  # He only began a sentence
    assert "He" not in table.target_vocabulary
    assert load_text(model).target.truecaser.forms["bible"] == ("Bible",)


def test_raw_text_goes_in_and_comes_out(model):
    done = translate(model, lines="KARE  wa\u2028hon o\tkatta .\n\nHon\u200b da .\n")
    assert done.stdout == "He bought a book .\n\nA book .\n"


def test_lines_of_several_sentences_stay_lines(model):
    both = "Hon da . Kare wa hon o katta ."
    done = translate(model, lines=f"{both}\n")
    assert done.stdout == "A book . He bought a book .\n"
    assert "pieces" not in done.stderr
    translator = hyperbaton.Translator.load(model)
    assert translator.decode(both).n_pieces == 2
    assert translator.with_settings(max_length=4).decode(both).n_pieces == 3  # 3 + 4 + 2 words
    assert translator.with_settings(lattice=True).decode(both).n_pieces == 1
    assert translator.for_tokens().decode(both).n_pieces == 1


def test_json_says_where_tokens_stand(model):
    raw = "  KARE\u200b wa  hon ."
    done = translate(model, "--format=json", lines=f"{raw}\n")
    [line] = map(json.loads, done.stdout.splitlines())
    assert line["source"] == raw
    assert line["source_tokens"] == ["kare", "wa", "hon", "."]
    found = [raw[first:last].rstrip("\u200b") for first, last in line["source_places"]]
    assert found == ["KARE", "wa", "hon", "."]
    assert line["tokens"] == line["translation"].split()
    assert all(target < len(line["tokens"]) for _, target in line["alignment"])


def test_tokens_are_taken_as_they_are_if_one_says_so(model):
    done = translate(model, "--tokenised", lines="hon da .\nHon da .\n")
    assert done.stdout.splitlines()[0] == "a book ."
    assert "Hon" in done.stdout.splitlines()[1]  # unknown in this form
    plain = translate(model, "--tokenised", "--format=json", lines="hon da .\n")
    assert "tokens" not in json.loads(plain.stdout)


def test_given_translations_are_raw_text_too(model, write):
    force = write("force", "A  book .\n")
    done = translate(model, "--force", force, "--print-alignment", lines="Hon da .\n")
    assert done.stdout.startswith("a book . |||")
    glossary = write("glossary", "HON\tThe novel\n")
    done = translate(model, "--glossary", glossary, lines="Hon da .\n")
    assert done.stdout.startswith("The novel")
    done = translate(
        model, "--markup", "exclusive", lines='<term translation="One">Hon</term> da .\n'
    )
    assert "One" in done.stdout


@few(max_examples=10)
@given(texts)
def test_one_line_out_for_each_line_in(model, text):
    done = translate(model, "--threads", 1, lines=f"{text}\n{text} {text}\nhon\n", code=None)
    lines = done.stdout.split("\n")
    assert len(lines) == 4
    assert lines[3] == ""
    assert done.returncode == 0 or "hyperbaton: sentence" in done.stderr


def test_a_line_of_ten_thousand_words(model):
    line = " ".join(["kare", "wa", "hon", "o", "katta", "."] * 1700)
    done = translate(model, "--pop-limit", 1, lines=f"{line}\nhon\n")
    first, second = done.stdout.splitlines()
    assert first.count("He ") == 1700
    assert second


def test_training_again_does_nothing_and_other_text_settings_do(files, model, tmp_path):
    copy = shutil.copytree(model, tmp_path / "m")
    said = []
    hyperbaton.train(**paths(files), out=copy, verbose=said.append, text=vars(TEXT))
    assert all("nothing has changed" in line for line in said)
    said.clear()
    other = vars(TEXT) | {"source_case": "keep"}
    hyperbaton.train(**paths(files), out=copy, verbose=said.append, text=other)
    assert not any("nothing has changed" in line for line in said)
    assert "Kare" in load_phrases(copy).source_vocabulary


def paths(files):
    return {key: value for key, value in vars(files).items() if value is not None}


def test_the_command_line_declares_languages(files, tmp_path, model):
    given = [f"--{key}={value}" for key, value in paths(files).items()]
    languages = ["--source-language", "xx", "--target-language", "en"]
    done = command_line.run("train", *given, *languages, *OPTIONS, "--out", tmp_path / "m")
    assert read_system(tmp_path / "m")["parts"] == read_system(model)["parts"]
    done = command_line.run("corpus", *given, *languages, *OPTIONS, "--show", 0)
    assert "Kare" in done.stdout


def test_more_text_for_the_language_model_is_raw_too(files, tmp_path, write):
    more = write("more", "The  book\u00a0.\n")
    model = tmp_path / "m"
    train_system(files, model, TrainingSettings(text=TEXT), [more])
    translator = hyperbaton.Translator.load(model)
    assert "The" not in translator.lm.vocabulary
    assert translator.translate("Hon da .").text == "A book ."


def test_advice_on_alignments_has_the_languages(files, tmp_path):
    settings = TrainingSettings(text=TextSettings("ja", "en"))
    with pytest.raises(SettingError, match="--source-language ja --target-language en"):
        train_system(CorpusFiles(files.source, files.target), tmp_path, settings)


def test_tuning_explaining_and_diagnosing_take_raw_text(files, model, tmp_path):
    copy = shutil.copytree(model, tmp_path / "m")
    data = ["--source", files.source, "--reference", files.target]
    small = ["--replicas", 1, "--iterations", 1, "--n-best", 5]
    done = command_line.run("tune", copy, *data, *small)
    assert "unknown words" not in done.stderr
    done = command_line.run("tune", copy, *data, *small, "--tokenised", "--restart")
    assert "dev: unknown words" in done.stderr  # Kare, HON
    done = command_line.run("diagnose", copy, *data)
    done = command_line.run(
        "explain", copy, "Kare wa hon .", "--reference", "A book .", "--format=json"
    )
    assert json.loads(done.stdout)["reference"] == "a book ."
    both = "Hon da . Kare wa hon ."  # which translate splits
    command_line.refuses("2 sentences … one by one", 1, "explain", copy, both)


SURVIVORS = [
    "http://a.b/C?d=e&f#g", "www.Kyoto.jp", "X.Y@z.org", "1,000.5", "2026-11-16", "10:30",
    "&lt;", "&amp;", "&#124;", "&", "&number;", "|", "|||", "<s>", "</s>", "<unk>", "<zone>",
    "<", ">", "[", "]", "[X]", "￭", "▁", "▁￭", "▁x", "C++", "#1", "50%",
    "👩\u200d👩\u200d👧", "👍🏽", "🇯🇵", "1️⃣",
]  # fmt: skip


@pytest.mark.parametrize("place", ["Hon {} da .", "{} hon o katta .", "Kare wa {}"])
def test_what_must_survive_is_copied(model, place):
    done = translate(model, lines="".join(place.format(one) + "\n" for one in SURVIVORS))
    lost = [
        (one, line)
        for one, line in zip(SURVIVORS, done.stdout.splitlines(), strict=True)
        if one not in line.split()
    ]
    assert not lost


@pytest.mark.parametrize("language", ["en", "ja", "zh", "ko"])
def test_what_must_survive_goes_through_real_tokenisers(write, tmp_path, language):
    text = TextSettings(language, "en")
    try:
        TextPipelines.of(text).load()
    except DataError as error:
        pytest.skip(str(error).splitlines()[0])
    files = CorpusFiles(write("s", "Hon da\n"), write("t", "A book\n"), write("a", "0-1\n"))
    train_system(files, tmp_path / "m", TrainingSettings(text=text))
    done = translate(tmp_path / "m", lines="".join(f"{one}\n" for one in SURVIVORS))
    lines = done.stdout.splitlines()
    whole = 10  # the first ones are one token each, the others may be several
    assert lines[:whole] == SURVIVORS[:whole]
    kept = [line.replace(" ", "").lower() for line in lines]
    assert kept == [
        normalise(one, load_text(tmp_path / "m").source.form).lower() for one in SURVIVORS
    ]


def test_another_version_is_reported_once(write, tmp_path):
    pytest.importorskip("sacremoses", reason="sacremoses is not installed")
    model, links = tmp_path / "m", write("a", "0-1 1-0 2-2\n0-1 1-0 2-2\n")
    files = CorpusFiles(write("s", "Hon da.\nHon da!\n"), write("t", "A book.\nA book!\n"), links)
    train_system(files, model, TrainingSettings(text=TextSettings("en", "en")))
    path = model / "model.toml"
    current = load_text(model).made_with["sacremoses"]
    path.write_text(path.read_text().replace(f'"{current}"', '"0.0.1"'))
    done = translate(model, lines="hon da.\nhon da.\n")
    assert done.stdout == "A book.\nA book.\n"
    message = f"the system was trained with sacremoses 0.0.1, but {current} is"
    assert done.stderr.count(message) == 1


def test_moves_of_phrases_and_of_words_are_learned_from_raw_text(files, tmp_path):
    given = [f"--{key}={value}" for key, value in paths(files).items()]
    languages = ["--source-language", "xx", "--target-language", "en", *OPTIONS]
    how = ["--learners", "lr", "--sizes", 2, "--test-size", 1, "--repeats", 1]
    command_line.run("study", "learners", *given, *languages, *how)
    model = tmp_path / "m"
    pair = ["--distortion", "pair,min_count=1,passes=1", "--lm-order", 2]
    command_line.run("train", *given, *languages, *pair, "--out", model)
    raw = json.loads(command_line.run("study", "next-word", model, *given, "--format=json").stdout)
    tokens = json.loads(
        command_line.run("study", "next-word", model, *given, "--format=json", "--tokenised").stdout
    )
    # of tokens in capital letters the model knows nothing
    assert raw["models"]["pair"]["log_p"] > tokens["models"]["pair"]["log_p"]


def test_reranking_learned_from_raw_references_and_tokens(tmp_path):
    """BLEU of tokens against raw text is far too low, and was what weights were learned from."""
    text = TextSettings("xx", "en", "words", "words", "lower", "true")
    source, target = "Kare wa kita.\nHon da!\n", "He came.\nA book!\n"
    files = write_corpus(
        tmp_path, times=1, source=source, target=target, alignment="0-0 2-1 3-2\n0-1 2-2\n"
    )
    system = tmp_path / "m"
    train_system(files, system, TrainingSettings(text=text))
    tokens = translate(system, "--only", "target-tokens", lines=target).stdout
    assert tokens == "He came .\nA book !\n"
    assert translate(system, "--only", "target-text", lines=tokens).stdout == target
    source_tokens = translate(system, "--only=source-tokens", lines=source).stdout
    assert source_tokens == "kare wa kita .\nhon da !\n"
    lists, best = tmp_path / "lists", tmp_path / "best"
    translate(system, "--n-best", 5, "--n-best-file", lists, "-o", best, lines=source)
    assert best.read_text() == target
    command_line.refuses("references look like raw text", 1, "rerank", lists, "--reference", best)
    learned, out = ["rerank", lists, "--reference", best, "--system", system], tmp_path / "out"
    done = command_line.run(*learned, "-o", out, "--metric", "ter")
    assert done.stdout.splitlines()[1].split()[-1] == "0.00"  # original order
    assert out.read_text() == target
    assert command_line.run("rerank", "--mbr", lists, "--system", system).stdout == target
    found = hyperbaton.rerank(
        lists, system=system, references=target.splitlines(), tune={"metric": "ter"}
    )
    assert (found.learned.before, found.translations) == (0.0, target.splitlines())
    with pytest.raises(
        DataError, match="references look like raw text, the lists like tokenised text"
    ):
        hyperbaton.rerank(lists, references=target.splitlines())
