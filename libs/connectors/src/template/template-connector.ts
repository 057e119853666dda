import type { RecordKind } from '@idsync/contracts';
import { z } from 'zod';
import { type Connector, type Page, type ReadOptions, SourceError } from '../connector.js';
import { ApiClient } from '../http/api-client.js';
import { type ApiAccess, mapItems, secretOf, understood, withTransport } from '../http/api-source.js';
import { bearer } from '../http/authentication.js';
import type { HttpTransport } from '../http/http-transport.js';
import { listPlace, readList } from '../http/read-list.js';
import { jsonFields } from '../json/json-fields.js';
import { jsonReader } from '../json/json-path.js';
import { lookThrough } from '../look-through.js';
import type { Mapping } from '../map-record.js';
import { sourceNames } from '../transform.js';
import { askStaff, isGone } from './staff-api.js';
import { type TemplateConfig, templateFields } from './template-config.js';

const checkpointShape = z.object({ position: z.string() });
/** The place in the list, and where changes are told from later. */
const cursorShape = listPlace.extend(checkpointShape.shape);

/** People of a JSON API that pages by tokens and keeps a log of changes. To be copied: see "Add a connector" in CONTRIBUTING.md. */
export function templateConnector(records: RecordKind, config: TemplateConfig, access: ApiAccess): Connector {
  if (records === 'machine_identity') throw new SourceError('this source has no machine identities');
  const { external_id: externalId, fields = templateFields[records] } = config;
  const mapping: Mapping = { kind: records, externalId, fields };
  const valuesOf = jsonReader(sourceNames({ external_id: externalId, fields }));
  const auth = bearer(secretOf(access, 'token'));
  const clientOf = (transport: HttpTransport) => new ApiClient(transport, { baseUrl: config.url, auth });

  async function* read(
    { since, cursor, pageSize, signal }: ReadOptions,
    transport: HttpTransport,
  ): AsyncGenerator<Page> {
    const client = clientOf(transport);
    const left = cursor && understood(cursorShape, cursor);
    const changedSince = since && understood(checkpointShape, since).position;
    let position = left?.position;
    const ask = async (next: string) => {
      const answer = await askStaff(client.page(signal), changedSince, next);
      // That of the first answer: what changes while this is read is read twice, not never.
      position ??= answer.position;
      return answer;
    };
    for await (const { items, place, answer, last } of readList(ask, { pageSize, signal }, left)) {
      const checkpoint = { position: position ?? answer.position };
      const there = items.filter((person) => !isGone(person));
      const gone = items.filter(isGone).flatMap((person) => valuesOf(person)(externalId));
      yield {
        ...mapItems(there, place.seen - items.length + 1, mapping, valuesOf),
        ...(since && { removed: gone }),
        cursor: { ...place, ...checkpoint },
        last,
        ...(last && { checkpoint }),
      };
    }
  }

  const readAll = (options: ReadOptions) => withTransport(access, (transport) => read(options, transport));
  return {
    tellsChanges: true,
    read: readAll,
    // An API that can be asked for one person is: see `http/get-one.ts`.
    readOne: (externalId, signal) => lookThrough(readAll, externalId, signal),
    async discover(signal) {
      const found: unknown[] = [];
      const first = async function* (transport: HttpTransport) {
        yield await askStaff(clientOf(transport).page(signal), undefined, '');
      };
      for await (const { items } of withTransport(access, first)) found.push(...items);
      return jsonFields(found);
    },
  };
}
