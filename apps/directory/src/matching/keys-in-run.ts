import type { CorrelationKey, StoredRecord } from '@idsync/database';
import type { RecordChange } from '../record-change.js';
import type { Neighbourhood } from './neighbourhood.js';
import { isLiving, keyText } from './record-keys.js';

/**
 * The certain keys by which a user takes part in matching. Who is no longer listed gives addresses back, but to one record
 * that the same run brought from the same source they still speak: a changed id is another record and no other person.
 */
export function keysInRun(
  hood: Neighbourhood,
  { record, before }: RecordChange,
  jobId: string | undefined,
): CorrelationKey[] {
  const keys = hood.keysOf(record);
  const hasGone = before && isLiving(before) && !isLiving(record) && record.contentHash.length === 0;
  if (!hasGone || jobId === undefined) return keys;
  const kept = new Set(keys.map(keyText));
  const lost = hood.keysOf(before).filter((key) => !kept.has(keyText(key)));
  return [...keys, ...lost.filter((key) => isTakenOver(hood, key, record, jobId))];
}

function isTakenOver(hood: Neighbourhood, key: CorrelationKey, gone: StoredRecord, jobId: string): boolean {
  const text = keyText(key);
  const others = [...hood.changes.values()]
    .filter(({ record, removed }) => record.kind === 'user' && !removed && record.id !== gone.id)
    .map(({ record }) => record)
    .filter((record) => hood.keysOf(record).some((each) => keyText(each) === text));
  const [other] = others;
  return others.length === 1 && other?.connectorId === gone.connectorId && other.linkedBy === jobId;
}
