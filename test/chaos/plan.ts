import { between, type Random, seededRandom, shuffled } from '../support/seeded-random.js';

export const serviceNames = ['gateway', 'directory', 'sync-worker', 'webhook-dispatcher'] as const;
export type ServiceName = (typeof serviceNames)[number];

export const workerNames = ['worker 1', 'worker 2'] as const;

const linkNames = [
  ...serviceNames.flatMap((name) => [`${name}-postgres`, `${name}-rabbitmq`] as const),
  'sync-worker-source',
  'dispatcher-receiver',
] as const;
export type LinkName = (typeof linkNames)[number];

export const faultKinds = [
  'kill',
  'freeze',
  'kill-postgres',
  'kill-worker',
  'kill-broker',
  'wipe-broker',
  'full-disk',
  'clock',
  'latency',
  'cut',
  'half-open',
  'trickle',
  'previous-version',
] as const;
export type FaultKind = (typeof faultKinds)[number];

export interface Fault {
  kind: FaultKind;
  /** The affected service or link; `postgres`, a worker of Citus, or `broker`. */
  target: string;
  forMs: number;
  /** Delay after the recovery of the previous fault. */
  afterMs: number;
  /** A fault that begins in the middle of this one and ends with it. */
  with?: Fault;
  /** Seconds of a clock step, milliseconds of latency, bytes of a trickle. */
  amount: number;
}

/** Relative frequency of a kind; 1 if absent. */
const weights: Partial<Record<FaultKind, number>> = { kill: 4, 'kill-worker': 2, freeze: 2, cut: 2, 'half-open': 2 };
/** Part of the faults that another one joins. */
const overlapping = 0.25;
const steps = [-3_600, -300, -20, 20, 300, 3_600];
const milliseconds: Record<FaultKind, readonly [number, number]> = {
  kill: [0, 2_000],
  freeze: [500, 16_000],
  'kill-postgres': [0, 3_000],
  'kill-worker': [0, 3_000],
  'kill-broker': [0, 3_000],
  'wipe-broker': [0, 1_000],
  'full-disk': [3_000, 10_000],
  clock: [3_000, 8_000],
  latency: [3_000, 8_000],
  cut: [500, 5_000],
  'half-open': [1_000, 8_000],
  trickle: [3_000, 8_000],
  'previous-version': [5_000, 15_000],
};

/** The endless sequence of faults of a run, determined by seed and kinds. Each kind comes once before any repeats. */
export function* plan(seed: number, kinds: readonly FaultKind[]): Generator<Fault, never> {
  const random = seededRandom(seed);
  const again = kinds.flatMap((kind) => Array<FaultKind>((weights[kind] ?? 1) - 1).fill(kind));
  for (;;) {
    // Short runs see each kind once before the frequent ones repeat.
    for (const kind of [...shuffled(random, kinds), ...shuffled(random, again)]) {
      const fault = draw(random, kind);
      const other = draw(random, kinds[between(random, 0, kinds.length - 1)] as FaultKind);
      const overlaps = random() < overlapping && targetKey(fault) !== targetKey(other);
      yield overlaps ? { ...fault, with: other } : fault;
    }
  }
}

function draw(random: Random, kind: FaultKind): Fault {
  const [least, most] = milliseconds[kind];
  return {
    kind,
    target: targetOf(random, kind),
    forMs: between(random, least, most),
    afterMs: between(random, 200, 1_500),
    amount: amountOf(random, kind),
  };
}

function targetOf(random: Random, kind: FaultKind): string {
  const one = <T>(names: readonly T[]) => names[between(random, 0, names.length - 1)] as T;
  if (kind === 'kill' || kind === 'freeze' || kind === 'clock' || kind === 'previous-version') return one(serviceNames);
  if (kind === 'kill-postgres' || kind === 'full-disk') return 'postgres';
  if (kind === 'kill-worker') return one(workerNames);
  if (kind === 'kill-broker' || kind === 'wipe-broker') return 'broker';
  return one(linkNames);
}

function amountOf(random: Random, kind: FaultKind): number {
  if (kind === 'clock') return steps[between(random, 0, steps.length - 1)] as number;
  if (kind === 'latency') return between(random, 50, 400);
  return between(random, 100, 2_000);
}

/** Identifies the target of a fault, because two faults of the same target would undo each other. */
function targetKey({ kind, target }: Pick<Fault, 'kind' | 'target'>): string {
  return ['latency', 'cut', 'half-open', 'trickle'].includes(kind) ? `link ${target}` : target;
}
