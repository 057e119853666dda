import type { CounterChange } from '@idsync/database/directory';
import type { Settled } from './record-change.js';

/** Returns the changes of the list totals and positions. */
export function countChanges(settled: Settled): CounterChange[] {
  const totals = new Map<string, CounterChange>();
  const add = (
    resource: CounterChange['resource'],
    counted: { status: string; createdAt: Date } | undefined,
    by: number,
  ) => {
    if (counted === undefined) return;
    const { status, createdAt } = counted;
    const key = `${resource} ${status} ${createdAt.getTime()}`;
    const total = totals.get(key);
    if (total) total.by += by;
    else totals.set(key, { resource, status, createdAt, by });
  };
  for (const { identity, before } of [...settled.identities, ...settled.erased]) {
    add('identity', before, -1);
    add('identity', identity, 1);
  }
  for (const { identity } of settled.merged) add('identity', identity, -1);
  for (const identity of settled.ended) add('identity', identity, -1);
  for (const { record, before, removed } of settled.records) {
    if (record.kind !== 'user') continue;
    add('user', before, -1);
    if (!removed) add('user', record, 1);
  }
  return [...totals.values()].filter((total) => total.by !== 0);
}
