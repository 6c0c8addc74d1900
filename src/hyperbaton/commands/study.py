"""`hyperbaton study`: what models have learned, tested without translating."""

import click

from hyperbaton.commands.learners import learners
from hyperbaton.commands.next_word import next_word

study = click.Group(
    "study",
    commands={"next-word": next_word, "learners": learners},
    help="""Test reordering models without translating.

    next-word asks the models of a system which source word is translated next; learners compares
    machine learners that predict the moves of phrases.
    """,
)
