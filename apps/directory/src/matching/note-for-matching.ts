import { queueForMatching, saveWeakKeys, type Transaction } from '@idsync/database';
import type { Cause } from '../cause.js';
import type { RecordChange } from '../record-change.js';
import { weakValues } from './weak-values.js';

/** Makes changed users and accounts findable by what they resemble, and notes them to be compared when their job has ended. */
export async function noteForMatching(
  tx: Transaction,
  { tenantId, rules, connectors }: Cause,
  records: readonly RecordChange[],
): Promise<void> {
  const people = records.filter(({ record }) => record.kind !== 'machine_identity');
  const moved = people.flatMap(({ record, before }) => {
    const values = weakValues(record.fields, rules);
    const same = before && weakValues(before.fields, rules).join('\0') === values.join('\0');
    return same ? [] : [{ id: record.id, isNew: !before, values }];
  });
  await saveWeakKeys(tx, tenantId, moved);
  // One list alone has nobody to be compared with; when a second one comes, its records find those of the first.
  const lists = [...connectors.values()].filter((connector) => connector.records !== 'machine_identity');
  if (lists.length < 2) return;
  await queueForMatching(
    tx,
    tenantId,
    people.map(({ record }) => record.id),
  );
}
