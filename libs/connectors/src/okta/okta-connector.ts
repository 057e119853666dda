import { type OktaConfig, oktaFields, type RecordKind } from '@idsync/contracts';
import { z } from 'zod';
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
import { getOne } from '../http/get-one.js';
import type { HttpTransport } from '../http/http-transport.js';
import { type ListAnswer, listPlace, readList } from '../http/read-list.js';
import { jsonFields } from '../json/json-fields.js';
import { jsonReader } from '../json/json-path.js';
import type { Mapping } from '../map-record.js';
import { sourceNames } from '../transform.js';
import { oktaAnswer, oktaClient } from './okta-client.js';
import { groupsOfEach } from './okta-groups.js';
import { listOf } from './okta-lists.js';

const groups = '@groups';
/** Maximum page size of Okta. */
const limit = 200;
const discovered = 20;
const notFound = 'E0000007';

/** The start of the read by the clock of the service. */
const oktaCheckpoint = z.object({ started: z.iso.datetime() });
const oktaCursor = listPlace.extend(oktaCheckpoint.shape);

/** Creates a connector for users of an Okta organization, or for its service apps as machine identities. */
export function oktaConnector(records: RecordKind, config: OktaConfig, access: ApiAccess): Connector {
  const fields = config.fields ?? oktaFields[records];
  const names = sourceNames({ external_id: config.external_id, fields });
  const mapping: Mapping = { kind: records, externalId: config.external_id, fields };
  const needsGroups = names.includes(groups);
  if (needsGroups && records === 'machine_identity')
    throw new SourceError('"@groups" is not supported for service apps', 'misconfigured');
  const valuesOf = jsonReader(names.filter((name) => name !== groups));
  // Okta reports no changes of groups and apps.
  const reportsChanges = records !== 'machine_identity' && !needsGroups;

  async function* read(
    { since, cursor, pageSize, signal }: ReadOptions,
    transport: HttpTransport,
  ): AsyncGenerator<Page> {
    const client = oktaClient(transport, records, config, access);
    const left = cursor && parseCursor(oktaCursor, cursor);
    if (since && !reportsChanges) throw new CheckpointExpired('this mapping does not support incremental reads');
    const { path, filter, isWanted } = listOf(records, config, since && parseCursor(oktaCheckpoint, since).started);
    let started = left?.started;
    const ask = async (next: string): Promise<ListAnswer> => {
      const page = client.page(signal);
      const answer = await (next === ''
        ? page.get(path, { query: { filter, limit } })
        : page.follow(next, { shownAs: path }));
      started ??= clockOf(answer.headers.date).toISOString();
      return oktaAnswer(answer, limit);
    };

    for await (const { items, place, last } of readList(ask, { pageSize, signal }, left)) {
      const there = items.filter(isWanted);
      const page: Page = {
        ...(await mapped(there, place.seen - items.length + 1, client, signal)),
        cursor: { ...place, started: started ?? '' },
        last,
      };
      if (since) page.removed = items.filter((item) => !isWanted(item)).flatMap((item) => idOf(item));
      if (last && reportsChanges) page.checkpoint = { started: started ?? '' };
      yield page;
    }
  }

  async function readOne(externalId: string, signal: AbortSignal, transport: HttpTransport): Promise<FoundRecord> {
    const { path, isWanted } = listOf(records, config);
    const client = oktaClient(transport, records, config, access);
    const answer = await getOne(
      client.page(signal),
      `${path}/${encodeURIComponent(externalId)}`,
      { reason: notFound, shownAs: `${path}/{id}` },
      async () => {
        oktaAnswer(await client.page(signal).get(path, { query: { limit: 1 } }), 2);
      },
    );
    // The endpoint also accepts user names, which are not ids.
    const there = answer === undefined ? [] : [answer.body].filter((item) => isWanted(item));
    return foundIn(await mapped(there, 0, client, signal), externalId);
  }

  async function mapped(there: readonly unknown[], line: number, client: ApiClient, signal: AbortSignal) {
    const groupsOf = new Map<unknown, string[]>();
    if (needsGroups) {
      const lists = await groupsOfEach(client.page(signal), there);
      for (const [index, user] of there.entries()) groupsOf.set(user, lists[index] ?? []);
    }
    return mapItems(there, line, mapping, (item) => {
      const own = valuesOf(item);
      return (name) => (name === groups ? (groupsOf.get(item) ?? []) : own(name));
    });
  }

  function idOf(item: unknown): string[] {
    return valuesOf(item)(config.external_id).slice(0, 1);
  }

  const readAll = (options: ReadOptions) => withTransport(access, (transport) => read(options, transport));
  return {
    reportsChanges,
    read: readAll,
    readOne: (externalId, signal) =>
      config.external_id === 'id'
        ? onTransport(access, (transport) => readOne(externalId, signal, transport))
        : findByFullRead(readAll, externalId, signal),
    discover: (signal) =>
      onTransport(access, async (transport) => {
        const { path, filter } = listOf(records, config);
        const client = oktaClient(transport, records, config, access);
        const answer = await client.page(signal).get(path, { query: { filter, limit: discovered } });
        const own = jsonFields(oktaAnswer(answer, limit).items);
        return [...own, ...(records === 'machine_identity' ? [] : [{ name: groups, examples: [] }])];
      }),
  };
}

function clockOf(date: string | undefined): Date {
  const parsed = new Date(date ?? '');
  return Number.isNaN(parsed.getTime()) ? new Date() : parsed;
}
