import { createHash } from 'node:crypto';

/** Groups whose ids are kept: members of one group arrive together. */
const maxKept = 10_000;
const kept = new Map<string, string>();

/**
 * Returns the id of a group: sources name the groups of a user, so a group is a name in a source. The id is computed
 * (a version 8 UUID), so that it needs no lookup and stays the same if the group disappears and returns.
 */
export function groupIdOf(connectorId: string, name: string): string {
  const key = `${connectorId} ${name}`;
  const found = kept.get(key);
  if (found) return found;
  const bytes = createHash('sha256').update(key).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  const id = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
  if (kept.size >= maxKept) kept.clear();
  kept.set(key, id);
  return id;
}
