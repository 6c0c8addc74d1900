// Requests to the server: each returns an answer or throws a Problem to show to the user.

export class Problem extends Error {
  // message: what is wrong; expected: what exists; advice: what to do; isGone: the server is down
  constructor({ message, where, expected, advice, isGone = false }) {
    super(where ? `${where}: ${message}` : message);
    this.isGone = isGone;
    this.hints = [expected, advice].filter(Boolean);
  }
}

const PAUSE = 1000; // milliseconds between attempts to reconnect

export async function whenBack() {
  let answer;
  do {
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
    answer = await fetch("health").catch(() => null);
  } while (!answer?.ok);
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
      advice: "start it in a terminal: hyperbaton serve SYSTEM. This page reconnects when the server is back.",
      isGone: true,
    });
  }
  if (content.error) throw new Problem(content.error);
  return content;
}
