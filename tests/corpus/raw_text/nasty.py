"""Text that is hard on every program that reads it."""

from hypothesis import strategies as st

PIECES = [
    "a", "B", "Kyoto", "don't", "dogs'", "l'eau", "京都", "ﾊﾞ", "１２",
    "나는", "नमस्ते", "שלום", "é", "e\u0301",
    "\u0301", "\u200b", "\u200c", "\u200d", "\u200e", "\u202e", "\u2066", "\ufeff",
    "\xad", "\x00", "\x07",
    " ", "  ", "\t", "\x0c", "\x0b", "\x1c", "\x85", "\xa0", "\u2003", "\u2028", "\u3000",
    "😀", "👍🏽", "👩\u200d👩\u200d👧", "🇯🇵", "1️⃣", "☺\ufe0f",
    "|", "|||", "<", "<s>", "[", "]", "&", "&amp;", "&#124;", "￭", "▁", "▁￭", "@-@",
    ".", "...", "…", "!", "?!", ",", ";", ":", "/", "-", "--", "–", "~", "%", "$", "#", "=", "\\",
    '"', "'", "''", "“", "”", "„", "«", "»", "(", ")", "{", "}", "「", "」", "。", "、", "！", "・",
    "1,000.5", "10:30", "2026-11-16", "3.", "U.S.", "Dr.", "x@y.org",
    "http://a.b/c?d=e&f", "www.a.b.",
]  # fmt: skip
texts = st.lists(
    st.one_of(st.sampled_from(PIECES), st.characters(codec="utf-8").filter(lambda c: c != "\n")),
    max_size=25,
).map("".join)
