// "Deleted connectors" of docs/directory.md.
import type { Directory } from './directory.js';
import { keysOf, tiers } from './keys.js';
import type { Runs } from './runs.js';
import { livingOf } from './sweep.js';
import { type Entry, isDeleted, isUser, nameOf, type Source } from './types.js';

/** Moves the records of a deleted connector to another one. Refused while a run of that one is held. */
export function handOver(directory: Directory, runs: Runs, by: number, from: Source, to: Source): boolean {
  if (runs.heldOf(to)) return false;
  runs.dropPlansOf(from);
  const { entries } = directory;
  const all = [...entries.values()];
  const records = livingOf(all, from).sort((a, b) => a.nth - b.nth);
  // A record of the new connector with an id that the deleted one has too belongs to that record.
  const free = all
    .filter(
      (entry) => entry.source === to && isUser(entry) && !isDeleted(entry) && !entries.has(nameOf(from, entry.id)),
    )
    .sort((a, b) => a.nth - b.nth);
  const counterparts = records.map((older): [Entry, Entry | undefined] => {
    const sameId = entries.get(nameOf(to, older.id));
    if (sameId) return [older, sameId];
    const newer = isUser(older)
      ? free.find((entry) => entry.person === older.person && shareKey(entry, older))
      : undefined;
    if (newer) free.splice(free.indexOf(newer), 1);
    return [older, newer];
  });
  for (const [older, newer] of counterparts) {
    if (newer && newer.person !== older.person) continue;
    if (newer) joinRecords(older, newer, from, to);
    else Object.assign(older, { source: to });
  }
  entries.clear();
  for (const entry of all) {
    entry.name = nameOf(entry.source, entry.id);
    entries.set(entry.name, entry);
  }
  runs.markAsRead(to);
  runs.match(by);
  return true;
}

const shareKey = (one: Entry, other: Entry): boolean =>
  tiers.some((tier) => keysOf(one.fields, tier).some((value) => keysOf(other.fields, tier).includes(value)));

/** The older record gets the id and the values of the newer one, which is deleted. */
function joinRecords(older: Entry, newer: Entry, from: Source, to: Source): void {
  const { fields, status, changedBy, id, listed } = newer;
  const { fields: earlier, status: earlierStatus, listed: earlierListed } = older;
  const isSame = JSON.stringify([fields, status]) === JSON.stringify([earlier, earlierStatus]);
  Object.assign(newer, { source: from, id: older.id, status: 'deleted', handedOver: true });
  Object.assign(older, { source: to, id });
  // The next run of the new connector deletes what it no longer lists.
  if (status === 'deleted') return;
  if (older.changedBy !== changedBy && !isSame)
    older.before = { fields: earlier, status: earlierStatus, listed: earlierListed };
  Object.assign(older, { fields, status, changedBy, listed });
}
