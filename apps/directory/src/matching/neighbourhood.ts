import { newUuid } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import {
  findContestants,
  findContestedKeysOf,
  findMovedFrom,
  findUnfinishedJobs,
  findWaitingRecords,
  type HeldKey,
  lockIdentities,
  lockKeys,
  lockRecordsById,
  lockRecordsOfIdentities,
  type StoredIdentity,
  type StoredRecord,
  type WantedKey,
} from '@idsync/database/directory';
import type { Cause } from '../changes/cause.js';
import type { RecordChange } from '../changes/record-change.js';
import { idsOf } from '../shared/collections.js';
import type { Person } from './cluster.js';
import { activeKeys, formerKeys, isDeleted, keyText, type RecordKey } from './record-keys.js';

/**
 * The locked set of records and identities that a change can affect: holders of the changed records' keys, all records
 * of their identities, also those of the identities before unfinished jobs, and records that contest a key with one of
 * these, deleted users with their former addresses included. Nothing outside the set can change.
 */
export class Neighbourhood {
  /** By record id. In an unchanged entry, `record` and `before` are the same object. */
  readonly changes = new Map<string, RecordChange>();
  readonly identities = new Map<string, StoredIdentity>();
  /** State at the time of locking, by `keyText`. */
  readonly keys = new Map<string, HeldKey>();
  readonly strengths: LinkStrengths;

  /**
   * Ids of records that were loaded only because a machine moves from or to their identity; their people are not
   * matched.
   */
  readonly loadedForMachines = new Set<string>();

  /** Identities whose records were looked up. */
  private readonly complete = new Set<string>();

  /** Ids reserved for new identities, by record id. */
  private readonly expectedIds = new Map<string, string>();

  private constructor(
    private readonly tx: Transaction,
    private readonly cause: Cause,
    changes: readonly RecordChange[],
  ) {
    this.strengths = new LinkStrengths(tx, cause, changes);
  }

  static async around(tx: Transaction, cause: Cause, changes: readonly RecordChange[]): Promise<Neighbourhood> {
    const neighbourhood = new Neighbourhood(tx, cause, changes);
    for (const change of changes) neighbourhood.changes.set(change.record.id, change);
    await neighbourhood.strengths.load(changes.flatMap(({ record, before }) => (before ? [record, before] : record)));
    const identityIds = changes.flatMap(({ record, before }) => [record.identityId, before?.identityId]);
    const keys = changes.flatMap(({ record, before }) => [
      ...neighbourhood.wantedKeysOf(record),
      ...neighbourhood.formerKeysOf(record),
      ...(before ? [...neighbourhood.keysBefore(before), ...neighbourhood.formerKeysBefore(before)] : []),
    ]);
    await neighbourhood.extend(keys, identityIds);
    return neighbourhood;
  }

  /** Returns a record's match keys by the tenant's rules. */
  keysOf(record: StoredRecord): readonly RecordKey[] {
    return activeKeys(record, this.cause.rules);
  }

  /** Returns the addresses that a deleted user has given up. */
  formerKeysOf(record: StoredRecord): RecordKey[] {
    return formerKeys(record, this.cause.rules);
  }

  /** Returns the match keys that a record may have had, also by rules that are not replaced everywhere yet. */
  private keysBefore(record: StoredRecord): RecordKey[] {
    return this.rulesBefore.flatMap((rules) => activeKeys(record, rules));
  }

  /** Returns the addresses that a deleted user may have given up. */
  formerKeysBefore(record: StoredRecord): RecordKey[] {
    return this.rulesBefore.flatMap((rules) => formerKeys(record, rules));
  }

  private get rulesBefore() {
    return [...(this.cause.formerRules ?? []), this.cause.rules];
  }

  /** Returns the identity id reserved for one of these records, else a new id. */
  newIdentityId(recordIds: readonly string[]): string {
    const reservedFor = recordIds.find((id) => this.expectedIds.has(id));
    return (reservedFor !== undefined && this.expectedIds.get(reservedFor)) || newUuid();
  }

