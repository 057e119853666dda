import { comparedText, isSecretLdapAttribute } from '@idsync/contracts';
import { type MappedRecord, type Mapping, mapRecord } from '../map-record.js';
import { sourceNames } from '../transform.js';
import { stateAttributes, statusOf } from './account-state.js';
import { type Anchor, firstText, keyOf, nameOfAnchor, textsOf } from './entry-values.js';
import { readReferred } from './fetch-entries.js';
import type { GroupReader } from './group-reader.js';
import type { LdapEntry } from './ldap-messages.js';
import type { LdapSession } from './ldap-session.js';

const ownerAttributes = ['managedBy', 'owner', 'manager'];
/** Attributes that identify the owner, in order of reliability. */
const ownerNames = ['userPrincipalName', 'mail', 'employeeNumber', 'employeeID'];

/** Maps entries to records. */
export class RecordMaker {
  private readonly names: string[];
  /** The attributes that have to be read of each entry. */
  readonly attributes: string[];
  readonly readsGroups: boolean;
  readonly readsLocks: boolean;

  constructor(
    private readonly mapping: Mapping,
    private readonly context: { session: LdapSession; groups: GroupReader; now: Date; anchor: Anchor },
  ) {
    this.names = sourceNames({ external_id: mapping.externalId, fields: mapping.fields }).map((name) => name.trim());
    this.readsGroups = this.names.some((name) => /^(@groups|memberof)$/i.test(name));
    this.readsLocks = this.names.some((name) => /^(@status|nsaccountlock)$/i.test(name));
    this.attributes = [
      ...new Set(this.names.flatMap((name) => this.attributesFor(name)).filter((name) => !isSecretLdapAttribute(name))),
    ];
  }

  async record(entry: LdapEntry): Promise<MappedRecord> {
    const values = new Map<string, readonly string[]>();
    for (const name of this.names) {
      const texts = await this.valuesOf(name, entry);
      if (!texts) return { error: { ...(await this.idOf(entry)), message: `${name} is not text` } };
      values.set(name, texts);
    }
    return mapRecord(this.mapping, (name) => values.get(name.trim()) ?? []);
  }

  private async idOf(entry: LdapEntry): Promise<{ external_id?: string }> {
    const [id] = (await this.valuesOf(this.mapping.externalId, entry)) ?? [];
    return id ? { external_id: comparedText(id) } : {};
  }

  private attributesFor(name: string): string[] {
    if (name === 'dn') return [];
    if (name === '@status') return stateAttributes;
    if (name === '@groups') return this.context.groups.attributes;
    if (name === '@owner') return ownerAttributes;
    if (name === nameOfAnchor(this.context.anchor)) return [...this.context.anchor];
    return [name];
  }

  private async valuesOf(name: string, entry: LdapEntry): Promise<readonly string[] | undefined> {
    if (name === 'dn') return [entry.dn];
    if (name === '@groups') return this.context.groups.groupsOf(entry);
    if (name === '@owner') return this.ownerOf(entry);
    if (name === '@status') {
      return [statusOf(this.mapping.kind, (attribute) => firstText(entry, attribute), this.context.now)];
    }
    const { anchor } = this.context;
    if (anchor.length > 1 && name === nameOfAnchor(anchor)) return [keyOf(entry, anchor) ?? ''];
    return textsOf(entry, name);
  }

  /** Returns the owner of an entry by an identifying attribute, or by DN. */
  private async ownerOf(entry: LdapEntry): Promise<string[]> {
    const [dn] = ownerAttributes.flatMap((attribute) => textsOf(entry, attribute) ?? []);
    if (dn === undefined) return [];
    const owner = await readReferred(this.context.session, dn, ownerNames);
    const [name] = owner ? ownerNames.flatMap((attribute) => textsOf(owner, attribute) ?? []) : [];
    return [name ?? dn];
  }
}
