import type { CorrelationKey, StoredRecord } from '@idsync/database';
import type { RecordChange } from '../record-change.js';
import type { Neighbourhood } from './neighbourhood.js';
import { isLiving, keyText } from './record-keys.js';

/**
 * The certain keys by which each user takes part in matching. Who is no longer listed gives addresses back, but to one record
 * that the same run brought from the same source they still speak: a changed id is another record and no other person.
 */
export function keysInRun(hood: Neighbourhood, jobId: string | undefined): (change: RecordChange) => CorrelationKey[] {
  let speakers: Map<string, StoredRecord[]> | undefined;
  const isTakenOver = (key: CorrelationKey, gone: StoredRecord) => {
    speakers ??= speakersByKey(hood);
    const [other, ...others] = (speakers.get(keyText(key)) ?? []).filter(({ id }) => id !== gone.id);
    return others.length === 0 && other?.connectorId === gone.connectorId && other.linkedBy === jobId;
  };
  return ({ record, before }) => {
    const keys = hood.keysOf(record);
    const hasGone = before && isLiving(before) && !isLiving(record) && record.contentHash.length === 0;
    if (!hasGone || jobId === undefined) return keys;
    const kept = new Set(keys.map(keyText));
    const lost = hood.keysOf(before).filter((key) => !kept.has(keyText(key)));
    return [...keys, ...lost.filter((key) => isTakenOver(key, record))];
  };
}

/** The neighbourhood's users by the text of each key they have. */
function speakersByKey(hood: Neighbourhood): Map<string, StoredRecord[]> {
  const speakers = new Map<string, StoredRecord[]>();
  for (const { record, removed } of hood.changes.values()) {
    if (record.kind !== 'user' || removed) continue;
    for (const text of new Set(hood.keysOf(record).map(keyText))) {
      const known = speakers.get(text) ?? [];
      speakers.set(text, known);
      known.push(record);
    }
  }
  return speakers;
}
