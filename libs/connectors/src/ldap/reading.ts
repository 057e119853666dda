import { createHash } from 'node:crypto';
import { ldapMappings, machineAttributeField, type RecordError } from '@idsync/contracts';
import { Control, type Filter } from 'ldapts';
import { z } from 'zod';
import {
  CheckpointExpired,
  type Cursor,
  type FoundRecord,
  type Page,
  type ReadOptions,
  SourceError,
} from '../connector.js';
import { foundIn } from '../find-by-full-read.js';
import type { MappedRecord } from '../map-record.js';
import { both, type Checkpoint, Clock, changedSince, readCheckpoint } from './changes.js';
import { type DirectoryServer, defaultAnchor } from './directory-server.js';
import { type Anchor, nameOfAnchor, textsOf } from './entry-values.js';
import { equals, fetchEntries, inParallel, locateEntries } from './fetch-entries.js';
import { GroupReader } from './group-reader.js';
import type { LdapEntry } from './ldap-messages.js';
import { RecordMaker } from './ldap-record.js';
import type { LdapSession, LdapSettings } from './ldap-session.js';
import { entriesAfter, type Listing, type Located, rolesFingerprint } from './list-entries.js';
import { parseFilter } from './parse-filter.js';

/** The position of a read: after `after` in the list of entries or of deleted entries. */
const ldapCursor = z.object({
  list: z.enum(['entries', 'removed']),
  after: z.string(),
  count: z.int().nonnegative(),
  checkpoint: z.string(),
  /** The domain controller that was read, or `several`. */
  server: z.string(),
});
type Place = z.infer<typeof ldapCursor>;

const servicePrincipalName = 'servicePrincipalName';
const serviceAttributes = [servicePrincipalName, 'objectClass'];
const showDeleted = '1.2.840.113556.1.4.417';

/** A full or incremental read. */
export class Reading {
  private readonly listing: Listing;
  private readonly context: string;
  private readonly anchor: Anchor;
  private readonly maker: RecordMaker;
  private readonly groups: GroupReader;
  private readonly externalId: string;
  private readonly fingerprint: string;
  private readonly since: Checkpoint | undefined;

  constructor(
    private readonly settings: LdapSettings,
    private readonly options: ReadOptions,
    private readonly session: LdapSession,
    private readonly server: DirectoryServer,
  ) {
    const { config, records } = settings;
    this.anchor = config.anchor === undefined ? defaultAnchor(server) : [config.anchor];
    this.externalId = config.external_id ?? nameOfAnchor(this.anchor);
    this.context = server.contextOf(config.base_dn) ?? config.base_dn;
    this.groups = new GroupReader(session, config.groups, {
      activeDirectory: server.kind === 'active_directory',
      base: this.context,
      anchor: defaultAnchor(server),
    });
    const fields = config.fields ?? ldapMappings[server.kind][records].fields;
    const mapping = { kind: records, externalId: this.externalId, fields };
    this.maker = new RecordMaker(mapping, { session, groups: this.groups, now: server.now, anchor: this.anchor });
    // Includes default mappings, so that changed defaults expire the checkpoint.
    const { ca: _, ...effective } = config;
    const parts = [effective, records, fields, ...(server.is389 ? [ldapMappings.ldap[records].filter] : [])];
    this.fingerprint = createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
    this.since = options.since && readCheckpoint(options.since);
    this.listing = listingOf(settings, server);
  }

  async *pages(): AsyncGenerator<Page> {
    const changed = this.since && changedSince(this.since, this.fingerprint, this.server);
    const place = this.options.cursor ? this.resume(this.options.cursor) : await this.start();
    const removals = changed && this.removals(changed);
    if (place.list === 'entries') {
      const listing = changed ? { ...this.listing, filter: both(this.listing.filter, changed) } : this.listing;
      for await (const { located, end, fraction } of this.chunks(listing, place)) {
        const { records, errors } = await this.recordsOf(located, place.count);
        this.step(place, located);
        if (end && removals) Object.assign(place, { list: 'removed', after: '' });
        const last = end && !removals;
        yield {
          records,
          errors,
          cursor: { ...place },
          fraction,
          last,
          ...(last && this.checkpointAt(place)),
        };
      }
    }
    if (!removals) return;
    for await (const { located, end } of this.chunks(removals, place)) {
      this.step(place, located);
      const removed = located.map(({ key }) => key);
      yield { records: [], errors: [], removed, cursor: { ...place }, last: end, ...(end && this.checkpointAt(place)) };
    }
  }

  /** Reads one record as a full read would return it. */
  async one(externalId: string): Promise<FoundRecord> {
    const { anchor, settings } = this;
    const { external_id: configured } = settings.config;
    const named = { anchor, attribute: configured === undefined ? anchor : [configured], value: externalId };
    const located = await locateEntries(this.session, this.listing, named);
    return foundIn(await this.recordsOf(located, 0), externalId);
  }

  /** Determines the checkpoint before the read, so that changes during the read are read twice instead of missed. */
  private async start(): Promise<Place> {
    const groups = this.maker.readsGroups ? await this.groups.fingerprint() : undefined;
    if (this.since && this.since.groups !== groups) throw new CheckpointExpired('groups have changed');
    const roles =
      this.server.is389 && this.maker.readsLocks ? await rolesFingerprint(this.session, this.context) : undefined;
    if (this.since && this.since.roles !== roles) throw new CheckpointExpired('roles have changed');
    const { replica } = this.server;
    const position = replica && { invocation: replica.invocationId, usn: String(replica.highestUsn) };
    const checkpoint: Checkpoint = { config: this.fingerprint, groups, roles, ...position };
    return { list: 'entries', after: '', count: 0, checkpoint: JSON.stringify(checkpoint), server: this.serverId };
  }

