import type { PersonStatus } from '@idsync/contracts';
import {
  addToCounters,
  type Database,
  findDueRecords,
  lockDueRecords,
  purgeErasedIdentities,
  type StoredRecord,
  type Transaction,
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
  while ((await database.transaction(tenantId, (tx) => purgeErased(tx, tenantId, now))) === portion);
  for (let done = 0; ; ) {
    const taken = await database.transaction(tenantId, (tx) => changeDue(tx, tenantId, now));
    done += taken;
    if (taken < portion) return done;
  }
}

async function purgeErased(tx: Transaction, tenantId: string, now: Date): Promise<number> {
  const purged = await purgeErasedIdentities(tx, tenantId, now, portion);
  await addToCounters(
    tx,
    tenantId,
    purged.map((identity) => ({ ...identity, resource: 'identity', by: -1 })),
  );
  return purged.length;
}

async function changeDue(tx: Transaction, tenantId: string, now: Date): Promise<number> {
  const due = await findDueRecords(tx, tenantId, now, portion);
  if (due.length === 0) return 0;
  const tenant = await learnTenant(tx, tenantId, due.some((each) => each.bringsReferences) ? 'alone' : 'shared');
  const ids = due.map(({ id }) => id);
  const records = await lockDueRecords(tx, ids, now);
  await applyChanges(
    tx,
    { ...tenant, now },
    records.map((record) => duly(record, now)),
  );
  return records.length;
}

function duly(before: StoredRecord, now: Date): RecordChange {
  if (!isLiving(before)) return { before, record: { ...before }, removed: true };
  // What time does to a machine is found out where machines are placed.
  if (before.kind === 'machine_identity') return { before, record: { ...before } };
  const state = { status: before.status as PersonStatus, since: before.statusSince };
  const status = nextStatus(state, factsOf(before.fields), now);
  return { before, record: { ...before, status, updatedAt: status === before.status ? before.updatedAt : now } };
}
