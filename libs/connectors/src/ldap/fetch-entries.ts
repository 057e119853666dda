import { AndFilter, EqualityFilter, type Filter, NotFilter, OrFilter, PresenceFilter } from 'ldapts';
import { mapConcurrently } from '../answer-of.js';
import { SourceError } from '../connector.js';
import { type Anchor, keyOf, nameOfAnchor, valueBytes } from './entry-values.js';
import { LdapRefusal, refusal, requireKey, resultCodes } from './ldap-errors.js';
import type { LdapEntry } from './ldap-messages.js';
import type { LdapSession } from './ldap-session.js';
import { type Listing, type Located, listEntries } from './list-entries.js';

/** Number of concurrent requests. */
const inFlight = 16;
/** Number of anchors in one filter. */
const keysPerSearch = 50;
/** Maximum values of one attribute, of a few hundred bytes each. */
const maxValues = 100_000;
/** Maximum size of all entries of one page. */
const maxPageBytes = 128 * 1024 * 1024;

interface Fetching {
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

export function inParallel<T, Result>(items: readonly T[], work: (item: T) => Promise<Result>): Promise<Result[]> {
  return mapConcurrently(items, inFlight, work);
}

function chunksOf<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

/** Maximum number of entries with the same value; normally one. */
const maxMatches = 100;

/**
 * Finds the entries of a listing whose `attribute` has this value, in anchor order. An empty result is trusted only if
 * the server can evaluate the filter for other entries, because a filter that it cannot evaluate matches nothing
 * without an error.
 */
export async function locateEntries(
  session: LdapSession,
  listing: Listing,
  { anchor, attribute, value }: { anchor: Anchor; attribute: Anchor; value: string },
): Promise<Located[]> {
  const name = nameOfAnchor(attribute);
  const named = name === 'dn' ? await byName(session, listing, anchor, value) : equality(attribute, value);
  if (!named) {
    await requireComparableEntry(session, listing, name);
    return [];
  }
  const filter = new AndFilter({ filters: [listing.filter, named] });
  const { entries, result } = await session.search({ ...listing, filter, attributes: [...anchor], limit: maxMatches });
  if (result.code !== resultCodes.success) throw refusal(result, `reading ${listing.base}`);
  if (entries.length === 0) {
    // A comparable entry matches either the filter or its negation; one that the server cannot compare matches neither.
    // With several attributes, no single one of them can be compared in each entry.
    const filters =
      attribute.length > 1
        ? attribute.map((one) => new PresenceFilter({ attribute: one }))
        : [named, new NotFilter({ filter: named })];
    const either = new AndFilter({ filters: [listing.filter, new OrFilter({ filters })] });
    await requireComparableEntry(session, { ...listing, filter: either }, name);
  }
  return entries
    .map((entry) => ({ key: requireKey(entry, anchor), dn: entry.dn }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** Returns a filter for the entry with this DN by its anchor, because a DN is not an attribute. */
async function byName(session: LdapSession, listing: Listing, anchor: Anchor, dn: string): Promise<Filter | undefined> {
  const entry = await readEntry(session, dn, listing.filter, [...anchor]);
  return entry && equality(anchor, requireKey(entry, anchor));
}

function equality(attributes: Anchor, value: string): Filter | undefined {
  const filters = attributes.flatMap((attribute) => {
    const bytes = valueBytes(attribute, value);
    return bytes ? [equals(attribute, bytes)] : [];
  });
  return filters.length > 1 ? new OrFilter({ filters }) : filters[0];
}

/** Throws if no entry matches, because an account that sees no entries cannot detect a deletion. */
async function requireComparableEntry(session: LdapSession, listing: Listing, attribute: string): Promise<void> {
  for await (const entries of listEntries(session, listing, ['1.1'], 1)) {
    if (entries.length > 0) return;
  }
  throw new SourceError(
    `no entry below ${listing.base} can be compared by ${attribute}: the directory cannot evaluate the filter, or this account may not see any entry`,
    'incomplete',
  );
}
