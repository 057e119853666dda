import { type Control, type Filter, PagedResultsControl } from 'ldapts';
import { SourceError } from '../connector.js';
import { firstText } from './entry-values.js';
import { refusal, resultCodes } from './ldap-errors.js';
import type { LdapEntry } from './ldap-messages.js';
import type { LdapSession } from './ldap-session.js';

export interface Listing {
  base: string;
  scope: 'one' | 'sub';
  filter: Filter;
  controls?: Control[];
}

/** What a listing keeps of an entry: its anchor, by which it is ordered, and where it was. */
export interface Located {
  key: string;
  dn: string;
}

/** What servers give in one page at the most; Active Directory no more than this. */
const serverPage = 1_000;
/** Anchors kept in memory: some 30 MB. A larger directory is listed more than once. */
const keptKeys = 100_000;
/** In a row, before it is a circle. */
const maxEmptyPages = 1_000;

/** Every entry of a listing (RFC 2696). It ends where the server says that there is no more, and nowhere else. */
export async function* listEntries(
  session: LdapSession,
  listing: Listing,
  attributes: string[],
  size = serverPage,
): AsyncGenerator<LdapEntry[]> {
  let cookie: Buffer | undefined;
  let empty = 0;
  do {
    // Critical: a server that cannot do it has to say so, instead of sending all or some.
    const paging = new PagedResultsControl({ critical: true, value: { size, ...(cookie && { cookie }) } });
    const controls = [paging, ...(listing.controls ?? [])];
    const answer = await session.search({ ...listing, attributes, limit: size, controls });
    if (answer.result.code !== resultCodes.success)
      throw refusal(answer.result, `reading ${listing.base || 'the root'}`);
    if (!answer.result.cookie)
      throw new SourceError(`reading ${listing.base}: the directory does not say whether there is more`);
    empty = answer.entries.length === 0 ? empty + 1 : 0;
    if (empty > maxEmptyPages)
      throw new SourceError(`reading ${listing.base}: the directory sends one empty page after another`);
    yield answer.entries;
    // An empty page is no end: Active Directory sends some where it has looked for long.
    cookie = answer.result.cookie;
  } while (cookie.length > 0);
}

/**
 * The entries behind `after` in the order of their anchors, as many as are kept in memory, and whether there are more. The order is
 * ours, so that it is the same at every replica and after every interruption: a server's own pages end with its connection.
 */
export async function entriesAfter(
  session: LdapSession,
  listing: Listing,
  {
    anchor,
    after,
    keep = keptKeys,
    see,
  }: { anchor: string; after: string; keep?: number; see?: (entry: LdapEntry) => void },
): Promise<{ found: Located[]; more: boolean }> {
  let found: Located[] = [];
  let more = false;
  const shorten = () => {
    found.sort((a, b) => (a.key < b.key ? -1 : 1));
    const twice = found.find((entry, index) => entry.key === found[index + 1]?.key);
    if (twice) throw new SourceError(`${anchor} cannot be the anchor: several entries have the value ${twice.key}`);
    more ||= found.length > keep;
    found = found.slice(0, keep);
  };
  for await (const entries of listEntries(session, listing, see ? [anchor, ...stampAttributes] : [anchor])) {
    for (const entry of entries) {
      const key = firstText(entry, anchor);
      if (key === undefined) throw new SourceError(`${entry.dn} has no ${anchor} that this account can read`);
      see?.(entry);
      if (key > after) found.push({ key, dn: entry.dn });
    }
    if (found.length >= 2 * keep) shorten();
  }
  shorten();
  return { found, more };
}

/** What tells that an entry has changed. */
export const stampAttributes = ['modifyTimestamp', 'entryCSN', 'uSNChanged'];
