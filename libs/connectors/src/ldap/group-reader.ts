import type { LdapConfig } from '@idsync/contracts';
import { AndFilter, type Filter, OrFilter } from 'ldapts';
import { firstText, textsOf } from './entry-values.js';
import { completeRanges, equals, readReferred } from './fetch-entries.js';
import { refusal, resultCodes } from './ldap-errors.js';
import type { LdapEntry } from './ldap-messages.js';
import type { LdapSession } from './ldap-session.js';
import type { Listing } from './list-entries.js';
import { fingerprintOf } from './list-entries.js';
import { parseFilter } from './parse-filter.js';

const anyGroup =
  '(|(objectClass=group)(objectClass=groupOfNames)(objectClass=groupOfUniqueNames)(objectClass=posixGroup))';
/** Number of groups that are cached: parents by DN, and primary groups by SID. */
const maxCachedGroups = 10_000;
/** Maximum number of groups that a search for one entry returns. */
const maxGroups = 10_000;

/**
 * Reads the groups of entries: from `memberOf` in Active Directory, and by a search elsewhere. Neither contains the
 * primary group of Active Directory, which is searched by its SID.
 */
export class GroupReader {
  private readonly groups = new Map<string, Promise<string[]>>();
  private readonly listing: Listing;
  private readonly byMemberOf: boolean;

  constructor(
    private readonly session: LdapSession,
    private readonly settings: LdapConfig['groups'],
    { activeDirectory, base }: { activeDirectory: boolean; base: string },
  ) {
    this.byMemberOf = activeDirectory && settings.base_dn === undefined && settings.filter === undefined;
    const wanted = settings.filter ?? (activeDirectory ? '(objectClass=group)' : anyGroup);
    this.listing = { base: settings.base_dn ?? base, scope: 'sub', filter: parseFilter(wanted, 'groups.filter') };
  }

  /** The attributes that have to be read of an entry. */
  get attributes(): string[] {
    return [this.byMemberOf ? 'memberOf' : 'uid', 'primaryGroupID', 'objectSid'];
  }

  async groupsOf(entry: LdapEntry): Promise<string[]> {
    const found = new Set(await this.directGroupsOf(entry));
    // Iterating a set includes values added meanwhile, and a cycle of groups adds nothing.
    if (this.settings.nested) for (const dn of found) for (const parent of await this.parentsOf(dn)) found.add(parent);
    const names = this.settings.named_by === 'dn' ? [...found] : [...found].map(nameOf);
    return [...new Set(names)].sort();
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
    return [...groups, ...(await this.cached(sid.toString('hex'), () => this.search(primary, entry.dn)))];
  }

  private parentsOf(dn: string): Promise<string[]> {
    return this.cached(dn.toLowerCase(), () =>
      this.byMemberOf ? this.readParents(dn) : this.search(membership(dn, undefined), dn),
    );
  }

  private cached(key: string, read: () => Promise<string[]>): Promise<string[]> {
    const known = this.groups.get(key);
    if (known !== undefined) return known;
    const [oldest] = this.groups.keys();
    if (this.groups.size >= maxCachedGroups && oldest !== undefined) this.groups.delete(oldest);
    const found = read();
    this.groups.set(key, found);
    return found;
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
      attributes: ['1.1'],
      limit: maxGroups,
    });
    if (result.code !== resultCodes.success) throw refusal(result, 'searching the groups of an entry', dn);
    return entries.map((group) => group.dn);
  }
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
