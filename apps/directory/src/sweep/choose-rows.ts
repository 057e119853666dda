import { outranks } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import {
  type ContestedEntry,
  type DecidingFields,
  deleteEntries,
  findContested,
  saveOutranked,
} from '@idsync/database/directory';
import { append, idsOf } from '../shared/collections.js';

interface Row {
  seq: number;
  fields: DecidingFields;
}

/**
 * Leaves in the plan of a full run one entry of each record at most: that of the row that counts, unless the record has
 * that row already. Batches are applied in any order, so only the sweep knows all rows of an id.
 */
export async function chooseRows(tx: Transaction, jobId: string, now: Date): Promise<void> {
  const byRecord = new Map<string, ContestedEntry[]>();
  for (const entry of await findContested(tx, jobId)) append(byRecord, entry.externalId, entry);
  const outranked: ContestedEntry[] = [];
  const rows: { seq: number; id: string }[] = [];
  for (const entries of byRecord.values()) {
    const applied = entries.find((entry) => entry.applied !== null)?.applied ?? undefined;
    const counting = countingRow([...entries, ...(applied ? [applied] : [])], now);
    outranked.push(...entries.filter((entry) => entry !== counting));
    const [{ recordId } = { recordId: '' }] = entries;
    if (applied && applied !== counting) rows.push({ seq: applied.seq, id: recordId });
  }
  rows.push(...outranked.map(({ seq, recordId }) => ({ seq, id: recordId })));
  await saveOutranked(tx, jobId, rows);
  await deleteEntries(tx, jobId, idsOf(outranked));
}

/** Of rows that are equally good, that of the last batch counts. */
function countingRow(rows: readonly Row[], now: Date): Row | undefined {
  const [first, ...others] = [...rows].sort((a, b) => a.seq - b.seq);
  return others.reduce(
    (counting, row) => (counting && outranks(counting.fields, row.fields, now) ? counting : row),
    first,
  );
}
