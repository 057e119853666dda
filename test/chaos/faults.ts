import { setTimeout as pause } from 'node:timers/promises';
import type { Fault, FaultKind } from './plan.js';
import { serviceNames } from './plan.js';
import type { World } from './world.js';

const spareBytes = 256 * 1024;

type StartFault = (world: World, fault: Fault) => Promise<() => Promise<void>>;

/** Starts a fault; resolves with a function that ends it. */
export function startFault(world: World, fault: Fault): Promise<() => Promise<void>> {
  return faultStarters[fault.kind](world, fault);
}

const link =
  (toxicOf: (fault: Fault) => Parameters<ReturnType<World['link']>['poison']>[0]): StartFault =>
  async (world, fault) => {
    const affected = world.link(fault.target);
    affected.poison(toxicOf(fault));
    return async () => affected.heal();
  };

const faultStarters: Record<FaultKind, StartFault> = {
  kill: async (world, { target }) => {
    const service = world.service(target);
    await service.kill();
    return async () => service.start();
  },
  freeze: async (world, { target }) => {
    const service = world.service(target);
    service.freeze();
    return async () => service.thaw();
  },
  'kill-postgres': async ({ postgres }) => {
    await postgres.kill();
    return () => postgres.up();
  },
  'kill-worker': async (world, { target }) => {
    const worker = world.worker(target);
    await worker.kill();
    return () => worker.up();
  },
  'kill-broker': async ({ broker }) => {
    await broker.kill();
    return () => broker.up();
  },
  'wipe-broker': async (world, { forMs }) => {
    await pause(forMs);
    await world.broker.wipe();
    return () => ageLostMessages(world);
  },
  'full-disk': async (world) => {
    await world.disk.fill(spareBytes);
    return async () => {
      await world.disk.free();
      await world.postgresUp();
    };
  },
  clock: async (world, { target, amount }) => {
    const { clock } = world.service(target);
    await clock.step(amount);
    return () => clock.step(0);
  },
  latency: link(({ amount }) => ({ kind: 'latency', ms: amount })),
  cut: link(() => ({ kind: 'cut' })),
  'half-open': link(() => ({ kind: 'half-open' })),
  trickle: link(({ amount }) => ({ kind: 'trickle', bytes: amount })),
  'previous-version': async (world, { target }) => {
    const service = world.service(target);
    await service.replaceBy('previous');
    return () => service.replaceBy('today');
  },
};

/**
 * Ages lost messages, since those without progress for a quarter of an hour are republished (docs/operations.md), and
 * restarts the services, which do that periodically and at their start.
 */
async function ageLostMessages(world: World): Promise<void> {
  for (const [table, column] of [
    ['sync_batches', 'announced_at'],
    ['sync_jobs', 'sweep_asked_at'],
    ['operations', 'announced_at'],
    ['webhook_replays', 'announced_at'],
  ]) {
    await world.admin.rows(`update ${table} set ${column} = '2000-01-01' where ${column} is not null`);
  }
  for (const name of serviceNames) {
    if (name === 'gateway') continue;
    await world.service(name).kill();
    world.service(name).start();
  }
}
