import { AndFilter, type Filter, NotFilter, OrFilter, PresenceFilter } from 'ldapts';
import { SourceError } from '../connector.js';
import { type Anchor, keyOf, nameOfAnchor, valueBytes } from './entry-values.js';
import { equals, readEntry } from './fetch-entries.js';
import { refusal, resultCodes, withoutAnchor } from './ldap-errors.js';
import type { LdapSession } from './ldap-session.js';
import { type Listing, type Located, listEntries } from './list-entries.js';

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
    const either =
      attribute.length > 1
        ? new OrFilter({ filters: attribute.map((one) => new PresenceFilter({ attribute: one })) })
        : new OrFilter({ filters: [named, new NotFilter({ filter: named })] });
    await requireComparableEntry(
      session,
      { ...listing, filter: new AndFilter({ filters: [listing.filter, either] }) },
      name,
    );
  }
  return entries
    .map((entry) => {
      const key = keyOf(entry, anchor);
      if (key === undefined) throw withoutAnchor(entry, anchor);
      return { key, dn: entry.dn };
    })
    .sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** Returns a filter for the entry with this DN by its anchor, because a DN is not an attribute. */
async function byName(session: LdapSession, listing: Listing, anchor: Anchor, dn: string): Promise<Filter | undefined> {
  const entry = await readEntry(session, dn, listing.filter, [...anchor]);
  if (!entry) return undefined;
  const key = keyOf(entry, anchor);
  if (key === undefined) throw withoutAnchor(entry, anchor);
  return equality(anchor, key);
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
