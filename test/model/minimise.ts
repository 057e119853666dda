import type { Step } from './steps.js';

/** Each try plays a history, so a failure is reported after at most this many. */
const mostTries = 60;

type Fails = (steps: readonly Step[]) => Promise<boolean>;

/** Deletes steps and edits as long as the history still fails. Returns the shortest one that was found. */
export async function minimise(steps: readonly Step[], fails: Fails): Promise<Step[]> {
  let tries = 0;
  const stillFails: Fails = async (some) => {
    tries += 1;
    return tries <= mostTries && (await fails(some));
  };
  const fewer = await withoutParts(steps, stillFails);
  for (const [at, step] of fewer.entries()) {
    const edits = await withoutParts(step.edits, (some) =>
      stillFails(fewer.map((other, place) => (place === at ? { ...step, edits: some } : other))),
    );
    fewer[at] = { ...step, edits };
  }
  return fewer;
}

/** Deletes halves, then quarters, and so on (delta debugging). */
async function withoutParts<T>(items: readonly T[], fails: (items: readonly T[]) => Promise<boolean>): Promise<T[]> {
  let left = [...items];
  for (let size = Math.ceil(left.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < left.length; ) {
      const rest = [...left.slice(0, from), ...left.slice(from + size)];
      if (await fails(rest)) left = rest;
      else from += size;
    }
  }
  return left;
}
