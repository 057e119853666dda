import { parseArgs } from 'node:util';
import { type FaultKind, faultKinds } from './plan.js';

export interface Options {
  minutes: number;
  seed: number;
  faults: readonly FaultKind[];
  /** False if no kind was named, so that all kinds are drawn. */
  named: boolean;
  /** Whether the database is a Citus cluster of the run. */
  citus: boolean;
}

export const usage = `npm run test:chaos -- [options]

Runs PostgreSQL, RabbitMQ, the four services, sources and receivers of webhooks, breaks them by a plan drawn from the seed, and
compares after each round what is there with what the sources say. Exits with 1 if anything was lost, doubled or wrong.

  --minutes N    how long faults are made, at least one round (default 5)
  --seed N       the plan of faults and of changes; a random one is printed if absent
  --faults a,b   only these kinds: ${faultKinds.join(', ')}
  --citus        the database is a coordinator and two workers of Citus, which are killed too
  --help
`;

/** Throws an error that names the invalid argument. */
export function readOptions(words: string[]): Options | 'help' {
  const { values } = parseArgs({
    args: words,
    options: {
      minutes: { type: 'string', default: '5' },
      seed: { type: 'string' },
      faults: { type: 'string' },
      citus: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  const minutes = Number(values.minutes);
  if (!(minutes > 0 && minutes <= 24 * 60))
    throw new Error(`--minutes must be more than 0 and at most 1440, got ${values.minutes}`);
  const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(values.seed);
  if (!Number.isInteger(seed) || seed < 0)
    throw new Error(`--seed must be a whole number of 0 or more, got ${values.seed}`);
  const names = values.faults?.split(',') ?? faultKinds;
  const unknown = names.filter((name) => !(faultKinds as readonly string[]).includes(name));
  if (unknown.length > 0) throw new Error(`--faults must be of ${faultKinds.join(', ')}, got ${unknown.join(', ')}`);
  return { minutes, seed, faults: names as FaultKind[], named: values.faults !== undefined, citus: values.citus };
}
