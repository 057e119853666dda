import { createHash } from 'node:crypto';
import { firstText, textsOf } from './entry-values.js';
import type { LdapSession } from './ldap-session.js';
import { type Listing, listEntries, stampAttributes } from './list-entries.js';

/**
 * Returns a fingerprint of all entries of a listing, which every added, changed or deleted entry changes. `content` are
 * attributes whose values are part of it, because a time in seconds does not show two changes in one second.
 */
export async function fingerprintOf(
  session: LdapSession,
  listing: Listing,
  content: readonly string[] = [],
): Promise<string> {
  let [sum, count] = [0n, 0];
  for await (const entries of listEntries(session, listing, [...stampAttributes, ...content])) {
    for (const entry of entries) {
      const stamps = stampAttributes.map((attribute) => firstText(entry, attribute) ?? '');
      const values = content.flatMap((attribute) => [...(textsOf(entry, attribute) ?? [])].sort());
      const stamp = [...stamps, ...values].join(' ');
      const digest = createHash('sha256').update(`${entry.dn.toLowerCase()}\n${stamp}`).digest();
      // A sum, because the order of the list is not defined.
      sum = BigInt.asUintN(64, sum + digest.readBigUInt64BE());
      count += 1;
    }
  }
  return `${count}-${sum.toString(16)}`;
}