  private wantedKeysOf(record: StoredRecord): readonly WantedKey[] {
    const keys = this.keysOf(record);
    if (record.kind !== 'user' || record.identityId !== undefined) return keys;
    const expectedId = newUuid();
    this.expectedIds.set(record.id, expectedId);
    return keys.map((key) => ({ ...key, expectedId }));
  }

  /**
   * Adds the holders of these keys and the records of these identities, then everything connected to them by contested
   * keys.
   */
  async extend(keys: readonly WantedKey[], identityIds: readonly (string | undefined)[]): Promise<void> {
    let wantedKeys: readonly WantedKey[] = keys;
    let wantedIds = identityIds;
    for (;;) {
      const held = await this.lock(wantedKeys);
      // Also for keys with one holder, because deleted users contest them too.
      const contestants = await findContestants(this.tx, held);
      const ids = [...wantedIds, ...held.map((key) => key.identityId), ...contestants];
      const records = await this.bringIn(ids);
      wantedIds = await this.movedByUnfinishedJobs(ids, records);
      wantedKeys = (await findContestedKeysOf(this.tx, idsOf(records))).filter((key) => !this.keys.has(keyText(key)));
      if (wantedKeys.length === 0 && wantedIds.length === 0) return;
    }
  }

  /**
   * Adds accounts and machines that wait for any key of these people, with their current identities. All keys count,
   * because an employee number that is added or removed affects all matches of a person. Returns the ids of the waiting
   * records.
   */
  async addWaiting(): Promise<string[]> {
    // Saves the lookup for tenants that have neither accounts nor machines.
    if ([...this.cause.connectors.values()].every(({ records }) => records === 'user')) return [];
    const users = [...this.changes.values()].filter(({ record }) => record.kind === 'user');
    const had = users.flatMap(({ record, before }) => [
      ...this.keysOf(record),
      ...(before ? this.keysBefore(before) : []),
    ]);
    const keys = new Map([...had, ...this.keys.values()].map((key) => [keyText(key), key]));
    const ids = await findWaitingRecords(this.tx, [...keys.values()]);
    const records = await this.addRecords(ids);
    await this.extend(
      records.flatMap((record) => this.keysOf(record)),
      records.map(({ identityId }) => identityId),
    );
    return ids;
  }

  /** Adds machines, and complete identities from or to which machines move. */
  async addForMachines(machineIds: readonly string[], identityIds: readonly (string | undefined)[]): Promise<void> {
    const here = new Set(this.changes.keys());
    await this.addRecords(machineIds);
    await this.bringIn(identityIds);
    for (const id of this.changes.keys()) if (!here.has(id)) this.loadedForMachines.add(id);
  }

  /** Adds those of these records that are not here, and returns them. */
  private async addRecords(recordIds: readonly string[]): Promise<StoredRecord[]> {
    const missing = recordIds.filter((id) => !this.changes.has(id));
    return this.add(await lockRecordsById(this.tx, missing));
  }

  private async lock(keys: readonly WantedKey[]): Promise<HeldKey[]> {
    const wanted = new Map<string, WantedKey>();
    for (const key of keys) {
      const text = keyText(key);
      if (!this.keys.has(text) && !wanted.has(text)) wanted.set(text, key);
    }
    const held = await lockKeys(this.tx, [...wanted.values()]);
    for (const key of held) this.keys.set(keyText(key), key);
    return held;
  }

  /** Returns the identities that records of these have left, or moved to, in unfinished jobs. */
  private async movedByUnfinishedJobs(
    identityIds: readonly (string | undefined)[],
    records: readonly StoredRecord[],
  ): Promise<(string | undefined)[]> {
    if (this.cause.reconsider) return [];
    const left = records.map((record) => this.strengths.keptIdentityOf(record));
    const ids = new Set(
      [...identityIds, ...left].filter((id) => id !== undefined && !this.complete.has(id)) as string[],
    );
    for (const id of ids) this.complete.add(id);
    const moved = await findMovedFrom(this.tx, [...ids]);
    await this.strengths.load(moved);
    const reached = moved.flatMap((each) => (this.strengths.isUnfinished(each) ? each.identityId : []));
    return [...left, ...reached].filter((id) => id !== undefined && !this.identities.has(id));
  }

