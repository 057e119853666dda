import { AndFilter, EqualityFilter, type Filter, OrFilter, PresenceFilter } from 'ldapts';
import { SourceError } from '../connector.js';
import { firstText, valueBytes } from './entry-values.js';
import { LdapRefusal, refusal, resultCodes } from './ldap-errors.js';
import type { LdapEntry } from './ldap-messages.js';
import type { LdapSession } from './ldap-session.js';
import type { Listing, Located } from './list-entries.js';

/** Questions that are on their way at once. */
const inFlight = 16;
/** Anchors that one filter names. */
const keysPerSearch = 50;
/** Of one attribute: a few hundred bytes each. */
const maxValues = 100_000;
/** Of the entries of one page, together. */
const maxPageBytes = 128 * 1024 * 1024;

export interface Fetching {
  listing: Listing;
  anchor: string;
  attributes: string[];
  /** The anchor is indexed for certain: many are asked for at once. Otherwise each entry is read by its name, as any server can. */
  byAnchor: boolean;
}

/** The entries that are still there and still wanted, by anchor. */
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
    if (bytes > maxPageBytes) throw new SourceError('the entries of one page are larger than 128 MiB');
  };
  const asked = [...new Set([anchor, ...attributes])];
  if (!byAnchor) {
    await inParallel(wanted, async ({ dn, key }) => {
      const entry = await readEntry(session, dn, listing.filter, asked);
      // Another entry may have the name by now.
      if (entry && firstText(entry, anchor) === key) keep(key, entry);
    });
  }
  const missing = wanted.filter(({ key }) => !found.has(key));
  await inParallel(chunksOf(missing, keysPerSearch), async (some) => {
    const named = some.map(({ key }) => equals(anchor, valueBytes(anchor, key) ?? Buffer.from(key)));
    const filter = new AndFilter({ filters: [listing.filter, new OrFilter({ filters: named })] });
    // Not in pages: a connection can be in one search by pages at a time.
    const { entries, result } = await session.search({ ...listing, filter, attributes: asked, limit: some.length });
    if (result.code !== resultCodes.success) throw refusal(result, `reading ${listing.base}`);
    for (const entry of entries) keep(firstText(entry, anchor) ?? '', entry);
  });
  await inParallel([...found], async ([key, entry]) => {
    bytes -= sizeOf(entry);
    await completeRanges(session, entry);
    keep(key, entry);
  });
  return found;
}

/** An entry by its name; undefined if it is not there any more, or is not what the filter wants. */
export async function readEntry(
  session: LdapSession,
  dn: string,
  filter: Filter,
  attributes: string[],
): Promise<LdapEntry | undefined> {
  const { entries, result } = await session.search({ base: dn, scope: 'base', filter, attributes, limit: 1 });
  if (result.code === resultCodes.noSuchObject) return undefined;
  if (result.code !== resultCodes.success) throw refusal(result, `reading ${dn}`);
  return entries[0];
}

/** What an entry refers to: undefined also if it lies on another server, or is none of this account's business. */
export async function readReferred(
  session: LdapSession,
  dn: string,
  attributes: string[],
): Promise<LdapEntry | undefined> {
  try {
    return await readEntry(session, dn, everything, attributes);
  } catch (error) {
    if (error instanceof LdapRefusal && notForUs.has(error.code)) return undefined;
    throw error;
  }
}

const everything = new PresenceFilter({ attribute: 'objectClass' });
const notForUs = new Set<number>([resultCodes.referral, resultCodes.invalidDn, resultCodes.noAccess]);

/** Reads the rest of attributes of which Active Directory sends only so many values at once (`member;range=0-1499`). */
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
        throw new SourceError(`${entry.dn} has more than ${maxValues} values of ${attribute}`);
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
