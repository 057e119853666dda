import { setTimeout as pause } from 'node:timers/promises';
import { type Fault, type FaultKind, type FaultMachine, faultKinds } from './fault-machine.js';
import { between, type Random, shuffled } from './seeded-random.js';

/** What one round of faults is drawn from, in another order each time: every kind comes in every round. */
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

/** Faults for so long, one while another is still down too. Resolves with how many there were when everything runs again. */
export async function storm(
  machine: FaultMachine,
  random: Random,
  seconds: number,
): Promise<Record<FaultKind, number>> {
  const struck = Object.fromEntries(faultKinds.map((kind) => [kind, 0])) as Record<FaultKind, number>;
  const end = Date.now() + seconds * 1_000;
  for (const { afterMs, ...fault } of schedule(random)) {
    if (Date.now() + afterMs > end) break;
    await pause(afterMs);
    if (machine.strike(fault)) struck[fault.kind] += 1;
  }
  await machine.up();
  return struck;
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
