// Questions to the server. An answer, or a Problem that can be shown to people.

export class Problem extends Error {
  // message: what is wrong; expected: what exists; advice: what to do
  constructor({ message, where, expected, advice }) {
    super(where ? `${where}: ${message}` : message);
    this.hints = [expected, advice].filter(Boolean);
  }
}

export const models = () => ask("models");

export function explain(question, signal) {
  const headers = { "Content-Type": "application/json" };
  return ask("explain", { method: "POST", headers, body: JSON.stringify(question), signal });
}

async function ask(path, options = {}) {
  let content;
  try {
    content = await (await fetch(path, options)).json();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem({
      message: "the server does not answer",
      advice: "start it in a terminal: hyperbaton serve MODEL",
    });
  }
  if (content.error) throw new Problem(content.error);
  return content;
}
