import { AndFilter, EqualityFilter, type Filter, OrFilter, PresenceFilter } from 'ldapts';
import { SourceError } from '../connector.js';
import { type Anchor, keyOf, valueBytes } from './entry-values.js';
import { LdapRefusal, refusal, resultCodes } from './ldap-errors.js';
import type { LdapEntry } from './ldap-messages.js';
import type { LdapSession } from './ldap-session.js';
import type { Listing, Located } from './list-entries.js';

/** Number of concurrent requests. */
const inFlight = 16;
/** Number of anchors in one filter. */
const keysPerSearch = 50;
/** Maximum values of one attribute, of a few hundred bytes each. */
const maxValues = 100_000;
/** Maximum size of all entries of one page. */
const maxPageBytes = 128 * 1024 * 1024;

export interface Fetching {
  listing: Listing;
  anchor: Anchor;
  attributes: string[];
  /**
   * Whether the anchor is certainly indexed, so that one search finds many entries. Otherwise each entry is read by DN.
   */
  byAnchor: boolean;
}

/** Returns the entries that still exist and match the filter, by anchor. */
export async function fetchEntries(
  session: LdapSession,
  { listing, anchor, attributes, byAnchor }: Fetching,
  wanted: readonly Located[],
): Promise<Map<string, LdapEntry>> {
  const found = new Map<string, LdapEntry>();
  let bytes = 0;
  const keep = (key: string, entry: LdapEntry) => {
    found.set(key, entry);
    bytes += sizeOf(entry);
    if (bytes > maxPageBytes) throw new SourceError('the entries of one page are larger than 128 MiB', 'too_large');
  };
  const asked = [...new Set([...anchor, ...attributes])];
  if (!byAnchor) {
    await inParallel(wanted, async ({ dn, key }) => {
      const entry = await readEntry(session, dn, listing.filter, asked);
      // Another entry may have this DN by now.
      if (entry && keyOf(entry, anchor) === key) keep(key, entry);
    });
  }
  const missing = wanted.filter(({ key }) => !found.has(key));
  await inParallel(chunksOf(missing, keysPerSearch), async (some) => {
    const named = some.flatMap(({ key }) =>
      anchor.map((attribute) => equals(attribute, valueBytes(attribute, key) ?? Buffer.from(key))),
    );
    const filter = new AndFilter({ filters: [listing.filter, new OrFilter({ filters: named })] });
    // Not paged, because a connection supports one paged search at a time.
    const { entries, result } = await session.search({ ...listing, filter, attributes: asked, limit: some.length });
    if (result.code !== resultCodes.success) throw refusal(result, `reading ${listing.base}`);
    for (const entry of entries) keep(keyOf(entry, anchor) ?? '', entry);
  });
  await inParallel([...found], async ([key, entry]) => {
    bytes -= sizeOf(entry);
    await completeRanges(session, entry);
    keep(key, entry);
  });
  return found;
}

/** Reads an entry by DN; undefined if it no longer exists or does not match the filter. */
export async function readEntry(
  session: LdapSession,
  dn: string,
  filter: Filter,
  attributes: string[],
): Promise<LdapEntry | undefined> {
  const { entries, result } = await session.search({ base: dn, scope: 'base', filter, attributes, limit: 1 });
  if (result.code === resultCodes.noSuchObject) return undefined;
  if (result.code !== resultCodes.success) throw refusal(result, 'reading an entry', dn);
  return entries[0];
}

/** Reads a referenced entry; undefined also if it is on another server or not visible to this account. */
export async function readReferred(
  session: LdapSession,
  dn: string,
  attributes: string[],
): Promise<LdapEntry | undefined> {
  try {
    return await readEntry(session, dn, everything, attributes);
  } catch (error) {
    if (error instanceof LdapRefusal && inaccessible.has(error.result)) return undefined;
    throw error;
  }
}

const everything = new PresenceFilter({ attribute: 'objectClass' });
const inaccessible = new Set<number>([resultCodes.referral, resultCodes.invalidDn, resultCodes.noAccess]);

/** Reads the remaining values of attributes that Active Directory returns in ranges (`member;range=0-1499`). */
export async function completeRanges(session: LdapSession, entry: LdapEntry): Promise<void> {
  for (const [name, values] of [...entry.values]) {
    const [, attribute, end] = /^([^;]+);range=\d+-(\d+|\*)$/.exec(name) ?? [];
    if (attribute === undefined) continue;
    entry.values.delete(name);
    const all = [...values];
    for (let last = end; last !== '*' && last !== undefined; ) {
      const next = `${attribute};range=${Number(last) + 1}-*`;
      const rest = await readEntry(session, entry.dn, everything, [next]);
      const [part] = [...(rest?.values ?? [])].filter(([found]) =>
        found.startsWith(`${attribute};range=${Number(last) + 1}-`),
      );
      all.push(...(part?.[1] ?? []));
      if (all.length > maxValues)
        throw new SourceError(`an entry has more than ${maxValues} values of ${attribute}`, {
          code: 'too_large',
          said: entry.dn,
        });
      last = part && /-(\d+|\*)$/.exec(part[0])?.[1];
    }
    entry.values.set(attribute, all);
  }
}

function sizeOf({ values }: LdapEntry): number {
  let bytes = 0;
  for (const all of values.values()) for (const value of all) bytes += value.length;
  return bytes;
}

export function equals(attribute: string, value: Buffer | string): Filter {
  return new EqualityFilter({ attribute, value });
}

export async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  const workers = Array.from({ length: Math.min(inFlight, items.length) }, async () => {
    for (const item of queue) await work(item);
  });
  await Promise.all(workers);
}

function chunksOf<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}
