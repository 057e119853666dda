import type { RecordKind } from '@idsync/contracts';
import { z } from 'zod';
import { type Connector, type Page, type ReadOptions, SourceError } from '../connector.js';
import { findByFullRead } from '../find-by-full-read.js';
import { ApiClient } from '../http/api-client.js';
import { type ApiAccess, mapItems, onTransport, parseCursor, secretOf, withTransport } from '../http/api-source.js';
import { bearer } from '../http/authentication.js';
import type { HttpTransport } from '../http/http-transport.js';
import { listPlace, readList } from '../http/read-list.js';
import { jsonFields } from '../json/json-fields.js';
import { jsonReader } from '../json/json-path.js';
import type { Mapping } from '../map-record.js';
import { sourceNames } from '../transform.js';
import { askStaff, isGone } from './staff-api.js';
import { type TemplateConfig, templateFields } from './template-config.js';

const checkpointShape = z.object({ position: z.string() });
/** The position in the list, and the change log position of the next checkpoint. */
const cursorShape = listPlace.extend(checkpointShape.shape);

/**
 * Reads people of a JSON API with page tokens and a change log. A template: see "Add a connector" in docs/recipes.md.
 */
export function templateConnector(records: RecordKind, config: TemplateConfig, access: ApiAccess): Connector {
  if (records === 'machine_identity') throw new SourceError('this source has no machine identities', 'misconfigured');
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
    const left = cursor && parseCursor(cursorShape, cursor);
    const changedSince = since && parseCursor(checkpointShape, since).position;
    let position = left?.position;
    const ask = async (next: string) => {
      const answer = await askStaff(client.page(signal), changedSince, next);
      // The position of the first response, so that changes during the read are read twice instead of missed.
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
    reportsChanges: true,
    reportsDeletions: true,
    read: readAll,
    // Use `http/get-one.ts` if the API can return a single person.
    readOne: (externalId, signal) => findByFullRead(readAll, externalId, signal),
    discover: (signal) =>
      onTransport(access, async (transport) =>
        jsonFields((await askStaff(clientOf(transport).page(signal), undefined, '')).items),
      ),
  };
}
