"""`hyperbaton study next-word`: tests models that predict the next source word."""

from dataclasses import dataclass, replace
from pathlib import Path

import click

from hyperbaton.commands.parameters import (
    NOT_NEGATIVE,
    POSITIVE,
    REQUIRED,
    CorpusCommand,
    argument,
    command,
    flag,
    option,
    output,
    plugins_option,
)
from hyperbaton.console import progress_line, say
from hyperbaton.foundation.errors import DataError


@dataclass(frozen=True, kw_only=True)
class NextWord(CorpusCommand):
    """Test models of the next source word on unseen sentences.

    \b
    hyperbaton study next-word system --source dev.ja --target dev.en \\
        --alignment dev.align
    hyperbaton study next-word system --sample ja-en --plot distances.svg

    Follows the word alignment of unseen sentences from one source word to the next in target order,
    and computes the probability of each move under the system's models (nine-class, pair,
    sequence). docs/understand/next-word.md explains the numbers.
    """

    model: Path = argument(default=REQUIRED, metavar="SYSTEM")
    tokenised: bool = flag("The texts are already tokenised, although the system takes raw text.")
    split: str = option("Part of the sample: train, dev or test.", default="test")
    distortion: tuple[str, ...] = option(
        "Test only this model of the system; may be repeated.",
        default=(),
        metavar="NAME[,KEY=VALUE…]",
    )
    form: str = option(
        "distances: CSV of average probabilities by distance.",
        "--format",
        default="table",
        type=click.Choice(["table", "csv", "json", "distances"]),
    )
    top_weights: int | None = option(
        "Also print the N largest weights of each model.", type=NOT_NEGATIVE, metavar="N"
    )
    plot: Path | None = output("Also draw average probabilities by distance (png, svg or pdf).")
    resamples: int = option("Number of resamples for intervals.", default=1000, type=POSITIVE)
    seed: int = option("Random seed.", default=1, type=NOT_NEGATIVE)
    allow_plugins: bool = plugins_option()

    def run(self) -> None:
        from hyperbaton.corpus.corpora.reading import SPLIT_BOTH, CorpusSettings, read_corpus
        from hyperbaton.models.distortion.next_word.held_out import with_layers
        from hyperbaton.models.distortion.next_word.model import LogLinearModel
        from hyperbaton.models.system.folder import (
            load_distortion,
            load_source_classes,
            load_source_tagger,
            load_tokenisers,
        )
        from hyperbaton.samples import NOTE
        from hyperbaton.tuning.evaluation.verdicts import with_caveat
        from hyperbaton.tuning.reproduction.exhibit import exhibit_text
        from hyperbaton.tuning.reproduction.next_word import next_word_exhibit, weights_table
        from hyperbaton.tuning.reproduction.next_word_study import next_word_models, study_models
        from hyperbaton.views.picture_files import check_picture
        from hyperbaton.views.study_records import NEXT_WORD_FORMATS

        files = self.files(self.split)
        name = f"{self.sample} {self.split}" if self.sample else files.source.name
        if self.top_weights and self.form != "table":
            raise click.UsageError("--top-weights prints text: remove --format")
        if self.plot is not None:
            check_picture(self.plot)
        loaded = load_distortion(self.model, self.distortion, allow_plugins=self.allow_plugins)
        models = next_word_models(loaded, str(self.model))
        with progress_line() as progress:
            tokenise = SPLIT_BOTH if self.tokenised else load_tokenisers(self.model)
            settings = CorpusSettings(skip_bad=self.skip_bad)
            pairs, read = read_corpus(files, settings, progress, tokenise)
            for line in read.lines():
                say(line)
            if not len(pairs):
                raise DataError("has no sentences to test on", where=str(files.source))
            classes, tagger = load_source_classes(self.model), load_source_tagger(self.model)
            layered = with_layers(pairs, models, classes, tagger)
            if tagger is not None and layered.source.tags is not pairs.source.tags:
                say(tagger.notice())
            study = study_models(models, layered, self.resamples, self.seed, progress)
        exhibit = next_word_exhibit({name: study})
        n = self.top_weights
        log_linear = [model for model in models if isinstance(model, LogLinearModel)]
        weights = [weights_table(model, n) for model in log_linear] if n else []
        findings = with_caveat(exhibit.findings, NOTE if self.sample else "")
        shown = replace(exhibit, tables=[*exhibit.tables, *weights], findings=findings)
        is_table = self.form == "table"
        click.echo(exhibit_text(shown) if is_table else NEXT_WORD_FORMATS[self.form](study))
        if self.plot is not None:
            from hyperbaton.views.exhibit_pictures import draw_charts

            draw_charts(exhibit.charts, self.plot)
            say(f"drawn: {self.plot}")


next_word = command(NextWord, "next-word")
