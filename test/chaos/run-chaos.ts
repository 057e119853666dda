import { setTimeout as pause } from 'node:timers/promises';
import { counts, settled, watchFences } from '../support/delivery-proof.js';
import { compare } from './compare.js';
import { startFault } from './faults.js';
import { History } from './history.js';
import type { Options } from './options.js';
import { type Fault, plan } from './plan.js';
import { Report } from './report.js';
import type { Tenants } from './tenants.js';
import type { World } from './world.js';

const roundMs = 90_000;
/** From the end of a fault to the next completed job. */
const recoverWithinMs = 240_000;
const settleWithinMs = 300_000;
/** Shorter runs do not build the previous version, unless the fault is named. */
const buildsFromMinutes = 10;

type ReportProgress = (line: string) => void;

/** Runs rounds of faults with a comparison after each. Rejects if something is lost, duplicated or wrong. */
export async function runChaos(world: World, tenants: Tenants, options: Options, say: ReportProgress): Promise<void> {
  const { minutes, seed, faults, named } = options;
  say(`seed ${seed}, ${minutes} minutes`);
  const wanted = named || minutes >= buildsFromMinutes ? faults : faults.filter((kind) => kind !== 'previous-version');
  if (wanted.length < faults.length)
    say(`previous-version is skipped: only runs of at least ${buildsFromMinutes} minutes build it`);
  await world.start(wanted, options.citus, say);
  for (const [kind, reason] of world.leftOut) say(`${kind} is skipped: ${reason}`);
  for (const node of world.nodes) await watchFences(node);
  await tenants.create();
  const histories = new Map(tenants.all.map(({ uuid }) => [uuid, new History(uuid)]));
  const kinds = wanted.filter((kind) => !world.leftOut.has(kind));
  const next = plan(seed, kinds);
  const report = new Report(seed);
  const end = Date.now() + minutes * 60_000;
  for (let round = 1; round === 1 || Date.now() < end; round += 1) {
    report.begin(round);
    tenants.begin();
    await storm({ world, tenants, next, report, say, until: Math.min(end, Date.now() + roundMs) });
    await unlessStopped(world, tenants.pause());
    await world.up();
    const quietAt = Date.now();
    const problems = await unlessStopped(world, tenants.readAll(settleWithinMs));
    await unlessStopped(world, settled(world.admin, settleWithinMs));
    world.closeHalfOpen();
    const verdict = await compare(world, tenants, histories);
    verdict.wrong.push(...problems, ...world.crashes());
    report.end(round, { verdict, settledMs: Date.now() - quietAt, counts: await counts(world.admin), tenants });
    say(report.round());
    if ([verdict.lost, verdict.doubled, verdict.wrong].some((list) => list.length > 0)) {
      throw new Error(`round ${round} differs from the sources\n${JSON.stringify(verdict, undefined, 2)}`);
    }
  }
  say(report.total(kinds));
  if (options.citus) say(`${world.completed} commits were completed by Citus after a kill`);
}

interface Storm {
  world: World;
  tenants: Tenants;
  next: Iterator<Fault, never>;
  report: Report;
  say: ReportProgress;
  until: number;
}

/** Runs one fault after another, some overlapping; all have ended when this resolves. */
async function storm({ world, tenants, next, report, say, until }: Storm): Promise<void> {
  while (Date.now() < until && !world.stopping.aborted) {
    const { value: fault } = next.next();
    await pause(fault.afterMs, undefined, { signal: world.stopping });
    const faults = fault.with ? [fault, fault.with] : [fault];
    const heals: (() => Promise<void>)[] = [];
    try {
      for (const each of faults) {
        heals.push(await startFault(world, each));
        report.countFault(each.kind);
        await pause(each.forMs, undefined, { signal: world.stopping });
      }
    } finally {
      for (const heal of heals) await heal();
    }
    const took = await tenants.nextCompletion(Date.now(), recoverWithinMs, world.stopping);
    world.stopping.throwIfAborted();
    const what = faults.map(({ kind, target }) => `${kind} of ${target}`).join(' and ');
    if (took === undefined) throw new Error(`no job completed within ${recoverWithinMs} ms of the end of ${what}`);
    if (faults.length === 1) report.recovered(fault.kind, took);
    say(`  ${what}: next job completed after ${(took / 1_000).toFixed(1)} s`);
  }
  world.stopping.throwIfAborted();
}

/** Abandons the work on an interruption; the work must not start processes. */
function unlessStopped<T>({ stopping }: World, work: Promise<T>): Promise<T> {
  stopping.throwIfAborted();
  return Promise.race([
    work,
    new Promise<never>((_, reject) =>
      stopping.addEventListener('abort', () => reject(stopping.reason), { once: true }),
    ),
  ]);
}
