import { AndFilter, type Filter, OrFilter } from 'ldapts';
import { firstText, textsOf } from './entry-values.js';
import { completeRanges, equals, readReferred } from './fetch-entries.js';
import { fingerprintOf } from './fingerprint.js';
import { refusal, resultCodes } from './ldap-errors.js';
import type { LdapEntry } from './ldap-messages.js';
import type { LdapSession } from './ldap-session.js';
import type { Listing } from './list-entries.js';
import { parseFilter } from './parse-filter.js';

export interface GroupSettings {
  nested: boolean;
  named_by: 'name' | 'dn';
  base_dn?: string | undefined;
  filter?: string | undefined;
}

const anyGroup =
  '(|(objectClass=group)(objectClass=groupOfNames)(objectClass=groupOfUniqueNames)(objectClass=posixGroup))';
/** Number of groups whose parent groups are cached. */
const maxCachedGroups = 10_000;
/** Maximum number of groups that a search for one entry returns. */
const maxGroups = 10_000;

/** Reads the groups of entries: from `memberOf` in Active Directory, and by a search elsewhere. */
export class GroupReader {
  private readonly parents = new Map<string, Promise<string[]>>();
  private readonly listing: Listing;
  private readonly byMemberOf: boolean;

  constructor(
    private readonly session: LdapSession,
    private readonly settings: GroupSettings,
    { activeDirectory, base }: { activeDirectory: boolean; base: string },
  ) {
    this.byMemberOf = activeDirectory && settings.base_dn === undefined && settings.filter === undefined;
    const wanted = settings.filter ?? (activeDirectory ? '(objectClass=group)' : anyGroup);
    this.listing = { base: settings.base_dn ?? base, scope: 'sub', filter: parseFilter(wanted, 'groups.filter') };
  }

  /** The attributes that have to be read of an entry. */
  get attributes(): string[] {
    return this.byMemberOf ? ['memberOf'] : ['uid'];
  }

  async groupsOf(entry: LdapEntry): Promise<string[]> {
    const direct = this.byMemberOf ? textsOf(entry, 'memberOf') : await this.search(entry.dn, firstText(entry, 'uid'));
    const found = new Set(direct);
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

  private parentsOf(dn: string): Promise<string[]> {
    const key = dn.toLowerCase();
    const known = this.parents.get(key);
    if (known !== undefined) return known;
    const [oldest] = this.parents.keys();
    if (this.parents.size >= maxCachedGroups && oldest !== undefined) this.parents.delete(oldest);
    const found = this.byMemberOf ? this.readParents(dn) : this.search(dn, undefined);
    this.parents.set(key, found);
    return found;
  }

  private async readParents(dn: string): Promise<string[]> {
    const group = await readReferred(this.session, dn, ['memberOf']);
    if (!group) return [];
    await completeRanges(this.session, group);
    return textsOf(group, 'memberOf') ?? [];
  }

  private async search(dn: string, uid: string | undefined): Promise<string[]> {
    const member: Filter[] = [equals('member', dn), equals('uniqueMember', dn)];
    if (uid !== undefined) member.push(equals('memberUid', uid));
    const filter = new AndFilter({ filters: [this.listing.filter, new OrFilter({ filters: member })] });
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

/** Returns the value of the first RDN of a DN: `Sales, North` of `CN=Sales\, North,OU=Groups,DC=example`. */
export function nameOf(dn: string): string {
  const value = /^[^=]+=((?:\\.|[^\\,+])*)/s.exec(dn)?.[1]?.trim() ?? dn;
  const bytes: Buffer[] = [];
  for (const [, hex, escaped, plain] of value.matchAll(/\\([0-9a-f]{2})|\\(.)|([^\\]+)/gis)) {
    bytes.push(hex === undefined ? Buffer.from(escaped ?? plain ?? '') : Buffer.from(hex, 'hex'));
  }
  return Buffer.concat(bytes).toString('utf8');
}
