import { setTimeout as pause } from 'node:timers/promises';
import { type Fault, type FaultKind, type FaultMachine, faultKinds } from './fault-machine.js';
import { between, type Random, shuffled } from './seeded-random.js';

/** The faults of one round, shuffled each time, so that every kind occurs in every round. */
const deck: readonly FaultKind[] = [
  'dispatcher',
  'dispatcher',
  'dispatcher',
  'dispatcher',
  'frozen',
  'frozen',
  'directory',
  'directory',
  'sync-worker',
  'gateway',
  'postgres',
  'postgres',
  'broker',
];

/** Runs overlapping faults for the given time. Resolves with their number per kind when everything runs again. */
export async function storm(
  machine: FaultMachine,
  random: Random,
  seconds: number,
): Promise<Record<FaultKind, number>> {
  const counts = Object.fromEntries(faultKinds.map((kind) => [kind, 0])) as Record<FaultKind, number>;
  const end = Date.now() + seconds * 1_000;
  for (const { afterMs, ...fault } of schedule(random)) {
    if (Date.now() + afterMs > end) break;
    await pause(afterMs);
    if (machine.startFault(fault)) counts[fault.kind] += 1;
  }
  await machine.up();
  return counts;
}

function* schedule(random: Random): Generator<Fault & { afterMs: number }> {
  for (;;) {
    for (const kind of shuffled(random, deck)) {
      yield {
        kind,
        which: random() < 0.5 ? 0 : 1,
        downMs: between(random, 0, 1_500),
        afterMs: between(random, 100, 1_100),
      };
    }
  }
}
