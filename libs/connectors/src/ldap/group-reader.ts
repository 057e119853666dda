import type { LdapConfig, Membership } from '@idsync/contracts';
import { AndFilter, type Filter, OrFilter } from 'ldapts';
import { mapConcurrently } from '../answer-of.js';
import { namesOf, type Values } from '../map-record.js';
import { type Anchor, firstText, keyOf, textsOf } from './entry-values.js';
import { completeRanges, equals, readReferred } from './fetch-entries.js';
import { refusal, resultCodes } from './ldap-errors.js';
import type { LdapEntry } from './ldap-messages.js';
import type { LdapSession } from './ldap-session.js';
import type { Listing } from './list-entries.js';
import { fingerprintOf } from './list-entries.js';
import { parseFilter } from './parse-filter.js';

const anyGroup =
  '(|(objectClass=group)(objectClass=groupOfNames)(objectClass=groupOfUniqueNames)(objectClass=posixGroup))';
/** Number of groups whose parents are cached by DN, or primary groups by SID. */
const maxCachedParents = 10_000;
/** Number of cached keys by DN. They are short, and a lost one is read again for each membership. */
const maxCachedKeys = 200_000;
/** Maximum number of groups that a search for one entry returns. */
const maxGroups = 10_000;
/** Concurrent reads of groups. */
const atOnce = 16;

/**
 * Reads the groups of entries: from `memberOf` in Active Directory, and by a search elsewhere. Neither contains the
 * primary group of Active Directory, which is searched by its SID.
 */
export class GroupReader {
  private readonly parents = new Map<string, Promise<string[]>>();
  private readonly keys = new Map<string, Promise<string | undefined>>();
  private readonly listing: Listing;
  private readonly byMemberOf: boolean;
  private readonly anchor: Anchor;

  constructor(
    private readonly session: LdapSession,
    private readonly settings: LdapConfig['groups'],
    { activeDirectory, base, anchor }: { activeDirectory: boolean; base: string; anchor: Anchor },
  ) {
    this.anchor = anchor;
    this.byMemberOf = activeDirectory && settings.base_dn === undefined && settings.filter === undefined;
    const wanted = settings.filter ?? (activeDirectory ? '(objectClass=group)' : anyGroup);
    this.listing = { base: settings.base_dn ?? base, scope: 'sub', filter: parseFilter(wanted, 'groups.filter') };
  }

  /** The attributes that have to be read of an entry. */
  get attributes(): string[] {
    return [this.byMemberOf ? 'memberOf' : 'uid', 'primaryGroupID', 'objectSid'];
  }

  async groupsOf(entry: LdapEntry): Promise<Values> {
    const listed = await this.listedGroups(entry);
    if (listed.every(({ id }) => id !== undefined)) return namesOf(listed.map(withKey));
    // A group that does not exist was renamed since the entry was read, or is not visible to this account.
    const present = await readReferred(this.session, entry.dn, this.attributes);
    if (!present) return listed.map(({ name }) => name).sort();
    await completeRanges(this.session, present);
    const still = await this.listedGroups(present);
    for (const { id, dn } of still) if (id === undefined) this.keys.set(dn.toLowerCase(), Promise.resolve(dn));
    return namesOf(still.map(withKey));
  }

  private async listedGroups(entry: LdapEntry): Promise<ListedGroup[]> {
    const found = new Set(await this.directGroupsOf(entry));
    // Iterating a set includes values added meanwhile, and a cycle of groups adds nothing.
    if (this.settings.nested) for (const dn of found) for (const parent of await this.parentsOf(dn)) found.add(parent);
    const { named_by } = this.settings;
    return mapConcurrently([...found], atOnce, async (dn) => ({
      dn,
      id: await this.permanentKey(dn),
      name: named_by === 'dn' ? dn : nameOf(dn),
    }));
  }

  /** Returns the permanent key of a group, or its DN if it has none; undefined if the group is not found. */
  private permanentKey(dn: string): Promise<string | undefined> {
    return this.cachedKey(dn, async () => {
      const group = await readReferred(this.session, dn, [...this.anchor]);
      return group && (keyOf(group, this.anchor) ?? dn);
    });
  }

