"""`hyperbaton study`: tests reordering models without translating."""

import click

from hyperbaton.commands.learners import learners
from hyperbaton.commands.next_word import next_word

study = click.Group(
    "study",
    commands={"next-word": next_word, "learners": learners},
    help="""Test reordering models without translating.

    next-word tests how well the models of a system predict the next source word; learners compares
    classifiers that predict how phrases move.
    """,
)
