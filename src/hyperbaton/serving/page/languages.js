// The languages of a system, as tags for `lang` and as English names. They come from its text
// pipeline, or from a system name like ja-en.

const isTag = (text) => /^[a-z]{2,3}$/.test(text ?? "");
const names = new Intl.DisplayNames("en", { type: "language" });
const isLatin = (text) => !/\p{L}/u.test(text.replace(/\p{Script=Latin}/gu, ""));

export function languages({ name, text, examples }) {
  const [source, target] = text ? [text.source.language, text.target.language] : name.split("-");
  if (!isTag(source) || !isTag(target)) return {};
  const isRomanised = examples.length > 0 && new Intl.Locale(source).maximize().script !== "Latn" && examples.every((one) => isLatin(one.text));
  return {
    source: isRomanised ? `${source}-Latn` : source,
    target,
    reads: isRomanised ? `romanised ${names.of(source)}` : names.of(source),
  };
}