  private resume(cursor: Cursor): Place {
    const parsed = ldapCursor.safeParse(cursor);
    if (!parsed.success) throw new SourceError('the cursor is not a position in a directory', 'changed');
    const place = parsed.data;
    return place.server === this.serverId ? place : { ...place, server: 'several' };
  }

  private get serverId(): string {
    return this.server.replica?.invocationId ?? '';
  }

  private async *chunks(
    listing: Listing,
    place: Place,
  ): AsyncGenerator<{ located: Located[]; end: boolean; fraction?: number }> {
    const { pageSize } = this.options;
    for (let more = true; more; ) {
      const clock = new Clock();
      // Only the first listing of a read determines the checkpoint.
      const first = place.count === 0 && place.list === 'entries' && this.server.kind === 'ldap';
      const listed = await entriesAfter(this.session, listing, {
        anchor: this.anchor,
        after: place.after,
        keep: this.settings.limits?.keep,
        onEntry: first ? (entry) => clock.record(entry) : undefined,
      });
      if (first) this.recordTime(place, clock);
      more = listed.more;
      const total = place.count + listed.found.length;
      if (total === 0 && !this.since) {
        throw new SourceError(
          `no entry below ${listing.base} matches the filter, or this account may not see any`,
          'incomplete',
        );
      }
      for (let at = 0; at < listed.found.length || (at === 0 && !more); at += pageSize) {
        const located = listed.found.slice(at, at + pageSize);
        const end = !more && at + pageSize >= listed.found.length;
        const fraction = more || total === 0 ? undefined : (place.count + located.length) / total;
        yield { located, end, fraction };
      }
    }
  }

  private recordTime(place: Place, clock: Clock): void {
    const changed = clock.checkpoint(this.settings.config.overlap_seconds, this.since?.changed);
    place.checkpoint = JSON.stringify({ ...JSON.parse(place.checkpoint), changed });
  }

  private step(place: Place, located: readonly Located[]): void {
    place.after = located.at(-1)?.key ?? place.after;
    place.count += located.length;
  }

  private async recordsOf(located: readonly Located[], count: number): Promise<Pick<Page, 'records' | 'errors'>> {
    const { listing, anchor } = this;
    const attributes = [...this.maker.attributes, ...(this.seesServices ? serviceAttributes : [])];
    // Only objectGUID is certainly indexed.
    const byAnchor = nameOfAnchor(anchor).toLowerCase() === 'objectguid';
    const found = await fetchEntries(this.session, { listing, anchor, attributes, byAnchor }, located);
    const page: Pick<Page, 'records' | 'errors'> = { records: [], errors: [] };
    const made = await inParallel([...found], async ([key, entry]) => {
      return [key, this.marked(await this.maker.record(entry), entry)] as const;
    });
    const byKey = new Map(made);
    for (const [index, { key, dn }] of located.entries()) {
      const mapped = byKey.get(key);
      if (!mapped) continue;
      if ('record' in mapped) page.records.push(mapped.record);
      else page.errors.push(recordError(count + index + 1, dn, mapped.error));
    }
    return page;
  }

  /** Marks the login of a service, unless a configured filter decides which entries are read. */
  private marked(mapped: MappedRecord, entry: LdapEntry): MappedRecord {
    if (!('record' in mapped) || !this.seesServices || !isServiceLogin(entry)) return mapped;
    const { record } = mapped;
    const attribute = this.settings.records !== 'machine_identity' && {
      [machineAttributeField]: [servicePrincipalName],
    };
    return { record: { ...record, fields: { ...record.fields, ...attribute }, looksLikeMachine: true } };
  }

  private get seesServices(): boolean {
    return this.server.kind === 'active_directory' && this.settings.config.filter === undefined;
  }

  /** Lists tombstones. They identify deleted records only by attributes that they retain, such as objectGUID. */
  private removals(changed: Filter): Listing | undefined {
    const { config } = this.settings;
    const base = this.server.contextOf(config.base_dn);
    const named = [this.externalId, nameOfAnchor(this.anchor)].every((name) => name.toLowerCase() === 'objectguid');
    if (!config.deleted_objects || this.server.kind !== 'active_directory' || !named || base === undefined)
      return undefined;
    const filter = both(equals('isDeleted', 'TRUE'), equals('objectClass', 'user'), changed);
    return { base, scope: 'sub', filter, controls: [new Control(showDeleted, { critical: true })] };
  }

  /** Returns the checkpoint if a single server was read, because another one may lag behind it. */
  private checkpointAt(place: Place): { checkpoint?: Cursor } {
    const checkpoint: Cursor = JSON.parse(place.checkpoint);
    const known = this.server.kind === 'ldap' ? checkpoint.changed : checkpoint.usn;
    return known === undefined || place.server !== this.serverId ? {} : { checkpoint };
  }
}

/** True for a person with a service principal name. Managed service accounts are computers. */
function isServiceLogin(entry: LdapEntry): boolean {
  const classes = textsOf(entry, 'objectClass') ?? [];
  return (textsOf(entry, servicePrincipalName) ?? []).length > 0 && !classes.includes('computer');
}

/** Adds the DN to a record error, because a position is not useful in a directory. */
function recordError(line: number, dn: string, error: RecordError): RecordError {
  return { line, ...error, said: error.said === undefined ? dn : `${dn}: ${error.said}` };
}

export function listingOf({ config, records }: LdapSettings, { kind }: DirectoryServer): Listing {
  const filter = parseFilter(config.filter ?? ldapMappings[kind][records].filter);
  return { base: config.base_dn, scope: config.scope === 'subtree' ? 'sub' : 'one', filter };
}
