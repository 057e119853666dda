import type { Transaction } from '@idsync/database';
import { queueForMatching, saveWeakKeys } from '@idsync/database/directory';
import type { Cause } from '../changes/cause.js';
import type { RecordChange } from '../changes/record-change.js';
import { fuzzyValues } from './fuzzy-values.js';

/** Saves the fuzzy-match values of changed users and accounts, and queues them for comparison after their job. */
export async function noteForMatching(tx: Transaction, cause: Cause, records: readonly RecordChange[]): Promise<void> {
  const { tenantId, rules, connectors } = cause;
  const people = records.filter(({ record }) => record.kind !== 'machine_identity');
  const moved = people.flatMap(({ record, before }) => {
    const values = fuzzyValues(record.fields, rules);
    const same = before && fuzzyValues(before.fields, rules).join('\0') === values.join('\0');
    return same ? [] : [{ id: record.id, isNew: !before, values }];
  });
  await saveWeakKeys(tx, tenantId, moved);
  // With a single source there is nothing to compare; the records of a second source will find these.
  const lists = [...connectors.values()].filter((connector) => connector.records !== 'machine_identity');
  if (lists.length < 2) return;
  const ids = people.map(({ record }) => record.id);
  await queueForMatching(tx, tenantId, ids);
}
