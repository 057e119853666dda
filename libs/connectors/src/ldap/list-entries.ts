import { createHash } from 'node:crypto';
import { type Control, type Filter, PagedResultsControl } from 'ldapts';
import { SourceError } from '../connector.js';
import { type Anchor, firstText, nameOfAnchor, textsOf } from './entry-values.js';
import { refusal, requireKey, resultCodes } from './ldap-errors.js';
import type { LdapEntry } from './ldap-messages.js';
import type { LdapSession } from './ldap-session.js';
import { parseFilter } from './parse-filter.js';

export interface Listing {
  base: string;
  scope: 'one' | 'sub';
  filter: Filter;
  namesOnly?: boolean;
  controls?: Control[];
}

/** A listed entry: the anchor, by which entries are ordered, and the DN. */
export interface Located {
  key: string;
  dn: string;
}

/** Maximum page size of servers, including Active Directory. */
const serverPage = 1_000;
/** Maximum number of anchors in memory, about 30 MB. A larger directory is listed several times. */
const maxKeysInMemory = 100_000;
/** Consecutive empty pages that count as a cycle. */
const maxEmptyPages = 1_000;

/** Lists all entries by paged results (RFC 2696). It ends only when the server marks the last page. */
export async function* listEntries(
  session: LdapSession,
  listing: Listing,
  attributes: string[],
  size = serverPage,
): AsyncGenerator<LdapEntry[]> {
  let cookie: Buffer | undefined;
  let empty = 0;
  do {
    // Critical, so that a server without paging fails instead of sending an incomplete list.
    const paging = new PagedResultsControl({ critical: true, value: { size, ...(cookie && { cookie }) } });
    const controls = [paging, ...(listing.controls ?? [])];
    const answer = await session.search({ ...listing, attributes, limit: size, controls });
    if (answer.result.code !== resultCodes.success)
      throw refusal(answer.result, `reading ${listing.base || 'the root'}`);
    if (!answer.result.cookie)
      throw new SourceError(
        `reading ${listing.base}: the directory does not report whether there are more entries`,
        'incomplete',
      );
    empty = answer.entries.length === 0 ? empty + 1 : 0;
    if (empty > maxEmptyPages)
      throw new SourceError(
        `reading ${listing.base}: the directory sent more than ${maxEmptyPages} empty pages in a row`,
        'incomplete',
      );
    yield answer.entries;
    // An empty page is not the end: Active Directory sends some during a long search.
    cookie = answer.result.cookie;
  } while (cookie.length > 0);
}

/**
 * Returns the entries after `after` in anchor order, limited to `keep`, and whether there are more. Sorted here, so
 * that the order is the same on every replica and after an interruption, because paged results of a server end with the
 * connection.
 */
export async function entriesAfter(
  session: LdapSession,
  listing: Listing,
  {
    anchor,
    after,
    keep = maxKeysInMemory,
    onEntry,
  }: { anchor: Anchor; after: string; keep?: number; onEntry?: (entry: LdapEntry) => void },
): Promise<{ found: Located[]; more: boolean }> {
  let found: Located[] = [];
  let more = false;
  const shorten = () => {
    found.sort((a, b) => (a.key < b.key ? -1 : 1));
    const twice = found.find((entry, index) => entry.key === found[index + 1]?.key);
    if (twice)
      throw new SourceError(
        `${nameOfAnchor(anchor)} cannot be the anchor, because several entries have the same value`,
        {
          said: twice.key,
        },
      );
    more ||= found.length > keep;
    found = found.slice(0, keep);
  };
  for await (const entries of listEntries(session, listing, onEntry ? [...anchor, ...stampAttributes] : [...anchor])) {
    for (const entry of entries) {
      const key = requireKey(entry, anchor);
      onEntry?.(entry);
      if (key > after) found.push({ key, dn: entry.dn });
    }
    if (found.length >= 2 * keep) shorten();
  }
  shorten();
  return { found, more };
}

/** Attributes that change with every change of an entry. */
const stampAttributes = ['modifyTimestamp', 'entryCSN', 'uSNChanged'];

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

/** The entries of 389 Directory Server by which a role locks its members. They are listed only if a filter names them. */
const lockEntries = parseFilter(
  '(&(objectClass=ldapSubEntry)(|(objectClass=nsRoleDefinition)(objectClass=cosSuperDefinition)(objectClass=cosTemplate)))',
);

const content = ['nsRoleDN', 'nsRoleFilter', 'nsAccountLock', 'cosAttribute', 'cosTemplateDn'];

/** Returns a fingerprint of the roles below `base`. A lock of a role changes it, but no entry of a member. */
export function rolesFingerprint(session: LdapSession, base: string): Promise<string> {
  return fingerprintOf(session, { base, scope: 'sub', filter: lockEntries }, content);
}
