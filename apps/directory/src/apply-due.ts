import type { PersonStatus } from '@idsync/contracts';
import {
  addToCounters,
  type Database,
  purgeErasedIdentities,
  type StoredRecord,
  takeDueRecords,
} from '@idsync/database';
import { applyChanges } from './apply-changes.js';
import { learnTenant } from './cause.js';
import { nextStatus } from './lifecycle.js';
import { isLiving } from './matching/record-keys.js';
import type { RecordChange } from './record-change.js';
import { factsOf } from './stamp-lifecycle.js';

/** Records a transaction. */
const portion = 500;

/**
 * Does for one tenant what is due by the clock: the hired become active, who left for good is deleted, what is deleted for long
 * enough is purged. What is due stands in the database, so nothing is missed while nobody runs. Returns the number of records.
 */
export async function applyDue(database: Database, tenantId: string, now: Date = new Date()): Promise<number> {
  for (let done = 0; ; ) {
    const taken = await database.transaction(tenantId, async (tx) => {
      const records = await takeDueRecords(tx, tenantId, now, portion);
      const erased = await purgeErasedIdentities(tx, tenantId, now, portion);
      if (records.length + erased.length === 0) return 0;
      // Machines from before references were kept bring theirs now.
      const bringsReferences = records.some(({ kind, machine }) => kind === 'machine_identity' && !machine);
      const cause = { ...(await learnTenant(tx, tenantId, bringsReferences ? 'alone' : 'shared')), now };
      await applyChanges(
        tx,
        cause,
        records.map((record) => duly(record, now)),
      );
      await addToCounters(
        tx,
        tenantId,
        erased.map((identity) => ({ ...identity, resource: 'identity', by: -1 })),
      );
      return Math.max(records.length, erased.length);
    });
    done += taken;
    if (taken < portion) return done;
  }
}

function duly(before: StoredRecord, now: Date): RecordChange {
  if (!isLiving(before)) return { before, record: { ...before }, removed: true };
  // What time does to a machine is found out where machines are placed.
  if (before.kind === 'machine_identity') return { before, record: { ...before } };
  const state = { status: before.status as PersonStatus, since: before.statusSince };
  const status = nextStatus(state, factsOf(before.fields), now);
  return { before, record: { ...before, status, updatedAt: status === before.status ? before.updatedAt : now } };
}
