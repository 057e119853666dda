import type { SourceRecord } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import { dropEntries, findOpenEntries, findUnappliedPlans, type StoredRecord } from '@idsync/database/directory';
import type { Cause } from '../changes/cause.js';
import { allKeys, keyText } from '../matching/record-keys.js';
import { findResembled } from '../sweep/plan-changes.js';

/** Entries of a plan that are read at a time. */
const pageSize = 1_000;

/**
 * Deletes the planned new records that resemble a person, also if they were planned before the person was known. Reads
 * each creation that waits once, by the index of its plan: few runs are held, and erasures are rare. Call it before
 * the keys of the person are released.
 */
export async function dropPlannedCreations(
  tx: Transaction,
  cause: Cause,
  identityId: string,
  persons: readonly StoredRecord[],
): Promise<void> {
  const { rules } = cause;
  const own = new Set(persons.flatMap(({ fields }) => allKeys(fields, rules)).map(keyText));
  if (own.size === 0) return;
  for (const jobId of await findUnappliedPlans(tx)) {
    const next = (after?: number) => findOpenEntries(tx, jobId, pageSize, { actions: ['create', 'disable'], after });
    for (let page = await next(); page.length > 0; page = await next(page.at(-1)?.id)) {
      const similar = page.flatMap(({ externalId: id, basedOn, incoming }) => {
        if (basedOn !== undefined || incoming === undefined) return [];
        const keys = allKeys((JSON.parse(incoming) as SourceRecord).fields, rules);
        return keys.some((key) => own.has(keyText(key))) ? { id, keys } : [];
      });
      const resembled = await findResembled(tx, cause, similar);
      const theirs = similar.flatMap(({ id }) => (resembled.get(id)?.identityId === identityId ? id : []));
      await dropEntries(tx, jobId, theirs);
    }
  }
}
