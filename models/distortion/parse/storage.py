"""A fitted model as a folder of arrays."""

from pathlib import Path
from typing import Any

from models.data.array_files import load_arrays, save_arrays
from models.distortion.parse.feature_groups import make_features
from models.distortion.parse.fitting import Learned
from models.distortion.parse.inventory import Inventory
from models.distortion.parse.priors import Prior
from models.phrases.trie import Trie

VOCABULARIES = ("source_words", "target_words", "source_tags", "target_tags", "labels")
PLAIN = ("source_of_node", "target_of_node", "begin", "target", "tag", "counts", "length")
PRIOR = ("share", "local", "by_tag", "by_length")


def save_learned(learned: Learned, rewrites: str, directory: Path, format_number: int) -> None:
    """`rewrites` is the text of the tree rewrites, so that their file is not needed again."""
    inventory, prior, features = learned.inventory, learned.prior, learned.features
    arrays: dict[str, Any] = {
        "source_keys": inventory.source_trie.keys,
        "source_nodes": inventory.source_trie.nodes,
        "target_keys": inventory.target_trie.keys,
        "target_nodes": inventory.target_trie.nodes,
        **{f"inventory_{name}": getattr(inventory, name) for name in PLAIN},
        **{f"prior_{name}": getattr(prior, name) for name in PRIOR},
        "group_key": features.key,
        "group_begin": features.begin,
        "feature_cell": features.column,
        "feature_count": learned.counts,
        "feature_weight": learned.weights,
    }
    report = dict(learned.report)
    header = {"prior": prior.kind, "alpha": prior.alpha, "rewrites": rewrites, "report": report}
    vocabularies = {name: getattr(learned, name) for name in VOCABULARIES}
    save_arrays(directory, format_number, header, arrays, vocabularies)


def load_learned(directory: Path, format_number: int) -> tuple[Learned, str]:
    header, arrays, vocabularies = load_arrays(directory, format_number)
    inventory = Inventory(
        Trie(arrays["source_keys"], arrays["source_nodes"]),
        arrays["inventory_source_of_node"],
        Trie(arrays["target_keys"], arrays["target_nodes"]),
        *(arrays[f"inventory_{name}"] for name in PLAIN[1:]),
    )
    learned = Learned(
        **{name: vocabularies[name] for name in VOCABULARIES},
        inventory=inventory,
        prior=Prior(header["prior"], header["alpha"], *(arrays[f"prior_{name}"] for name in PRIOR)),
        features=make_features(arrays["group_key"], arrays["group_begin"], arrays["feature_cell"]),
        counts=arrays["feature_count"],
        weights=arrays["feature_weight"],
        report=header["report"],
    )
    return learned, header["rewrites"]
