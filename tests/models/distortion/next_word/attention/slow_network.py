"""The network of one sentence, number by number, from the formulas of its description."""

from math import exp, log2, sqrt

HEADS, REACH, CLASSES = 4, 64, 20


def dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


def times(vector, matrix):
    return [dot(vector, [row[k] for row in matrix]) for k in range(len(matrix[0]))]


def plus(a, b):
    return [x + y for x, y in zip(a, b, strict=True)]


def norm(vector, gains):
    size = sqrt(sum(x * x for x in vector) / len(vector) + 1e-6)
    return [x / size * gain for x, gain in zip(vector, gains, strict=True)]


def softmax(numbers):
    total = sum(map(exp, numbers))
    return [exp(number) / total for number in numbers]


def bias(biases, distance):
    return biases[max(-REACH, min(REACH, distance)) + REACH]


def distance_class(distance):
    """1 to 8 words are classes of their own; then four classes for each doubling."""
    size = abs(distance)
    number = size if size <= 8 else min(20, int(8 + 4 * log2(size / 8)))
    return number - 1 + (CLASSES if distance < 0 else 0)


def scores(network, words, symbols):
    """score(i → j) of all places i and j other than i."""
    parts = {name: getattr(network, name).tolist() for name in network._fields}
    xs = [
        plus(parts["words"][word], parts["symbols"][symbol])
        for word, symbol in zip(words, symbols, strict=True)
    ]
    places, size = range(len(xs)), len(xs[0])
    d = size // HEADS
    for k in range(len(parts["attend"])):
        every = [times(norm(x, parts["gains"][2 * k]), parts["attend"][k]) for x in xs]
        collected = [[] for _ in xs]
        for head in range(HEADS):
            at = range(head * d, head * d + d)
            q, key, v = ([[row[part + c] for c in at] for row in every]
                         for part in (0, size, 2 * size))  # fmt: skip
            for i in places:
                near = parts["near"][k][head]
                weights = softmax([dot(q[i], key[j]) / sqrt(d) + bias(near, j - i) for j in places])
                collected[i] += times(weights, v)
        xs = [plus(x, times(c, parts["mix"][k])) for x, c in zip(xs, collected, strict=True)]
        for i in places:
            wide = plus(times(norm(xs[i], parts["gains"][2 * k + 1]), parts["widen"][k]),
                        parts["bias"][k])  # fmt: skip
            xs[i] = plus(xs[i], times([max(0.0, x) for x in wide], parts["narrow"][k]))
    last = [norm(x, parts["gains"][-1]) for x in xs]
    queries, keys, leave, enter = (
        [times(x, parts[name]) for x in last] for name in ("query", "key", "leave", "enter")
    )
    a, b, c, d = ([times(x, matrix) for x in last] for matrix in parts["between"])

    def passing(i, j):
        """What the places between i and j say."""
        return sum(dot(a[i], b[k]) + dot(c[k], d[j]) for k in range(min(i, j) + 1, max(i, j)))

    return {
        (i, j): dot(queries[i], keys[j]) / sqrt(size)
        + leave[i][distance_class(j - i)]
        + enter[j][distance_class(j - i)]
        + bias(parts["far"], j - i)
        + passing(i, j) / sqrt(size)
        for i in places
        for j in places
        if i != j
    }