  private async bringIn(identityIds: readonly (string | undefined)[]): Promise<StoredRecord[]> {
    const ids = new Set(identityIds.filter((id) => id !== undefined && !this.identities.has(id)) as string[]);
    if (ids.size === 0) return [];
    const identities = await lockIdentities(this.tx, [...ids]);
    for (const identity of identities) this.identities.set(identity.id, identity);
    return this.add(await lockRecordsOfIdentities(this.tx, [...ids]));
  }

  private async add(records: StoredRecord[]): Promise<StoredRecord[]> {
    await this.strengths.load(records);
    for (const record of records) {
      if (!this.changes.has(record.id)) this.changes.set(record.id, { record, before: record });
    }
    return records;
  }
}

/** A record, or what is known of its link. */
interface Linked {
  linkedBy?: string | null;
}

/**
 * How firmly records are linked. Links of an unfinished job are loose, because its later batches may change them, unless
 * the record had another identity before.
 */
export class LinkStrengths {
  private readonly unfinishedJobs = new Set<string>();
  private readonly knownJobs = new Set<string>();
  private readonly placed: ReadonlySet<string>;

  constructor(
    private readonly tx: Transaction,
    private readonly cause: Cause,
    changes: readonly RecordChange[],
  ) {
    this.placed = new Set(changes.flatMap((change) => (change.placed ? change.record.id : [])));
    if (cause.jobId === undefined) return;
    this.knownJobs.add(cause.jobId);
    this.unfinishedJobs.add(cause.jobId);
  }

  /** Looks up the jobs that have linked these records; call it before the strength of their links is asked for. */
  async load(records: readonly Linked[]): Promise<void> {
    const jobs = new Set<string>();
    for (const { linkedBy } of records) if (linkedBy && !this.knownJobs.has(linkedBy)) jobs.add(linkedBy);
    if (jobs.size === 0) return;
    for (const id of jobs) this.knownJobs.add(id);
    for (const id of await findUnfinishedJobs(this.tx, [...jobs])) this.unfinishedJobs.add(id);
  }

  readonly strengthOf = (record: StoredRecord): Person['linkStrength'] => {
    if (record.decided) return 'manual';
    if (record.identityId === undefined || this.cause.reconsider) return 'loose';
    if (this.placed.has(record.id) || this.keptIdentityOf(record) !== undefined) return 'kept';
    return this.isUnfinished(record) ? 'loose' : 'kept';
  };

  /**
   * Returns the identity that a user or account had before an unfinished job moved it. Its link to that identity still
   * counts, because later batches may show that the move was wrong. A job moves a record that an operator has linked only
   * if it is an account that follows its person.
   */
  keptIdentityOf(record: StoredRecord): string | undefined {
    if (record.kind === 'machine_identity' || (record.kind === 'user' && record.decided)) return undefined;
    if (this.cause.reconsider || this.placed.has(record.id)) return undefined;
    return this.isUnfinished(record) ? record.keptIdentityId : undefined;
  }

  /** Whether a job that has not ended has linked the record. */
  isUnfinished({ linkedBy }: Linked): boolean {
    return typeof linkedBy === 'string' && this.unfinishedJobs.has(linkedBy);
  }
}

/** Returns true for an account or machine that keeps its identity regardless of its keys. */
export function isSettled(record: StoredRecord, linkStrengthOf: LinkStrengths['strengthOf']): boolean {
  if (record.identityId === undefined) return false;
  return record.kind === 'account' ? linkStrengthOf(record) !== 'loose' || isDeleted(record) : record.decided;
}
