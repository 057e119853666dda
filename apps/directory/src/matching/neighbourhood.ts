import { newUuid } from '@idsync/contracts';
import {
  type CorrelationKey,
  findContestants,
  findContestedKeysOf,
  findWaitingRecords,
  type HeldKey,
  lockIdentities,
  lockKeys,
  lockRecordsById,
  lockRecordsOfIdentities,
  type StoredIdentity,
  type StoredRecord,
  type Transaction,
  type WantedKey,
} from '@idsync/database';
import type { Cause } from '../cause.js';
import type { RecordChange } from '../record-change.js';
import { keyText, speakingKeys } from './record-keys.js';

/**
 * Everything that some changed records could join, part from or move, locked: whoever holds a key of theirs, all records
 * of those identities, and whoever contests a key with one of these. What is outside cannot be touched by the change.
 */
export class Neighbourhood {
  /** By record id; a record that has not changed is its own `before`. */
  readonly changes = new Map<string, RecordChange>();
  readonly identities = new Map<string, StoredIdentity>();
  /** By `keyText`, as they were when they were locked. */
  readonly keys = new Map<string, HeldKey>();

  /** Ids of records that lie outside: they are here to take or to lend a machine, and their people stay as they are. */
  readonly guests = new Set<string>();

  /** Identities that may be made, by the record they would be made for. */
  private readonly expectedIds = new Map<string, string>();

  private constructor(
    private readonly tx: Transaction,
    private readonly cause: Cause,
  ) {}

  static async around(tx: Transaction, cause: Cause, changes: readonly RecordChange[]): Promise<Neighbourhood> {
    const neighbourhood = new Neighbourhood(tx, cause);
    for (const change of changes) neighbourhood.changes.set(change.record.id, change);
    const identityIds = changes.flatMap(({ record, before }) => [record.identityId, before?.identityId]);
    const keys = changes.flatMap(({ record, before }) => [
      ...neighbourhood.wantedKeysOf(record),
      ...(before ? neighbourhood.keysOf(before) : []),
    ]);
    await neighbourhood.extend(keys, identityIds);
    return neighbourhood;
  }

  /** The certain keys that speak for a record, by the tenant's rules. */
  keysOf(record: StoredRecord): CorrelationKey[] {
    return speakingKeys(record, this.cause.rules.certain);
  }

  /** The identity to be made for one of these records, if none of them has one. */
  newIdentityId(recordIds: readonly string[]): string {
    const promised = recordIds.find((id) => this.expectedIds.has(id));
    return (promised !== undefined && this.expectedIds.get(promised)) || newUuid();
  }

  private wantedKeysOf(record: StoredRecord): WantedKey[] {
    const keys = this.keysOf(record);
    if (record.kind !== 'user' || record.identityId !== undefined) return keys;
    const expectedId = newUuid();
    this.expectedIds.set(record.id, expectedId);
    return keys.map((key) => ({ ...key, expectedId }));
  }

  /** Brings in what is not here yet and, as long as anything is new, whatever hangs together with it. */
  async extend(keys: readonly WantedKey[], identityIds: readonly (string | undefined)[]): Promise<void> {
    let wantedKeys: readonly WantedKey[] = keys;
    let wantedIds = identityIds;
    for (;;) {
      const held = await this.lock(wantedKeys);
      const contested = held.filter((key) => key.shared === 'contested');
      const contestants = await findContestants(this.tx, this.cause.tenantId, contested);
      const ids = [...wantedIds, ...held.map((key) => key.identityId), ...contestants];
      const records = await this.bringIn(ids);
      wantedKeys = (
        await findContestedKeysOf(
          this.tx,
          records.map(({ id }) => id),
        )
      ).filter((key) => !this.keys.has(keyText(key)));
      if (wantedKeys.length === 0) return;
      wantedIds = [];
    }
  }

  /**
   * Brings in accounts and machines that wait for any key of the people here, and what they stood on until now. Any key,
   * since a person who gains or loses an employee number fits others by all of them. Resolves with the ids of who waited.
   */
  async wake(): Promise<string[]> {
    // Where every source lists people only, nobody waits for them.
    if ([...this.cause.connectors.values()].every(({ records }) => records === 'user')) return [];
    const users = [...this.changes.values()].filter(({ record }) => record.kind === 'user');
    const had = users.flatMap(({ record, before }) => [...this.keysOf(record), ...(before ? this.keysOf(before) : [])]);
    const keys = new Map([...had, ...this.keys.values()].map((key) => [keyText(key), key]));
    const ids = await findWaitingRecords(this.tx, this.cause.tenantId, [...keys.values()]);
    const records = await lockRecordsById(
      this.tx,
      ids.filter((id) => !this.changes.has(id)),
    );
    for (const record of records) this.changes.set(record.id, { record, before: record });
    await this.extend(
      records.flatMap((record) => this.keysOf(record)),
      records.map(({ identityId }) => identityId),
    );
    return ids;
  }

  /** Brings in machines, and whole identities that machines come from or go to. */
  async invite(machineIds: readonly string[], identityIds: readonly (string | undefined)[]): Promise<void> {
    const here = new Set(this.changes.keys());
    const machines = await lockRecordsById(
      this.tx,
      machineIds.filter((id) => !here.has(id)),
    );
    for (const record of machines) this.changes.set(record.id, { record, before: record });
    await this.bringIn(identityIds);
    for (const id of this.changes.keys()) if (!here.has(id)) this.guests.add(id);
  }

  private async lock(keys: readonly WantedKey[]): Promise<HeldKey[]> {
    const wanted = new Map<string, WantedKey>();
    for (const key of keys) {
      const text = keyText(key);
      if (!this.keys.has(text) && !wanted.has(text)) wanted.set(text, key);
    }
    const held = await lockKeys(this.tx, this.cause.tenantId, [...wanted.values()]);
    for (const key of held) this.keys.set(keyText(key), key);
    return held;
  }

  private async bringIn(identityIds: readonly (string | undefined)[]): Promise<StoredRecord[]> {
    const ids = new Set(identityIds.filter((id) => id !== undefined && !this.identities.has(id)) as string[]);
    if (ids.size === 0) return [];
    const identities = await lockIdentities(this.tx, [...ids]);
    for (const identity of identities) this.identities.set(identity.id, identity);
    const records = await lockRecordsOfIdentities(this.tx, [...ids]);
    for (const record of records) {
      if (!this.changes.has(record.id)) this.changes.set(record.id, { record, before: record });
    }
    return records;
  }
}