  private cachedKey(dn: string, read: () => Promise<string | undefined>): Promise<string | undefined> {
    return cached(this.keys, dn.toLowerCase(), read, maxCachedKeys);
  }

  /**
   * Returns a fingerprint of all groups. Changed memberships and groups change it, but no entry of a member.
   * Directories do not report which groups changed, so an incremental read can only detect that some did.
   */
  fingerprint(): Promise<string> {
    return fingerprintOf(this.session, this.listing);
  }

  private async directGroupsOf(entry: LdapEntry): Promise<string[]> {
    const sid = primaryGroupSid(entry);
    const primary = sid ? [equals('objectSid', sid)] : [];
    if (!this.byMemberOf) return this.search([...membership(entry.dn, firstText(entry, 'uid')), ...primary], entry.dn);
    const groups = textsOf(entry, 'memberOf') ?? [];
    if (!sid) return groups;
    const read = () => this.search(primary, entry.dn);
    return [...groups, ...(await cached(this.parents, sid.toString('hex'), read))];
  }

  private parentsOf(dn: string): Promise<string[]> {
    return cached(this.parents, dn.toLowerCase(), () =>
      this.byMemberOf ? this.readParents(dn) : this.search(membership(dn, undefined), dn),
    );
  }

  private async readParents(dn: string): Promise<string[]> {
    const group = await readReferred(this.session, dn, ['memberOf']);
    if (!group) return [];
    await completeRanges(this.session, group);
    return textsOf(group, 'memberOf') ?? [];
  }

  private async search(alternatives: Filter[], dn: string): Promise<string[]> {
    const filter = new AndFilter({ filters: [this.listing.filter, new OrFilter({ filters: alternatives })] });
    const { entries, result } = await this.session.search({
      ...this.listing,
      filter,
      attributes: [...this.anchor],
      limit: maxGroups,
    });
    if (result.code !== resultCodes.success) throw refusal(result, 'searching the groups of an entry', dn);
    return entries.map((group) => {
      const key = keyOf(group, this.anchor);
      if (key !== undefined) void this.cachedKey(group.dn, async () => key);
      return group.dn;
    });
  }
}

interface ListedGroup {
  dn: string;
  /** Absent if the group is not found. */
  id: string | undefined;
  name: string;
}

/** The DN stands in for the key of a group that is not visible. */
function withKey({ dn, id = dn, name }: ListedGroup): Membership {
  return { id, name };
}

function cached<Value>(
  cache: Map<string, Promise<Value>>,
  key: string,
  read: () => Promise<Value>,
  most = maxCachedParents,
): Promise<Value> {
  const known = cache.get(key);
  if (known !== undefined) return known;
  const [oldest] = cache.keys();
  if (cache.size >= most && oldest !== undefined) cache.delete(oldest);
  const found = read();
  cache.set(key, found);
  return found;
}

function membership(dn: string, uid: string | undefined): Filter[] {
  const filters = [equals('member', dn), equals('uniqueMember', dn)];
  return uid === undefined ? filters : [...filters, equals('memberUid', uid)];
}

/** Returns the SID of the primary group: that of the entry, which is in the same domain, with another relative id. */
function primaryGroupSid(entry: LdapEntry): Buffer | undefined {
  const own = entry.values.get('objectsid')?.[0];
  const id = firstText(entry, 'primaryGroupID') ?? '';
  if (!own || own.length < 12 || !/^\d{1,9}$/.test(id)) return undefined;
  const sid = Buffer.from(own);
  sid.writeUInt32LE(Number(id), sid.length - 4);
  return sid;
}

/** Returns the value of the first RDN of a DN: `Sales, North` of `CN=Sales\, North,OU=Groups,DC=example`. */
export function nameOf(dn: string): string {
  const value = /^[^=]+=((?:\\.|[^\\,+])*)/s.exec(dn)?.[1]?.trim() ?? dn;
  const bytes: Buffer[] = [];
  for (const [, hex, escaped, plain] of value.matchAll(/\\([0-9a-f]{2})|\\(.)|([^\\]+)/gis)) {
    bytes.push(hex === undefined ? Buffer.from(escaped ?? plain ?? '') : Buffer.from(hex, 'hex'));
  }
  return Buffer.concat(bytes).toString('utf8');
}
