import type { FieldMap, RecordKind } from '@idsync/contracts';
import { z } from 'zod';
import { CheckpointExpired, type Connector, type Page, type ReadOptions, SourceError } from '../connector.js';
import { jsonFields } from '../field-samples.js';
import { ApiClient, type PageRequests } from '../http/api-client.js';
import { type ApiAccess, apiConnector, mapItems, parseCursor, secretOf } from '../http/api-source.js';
import { bearer } from '../http/authentication.js';
import { StatusError } from '../http/failures.js';
import { type ListAnswer, listIn, listPlace, readList } from '../http/paging.js';
import { jsonReader } from '../json/json-path.js';
import { valueAt } from '../json/json-value.js';
import type { Mapping } from '../map-record.js';
import { sourceNames } from '../transform.js';

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

  async function* read(client: ApiClient, { since, cursor, pageSize, signal }: ReadOptions): AsyncGenerator<Page> {
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

  return apiConnector({
    access,
    reportsChanges: true,
    reportsDeletions: true,
    connect: (transport) => new ApiClient(transport, { baseUrl: config.url, auth }),
    read,
    // Add `requestOne` with `getOne` if the API can return a single person.
    discover: async (client, signal) => jsonFields((await askStaff(client.page(signal), undefined, '')).items),
  });
}

/** Maximum page size of the API. */
const limit = 200;

interface StaffAnswer extends ListAnswer {
  /** Position in the change log at the time of the response. */
  position: string;
}

/**
 * Requests one page of all people, or of those changed since a position. `next` is empty for the first page. Only a
 * token of `null` marks the end; a response without a token is an error.
 */
async function askStaff(requests: PageRequests, since: string | undefined, next: string): Promise<StaffAnswer> {
  const query = { limit, since, page: next || undefined };
  const answer = await requests.get(since === undefined ? '/people' : '/changes', { query }).catch((error: unknown) => {
    const isForgotten = error instanceof StatusError && error.status === 410;
    // In a full read the page token has expired and not a checkpoint, so it is an error.
    throw since !== undefined && isForgotten ? new CheckpointExpired(error.message, { cause: error }) : error;
  });
  const [token, position] = [valueAt(answer.body, 'next'), valueAt(answer.body, 'position')];
  if (token !== null && typeof token !== 'string') {
    throw new SourceError(`${answer.from} answered without a next token`, 'incomplete');
  }
  if (typeof position !== 'string') throw new SourceError(`${answer.from} answered without a position`);
  return { items: listIn(answer, 'people'), next: token ?? undefined, position, from: answer.from };
}

/** Returns whether an entry of the change log is a deletion. */
function isGone(person: unknown): boolean {
  return valueAt(person, 'deleted') === true;
}

/**
 * The configuration. A released connector has its zod schema in `libs/contracts/src/connectors/`, named after its type.
 */
interface TemplateConfig {
  url: string;
  /** Path of the permanent id of a person. */
  external_id: string;
  /** The source of each target field; `templateFields` if absent. */
  fields?: FieldMap;
}

/** The default mapping. */
const templateFields: Record<Exclude<RecordKind, 'machine_identity'>, FieldMap> = {
  user: {
    user_principal_name: 'login',
    display_name: 'name',
    hire_date: 'hired_on',
    status: { from: 'active', transform: [{ map: { true: 'active', false: 'inactive' } }] },
  },
  account: {
    identifier: 'login',
    display_name: 'name',
    status: { from: 'active', transform: [{ map: { true: 'active', false: 'disabled' } }] },
  },
};
