"""Writes the two sample corpora: `python -m hyperbaton.data_samples.generator.generate [FOLDER]`.

Deterministic: the seed of every sentence consists of the corpus, the split, its number and an
attempt count, so the files depend only on this code, the rules and the lexicons. Training files are
compressed without a time stamp. `made.sha256` records the hashes of code and samples: while neither
has changed, tests need not generate everything again.
"""

import gzip
import sys
from collections.abc import Iterable
from hashlib import sha256
from itertools import count
from pathlib import Path

from hyperbaton.data_samples.generator import english
from hyperbaton.data_samples.generator.grammar import Grammar
from hyperbaton.data_samples.generator.japanese import verbs
from hyperbaton.data_samples.generator.synchronous import Chooser, Example, Stream, realise

HERE = Path(__file__).parent
GRAMMARS = {
    "ja-en": Grammar(HERE / "japanese", ("ja", "en"), 0.75, english, verbs),
    "zh-en": Grammar(HERE / "chinese", ("zh", "en"), 0.76, english),
}
SIZES = {"train": 5000, "dev": 300, "test": 300}
SHORTEST, LONGEST = 5, 30  # words, on either side
NOISE = 0.03  # share of wrong training links
SECOND_REFERENCES = 3  # one test sentence in three has one
ATTEMPTS = 50  # to rephrase a sentence
RECORD = HERE / "made.sha256"


def corpus(name: str) -> dict[str, list[str]]:
    """The lines of every file of one corpus, by file name."""
    grammar = GRAMMARS[name]
    said: set[tuple[str, ...]] = set()
    files: dict[str, list[str]] = {}
    for split in ("test", "dev", "train"):  # so that no sentence of test or dev is in training
        examples, seeds = _split(name, grammar, split, said)
        stem, source, target = split, grammar.source, grammar.target
        files[f"{stem}.{source}"] = [" ".join(e.source) for e in examples]
        files[f"{stem}.{target}"] = [" ".join(e.target) for e in examples]
        files[f"{stem}.{source}.tags"] = [" ".join(e.source_tags) for e in examples]
        files[f"{stem}.{target}.tags"] = [" ".join(e.target_tags) for e in examples]
        files[f"{stem}.{source}.trees"] = [e.tree for e in examples]
        noise = NOISE if split == "train" else 0.0
        files[f"{stem}.align"] = [
            _pharaoh(_spoil(e, Stream(f"{seed}:noise"), noise))
            for e, seed in zip(examples, seeds, strict=True)
        ]
        if split == "test":
            others = _second_references(grammar, examples, seeds)
            files[f"test.2.{target}"] = [" ".join(e.target) if e else "" for e in others]
            files["test.2.align"] = [_pharaoh(e.links) if e else "" for e in others]
    return files


def write(folder: Path) -> None:
    for name in GRAMMARS:
        (folder / name).mkdir(parents=True, exist_ok=True)
        for file_name, lines in corpus(name).items():
            text = "".join(line + "\n" for line in lines).encode()
            if file_name.startswith("train"):
                packed = gzip.compress(text, compresslevel=9, mtime=0)
                (folder / name / f"{file_name}.gz").write_bytes(packed)
            else:
                (folder / name / file_name).write_bytes(text)


def record(folder: Path) -> str:
    """The hashes of the code and of the samples that it generated."""
    code = [path for ending in ("py", "rules", "tsv") for path in HERE.rglob(f"*.{ending}")]
    made = [path for name in GRAMMARS for path in (folder / name).iterdir()]
    return f"{_digest(code, HERE)}  code\n{_digest(made, folder)}  samples\n"


def _digest(paths: Iterable[Path], folder: Path) -> str:
    digest = sha256()
    for path in sorted(paths):
        content = path.read_bytes()
        if path.suffix == ".gz":  # versions of zlib may compress the same text differently
            content = gzip.decompress(content)
        digest.update(f"{path.relative_to(folder).as_posix()} {len(content)}\n".encode() + content)
    return digest.hexdigest()


def _split(
    name: str, grammar: Grammar, split: str, said: set[tuple[str, ...]]
) -> tuple[list[Example], list[str]]:
    """New sentences of allowed length, with their seeds."""
    examples: list[Example] = []
    seeds: list[str] = []
    for seed in map(f"{name}:{split}:{{}}".format, count()):
        if len(examples) == SIZES[split]:
            break
        example = realise(*grammar.sentence(Chooser(seed, unseen=split != "train")))
        lengths = len(example.source), len(example.target)
        if min(lengths) < SHORTEST or max(lengths) > LONGEST or example.source in said:
            continue
        said.add(example.source)
        examples.append(example)
        seeds.append(seed)
    return examples, seeds


def _second_references(
    grammar: Grammar, examples: list[Example], seeds: list[str]
) -> list[Example | None]:
    """A second reference for a third of the sentences."""
    others: list[Example | None] = [None] * len(examples)
    missing = len(examples) // SECOND_REFERENCES
    for i in sorted(range(len(examples)), key=lambda i: (i % SECOND_REFERENCES, i)):
        if missing:
            others[i] = _other_words(grammar, examples[i], seeds[i])
            missing -= others[i] is not None
    return others


def _other_words(grammar: Grammar, example: Example, seed: str) -> Example | None:
    for variant in range(1, ATTEMPTS):
        again = realise(*grammar.sentence(Chooser(seed, variant=variant, unseen=True)))
        assert again.source == example.source, "target choices must not change the source"
        if again.target != example.target:
            return again
    return None


def _spoil(example: Example, stream: Stream, share: float) -> list[tuple[int, int]]:
    """Makes some links wrong: half of them are dropped, half moved to another source word."""
    links = set()
    for s, t in example.links:
        if not stream.chance(share):
            links.add((s, t))
        elif stream.chance(0.5):
            links.add((stream.below(len(example.source)), t))
    return sorted(links)


def _pharaoh(links: Iterable[tuple[int, int]]) -> str:
    return " ".join(f"{s}-{t}" for s, t in links)


if __name__ == "__main__":
    place = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE.parent
    write(place)
    RECORD.write_text(record(place), encoding="utf-8")
