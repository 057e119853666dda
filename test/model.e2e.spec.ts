import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Installation } from './model/installation.js';
import { minimise } from './model/minimise.js';
import { play } from './model/play.js';
import { seedOfSources } from './model/seed-of-sources.js';
import { type Step, stepsFrom } from './model/steps.js';
import { seededRandom } from './support/seeded-random.js';

/** Each history has this many rounds, so that a failure is short, and histories differ. */
const roundsOfOne = 20;
/** Variables repeat a failure, or play histories that this code has not played. */
const first = Number(process.env.MODEL_SEED ?? seedOfSources());
const rounds = Number(process.env.MODEL_ROUNDS ?? 100);

jest.setTimeout(1_200_000);

let installation: Installation;

beforeAll(async () => {
  installation = await Installation.start();
});

afterAll(async () => {
  await installation?.close();
});

describe('the directory', () => {
  it('is the one that the documented rules give, after each round of random histories', async () => {
    process.stdout.write(`MODEL_SEED=${first} MODEL_ROUNDS=${rounds}\n`);
    for (let seed = first, left = rounds; left > 0; seed += 1, left -= roundsOfOne) {
      const steps = stepsFrom(seededRandom(seed), Math.min(left, roundsOfOne));
      const found = await play(installation, steps);
      if (!found) continue;
      const fails = async (some: readonly Step[]) => (await play(installation, some)) !== undefined;
      const fewer = await minimise(steps.slice(0, found.round + 1), fails);
      const difference = (await play(installation, fewer)) ?? found;
      throw new Error(
        [
          `MODEL_SEED=${seed} MODEL_ROUNDS=${roundsOfOne}: round ${found.round}`,
          ...fewer.map((step) => JSON.stringify(step)),
          ...difference.lines,
        ].join('\n'),
      );
    }
    expect(rounds).toBeGreaterThan(0);
  });
});
