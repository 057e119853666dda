import { AndFilter, type Filter, NotFilter, OrFilter } from 'ldapts';
import { SourceError } from '../connector.js';
import { firstText, valueBytes } from './entry-values.js';
import { equals, readEntry } from './fetch-entries.js';
import { refusal, resultCodes } from './ldap-errors.js';
import type { LdapSession } from './ldap-session.js';
import { type Listing, type Located, listEntries } from './list-entries.js';

/** Entries that one value of an attribute may name; it should name one. */
const mostNamed = 100;

/**
 * The entries of a listing whose `attribute` has this value, in the order of their anchors. None only where the server understands
 * the question and tells of other entries: a filter that it cannot evaluate matches nothing, and is no error.
 */
export async function locateEntries(
  session: LdapSession,
  listing: Listing,
  { anchor, attribute, value }: { anchor: string; attribute: string; value: string },
): Promise<Located[]> {
  const named = attribute === 'dn' ? await byName(session, listing, anchor, value) : equality(attribute, value);
  if (!named) {
    await requireSomebody(session, listing, attribute);
    return [];
  }
  const filter = new AndFilter({ filters: [listing.filter, named] });
  const { entries, result } = await session.search({ ...listing, filter, attributes: [anchor], limit: mostNamed });
  if (result.code !== resultCodes.success) throw refusal(result, `reading ${listing.base}`);
  if (entries.length === 0) {
    // An entry has a value or has it not; of one that the server cannot compare, neither is true.
    const either = new OrFilter({ filters: [named, new NotFilter({ filter: named })] });
    await requireSomebody(
      session,
      { ...listing, filter: new AndFilter({ filters: [listing.filter, either] }) },
      attribute,
    );
  }
  return entries
    .map((entry) => {
      const key = firstText(entry, anchor);
      if (key === undefined) throw new SourceError(`${entry.dn} has no ${anchor} that this account can read`);
      return { key, dn: entry.dn };
    })
    .sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** A name is no attribute: who has it is asked for by its anchor then, where the listing looks. */
async function byName(session: LdapSession, listing: Listing, anchor: string, dn: string): Promise<Filter | undefined> {
  const entry = await readEntry(session, dn, listing.filter, [anchor]);
  if (!entry) return undefined;
  const key = firstText(entry, anchor);
  if (key === undefined) throw new SourceError(`${entry.dn} has no ${anchor} that this account can read`);
  return equality(anchor, key);
}

function equality(attribute: string, value: string): Filter | undefined {
  const bytes = valueBytes(attribute, value);
  return bytes && equals(attribute, bytes);
}

/** Who may see nobody cannot tell who is gone. */
async function requireSomebody(session: LdapSession, listing: Listing, attribute: string): Promise<void> {
  for await (const entries of listEntries(session, listing, ['1.1'], 1)) {
    if (entries.length > 0) return;
  }
  throw new SourceError(
    `no entry below ${listing.base} can be compared by ${attribute}: the directory cannot look it up, or this account may see none`,
  );
}
