import { type JumpcloudConfig, jumpcloudFields, type RecordKind } from '@idsync/contracts';
import {
  CheckpointExpired,
  type Connector,
  type FoundRecord,
  type Page,
  type ReadOptions,
  SourceError,
} from '../connector.js';
import { jsonFields } from '../field-samples.js';
import { foundIn } from '../find-by-full-read.js';
import { ApiClient, type PageRequests, withoutEndSlashes } from '../http/api-client.js';
import { type ApiAccess, apiConnector, getOne, mapItems, parseCursor, secretOf } from '../http/api-source.js';
import { headerAuthentication } from '../http/authentication.js';
import { type ListAnswer, listIn, listPlace, readList } from '../http/paging.js';
import { jsonReader } from '../json/json-path.js';
import { isObject, scalarText, valueAt } from '../json/json-value.js';
import type { Mapping } from '../map-record.js';
import { sourceNames } from '../transform.js';

const path = '/systemusers';
/** Maximum page size of JumpCloud. */
const limit = 100;
const discovered = 20;

/** Creates a connector for users of JumpCloud. Every read is a full read, because users have no time of change. */
export function jumpcloudConnector(records: RecordKind, config: JumpcloudConfig, access: ApiAccess): Connector {
  if (records === 'machine_identity') throw new SourceError('JumpCloud has no machine identities', 'misconfigured');
  const { external_id: externalId, fields = jumpcloudFields[records], organization_id: organization } = config;
  const mapping: Mapping = { kind: records, externalId, fields };
  const valuesOf = jsonReader(sourceNames({ external_id: externalId, fields }));
  const auth = headerAuthentication('x-api-key', secretOf(access, 'api_key'));
  const statusOf = records === 'user' ? statusOfPerson : statusOfAccount;
  const asDocument = (user: unknown) => (isObject(user) ? { ...user, '@status': statusOf(user) } : user);

  async function* read(client: ApiClient, { since, cursor, pageSize, signal }: ReadOptions): AsyncGenerator<Page> {
    if (since) throw new CheckpointExpired('JumpCloud does not report changes of users');
    const left = cursor && parseCursor(listPlace, cursor);
    const ask = (after: string) => askUsers(client.page(signal), after);
    for await (const { items, place, last } of readList(ask, { pageSize, signal }, left)) {
      yield { ...mapped(items, place.seen - items.length + 1), cursor: place, last };
    }
  }

  async function requestOne(client: ApiClient, id: string, signal: AbortSignal): Promise<FoundRecord> {
    const requests = client.page(signal);
    const user = await getUser(requests, id, () => newestId(requests));
    return foundIn(mapped(user === undefined ? [] : [user.body], 0), id);
  }

  const mapped = (users: readonly unknown[], line: number) => mapItems(users.map(asDocument), line, mapping, valuesOf);

  return apiConnector({
    access,
    reportsChanges: false,
    connect: (transport) =>
      new ApiClient(transport, {
        baseUrl: `${withoutEndSlashes(config.url)}/api`,
        auth,
        ...(organization !== undefined && { headers: { 'x-org-id': organization } }),
      }),
    read,
    requestOne: externalId === '_id' && requestOne,
    async discover(client, signal) {
      const { items } = await usersAfter(client.page(signal), '');
      return jsonFields(items.slice(0, discovered).map(asDocument));
    },
  });
}

/**
 * Requests the users after an id. A response without users is the end only if this id is the greatest one, or if all are
 * earlier because its user was deleted: an API that ignores the order also answers with an earlier one.
 */
async function askUsers(requests: PageRequests, after: string): Promise<ListAnswer> {
  const answer = await usersAfter(requests, after);
  if (answer.next !== undefined) return answer;
  const newest = await newestId(requests);
  if (newest === after) return answer;
  if (newest < after && !(await getUser(requests, after, async () => undefined))) return answer;
  // A user may have been created between the two requests, so that a retry finds it.
  throw new SourceError(`${answer.from} answered without the users after the last one`, {
    code: 'incomplete',
    transient: true,
  });
}

/** Requests users by id and not by number, because the numbers of later users change when one is deleted. */
async function usersAfter(requests: PageRequests, after: string): Promise<ListAnswer> {
  const filter = after === '' ? undefined : `_id:$gt:${after}`;
  const answer = await requests.get(path, { query: { limit, sort: '_id', filter } });
  const items = listIn(answer, 'results');
  const ids = items.flatMap(idOf);
  if (!ids.every((id, index) => id > (ids[index - 1] ?? after)))
    throw new SourceError(`${answer.from} answered with users that are not in the order of their ids`);
  return { items, next: ids.at(-1), from: answer.from };
}

/** Requests one user. Returns undefined if there is none and `prove` finds JumpCloud at the address. */
function getUser(requests: PageRequests, id: string, prove: () => Promise<unknown>) {
  const request = { idName: '_id', shownAs: `${path}/{id}` };
  return getOne(requests, `${path}/${encodeURIComponent(id)}`, request, prove);
}

/** Returns the greatest id; empty if there are no users. */
async function newestId(requests: PageRequests): Promise<string> {
  const answer = await requests.get(path, { query: { limit: 1, sort: '-_id' } });
  return listIn(answer, 'results').flatMap(idOf)[0] ?? '';
}

function idOf(user: unknown): string[] {
  const id = valueAt(user, '_id');
  return typeof id === 'string' ? [id] : [];
}

const personStatus: Readonly<Record<string, string>> = {
  STAGED: 'pending',
  ACTIVATED: 'active',
  SUSPENDED: 'suspended',
};

/** An unknown state stays as it is, so that it is reported. */
function statusOfPerson(user: unknown): string {
  const isSuspended = valueAt(user, 'suspended');
  const state = scalarText(valueAt(user, 'state')) ?? (isSuspended === false ? 'ACTIVATED' : '');
  return personStatus[isSuspended === true ? 'SUSPENDED' : state] ?? state;
}

/** An account also needs a password, and must not be locked. */
function statusOfAccount(user: unknown): string {
  const person = statusOfPerson(user);
  if (person === 'pending' || person === 'suspended') return 'disabled';
  if (person !== 'active') return person;
  if (valueAt(user, 'account_locked') === true) return 'locked';
  return valueAt(user, 'activated') === false ? 'disabled' : 'active';
}
