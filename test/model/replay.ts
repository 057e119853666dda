// A subscriber that builds the directory from the event feed alone.
import { encodeId } from '@idsync/contracts';
import type { ShownIdentity } from './installation.js';

type Resource = Readonly<Record<string, unknown>> & { id: string };

interface FeedEvent {
  type: string;
  sequence: number;
  data: Resource;
}

/** Fields that describe the event, and times at which no value has changed. */
const ignored = new Set([
  'changed',
  'changes',
  'evidence',
  'reason',
  'job_id',
  'operation_id',
  'last_synced_at',
  'updated_at',
]);

export class Replay {
  private readonly identities = new Map<string, Resource>();
  /** Users and accounts. */
  private readonly records = new Map<string, Resource>();
  /** The ids of the identities that have a leaver in their history. */
  readonly leavers = new Set<string>();
  /** The sequence of the last event. */
  last = 0;

  /** Returns what is wrong with the sequence of these events. */
  take(bodies: readonly string[]): string[] {
    return bodies.flatMap((body) => {
      const { type, sequence, data } = JSON.parse(body) as FeedEvent;
      const expected = this.last + 1;
      this.last = sequence;
      if (type.startsWith('identity.')) this.identities.set(data.id, data);
      if (type === 'lifecycle.leaver') this.leavers.add(data.id);
      if (type === 'identity.merged') this.identities.delete(String(data.merged_id));
      // An event of an identity that no longer exists has only its id.
      if (type.startsWith('identity.') && data.status === undefined) this.identities.delete(data.id);
      if (type.startsWith('user.') || type.startsWith('account.')) this.records.set(data.id, data);
      return sequence === expected ? [] : [`event ${sequence} follows event ${expected - 1}`];
    });
  }

  /** Returns the identities and records that differ from those of the directory. */
  differences(identities: readonly ShownIdentity[]): string[] {
    const documents = identities.map(({ document }) => document as Resource);
    const shown = new Map(identities.map(({ id, document }) => [encodeId('identity', id), summaryOf(document)]));
    const replayed = new Map([...this.identities].map(([id, data]) => [id, summaryOf(data)]));
    const records = documents.flatMap(({ users, accounts }) => [...listOf(users), ...listOf(accounts)]);
    const ofRecords = records.map((each) => [each.id, textOf(each), textOf(this.records.get(each.id) ?? {})] as const);
    return [
      ...[...new Set([...shown.keys(), ...replayed.keys()])].map(
        (id) => [id, shown.get(id), replayed.get(id)] as const,
      ),
      ...ofRecords,
    ].flatMap(([id, now, then]) => (now === then ? [] : [`events: ${id} ${then}`, `directory: ${id} ${now}`]));
  }
}

const listOf = (value: unknown): Resource[] => value as Resource[];

/**
 * Status, name and winning values. An account names its person itself; a user that joins a person without changing these
 * is only in `user.created`.
 */
function summaryOf({ status, display_name, attributes }: Resource): string {
  const winners = new Map<unknown, unknown>();
  // The display name is that of the identity, also if no source gives one.
  for (const { field_name, field_value } of listOf(attributes))
    if (field_name !== 'display_name' && !winners.has(field_name)) winners.set(field_name, field_value);
  return JSON.stringify([status, display_name, [...winners].sort()]);
}

const textOf = (resource: object): string =>
  JSON.stringify(
    Object.entries(resource)
      .filter(([field]) => !ignored.has(field))
      .sort(),
  );
