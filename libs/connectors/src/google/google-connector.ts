import { type GoogleConfig, googleFields, type RecordKind } from '@idsync/contracts';
import {
  CheckpointExpired,
  type Connector,
  type FoundRecord,
  type Page,
  type ReadOptions,
  SourceError,
} from '../connector.js';
import { findByFullRead, foundIn } from '../find-by-full-read.js';
import type { ApiClient } from '../http/api-client.js';
import { type ApiAccess, mapItems, onTransport, parseCursor, withTransport } from '../http/api-source.js';
import type { HttpTransport } from '../http/http-transport.js';
import { listPlace, readList } from '../http/read-list.js';
import { jsonFields } from '../json/json-fields.js';
import { jsonReader } from '../json/json-path.js';
import { valueAt } from '../json/json-value.js';
import type { Mapping } from '../map-record.js';
import { sourceNames } from '../transform.js';
import { googleClient } from './google-client.js';
import { askUser, askUsers, groupsOfEach, isDeleted } from './google-lists.js';

const groups = '@groups';
const status = '@status';
const discovered = 20;

/**
 * Creates a connector for users of Google Workspace. Every read is a full read, because the API does not report
 * changes.
 */
export function googleConnector(records: RecordKind, config: GoogleConfig, access: ApiAccess): Connector {
  if (records === 'machine_identity') {
    throw new SourceError(
      'machine identities are not supported: service accounts belong to Google Cloud projects, not to the Directory API',
      'misconfigured',
    );
  }
  const fields = config.fields ?? googleFields[records];
  const names = sourceNames({ external_id: config.external_id, fields });
  const mapping: Mapping = { kind: records, externalId: config.external_id, fields };
  const needsGroups = names.includes(groups);
  const valuesOf = jsonReader(names.filter((name) => name !== groups && name !== status));
  const statusOf = records === 'user' ? statusOfPerson : statusOfAccount;

  async function* read({ cursor, pageSize, signal }: ReadOptions, transport: HttpTransport): AsyncGenerator<Page> {
    const client = googleClient(transport, config, needsGroups, access);
    const left = cursor && parseCursor(listPlace, cursor);
    const ask = (next: string) => askUsers(client.page(signal), config, next);
    for await (const { items, place, last } of readList(ask, { pageSize, signal }, left)) {
      yield { ...(await mapped(items, place.seen - items.length + 1, client, signal)), cursor: place, last };
    }
  }

  async function mapped(items: readonly unknown[], line: number, client: ApiClient, signal: AbortSignal) {
    const lists = needsGroups ? await groupsOfEach(client.page(signal), items) : [];
    const groupsOf = new Map(items.map((item, index) => [item, lists[index] ?? []]));
    return mapItems(items, line, mapping, (item) => {
      const own = valuesOf(item);
      return (name) => {
        if (name === groups) return groupsOf.get(item) ?? [];
        return name === status ? [statusOf(item)] : own(name);
      };
    });
  }

  async function readOne(externalId: string, signal: AbortSignal, transport: HttpTransport): Promise<FoundRecord> {
    const client = googleClient(transport, config, needsGroups, access);
    const user = await askUser(client.page(signal), config, externalId);
    // The endpoint also accepts user addresses, which are not ids.
    return foundIn(await mapped(user === undefined ? [] : [user], 0, client, signal), externalId);
  }

  async function* readAll(options: ReadOptions): AsyncGenerator<Page> {
    if (options.since) throw new CheckpointExpired('the Directory API does not report changes');
    yield* withTransport(access, (transport) => read(options, transport));
  }
  // Only the list evaluates the query, the deleted users and the customer.
  const knownById =
    config.external_id === 'id' && config.query === undefined && config.customer === 'my_customer' && !config.deleted;
  return {
    reportsChanges: false,
    read: readAll,
    readOne: (externalId, signal) =>
      knownById
        ? onTransport(access, (transport) => readOne(externalId, signal, transport))
        : findByFullRead(readAll, externalId, signal),
    discover: (signal) =>
      onTransport(access, async (transport) => {
        const { items } = await askUsers(googleClient(transport, config, false, access).page(signal), config, 'there:');
        const own = jsonFields(items.slice(0, discovered));
        return [...own, { name: status, examples: [] }, { name: groups, examples: [] }];
      }),
  };
}

function statusOfPerson(user: unknown): string {
  if (isDeleted(user)) return 'deleted';
  if (valueAt(user, 'archived') === true) return 'inactive';
  return valueAt(user, 'suspended') === true ? 'suspended' : 'active';
}

function statusOfAccount(user: unknown): string {
  const person = statusOfPerson(user);
  return person === 'active' || person === 'deleted' ? person : 'disabled';
}
