import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type FuzzRequest, fuzzRequest, operationCount } from './support/fuzz/requests.js';
import { FuzzTarget } from './support/fuzz/target.js';

/** `npm run test:fuzz` sends others, and more. */
const requests = Number(process.env.FUZZ_REQUESTS ?? 3_500);
const seed = Number(process.env.FUZZ_SEED ?? 1);
const lanes = 8;
const maxShrinks = 200;
/** Bounds the run if a request is never answered; an idle machine needs about 10 ms per request. */
const timeoutMs = 300_000 + requests * 100;

let target: FuzzTarget;

beforeAll(async () => {
  target = await FuzzTarget.start();
});

afterAll(() => target?.stop());

/** Tries requests until one fails, then at most `maxShrinks` smaller ones. Further ones pass, which ends the shrinking. */
function firstFault(): (request: FuzzRequest) => Promise<void> {
  let left = Number.POSITIVE_INFINITY;
  return async (request) => {
    if (left <= 0) return;
    left -= 1;
    try {
      await target.try(request);
    } catch (fault) {
      // Shrinking needs a running gateway.
      left = target.isRunning ? Math.min(left, maxShrinks) : 0;
      throw fault;
    }
  };
}

describe('valid and invalid requests to every documented operation', () => {
  it(
    'receive documented statuses and bodies without internal errors or internal details, and the gateway keeps running',
    async () => {
      const results = await Promise.all(
        Array.from({ length: lanes }, (_, lane) =>
          fc.check(fc.asyncProperty(fuzzRequest, firstFault()), {
            seed: seed * lanes + lane,
            numRuns: Math.ceil(requests / lanes),
          }),
        ),
      );
      const counts = [...target.statuses]
        .sort(([one], [other]) => one - other)
        .map(([status, count]) => `${status}: ${count}`);
      process.stdout.write(
        `${requests} requests of ${operationCount} operations, seed ${seed}: ${counts.join(', ')}\n`,
      );
      const findings = results.flatMap(({ failed, errorInstance }) => (failed ? [String(errorInstance)] : []));
      const again = `npm run test:fuzz -- --requests ${requests} --seed ${seed}`;
      if (findings.length > 0) throw new Error(`${findings.join('\n')}\nTo repeat all requests: ${again}`);
      expect(await target.isAlive()).toBe(true);
    },
    timeoutMs,
  );
});
