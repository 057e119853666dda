import { scimConfig } from '@idsync/contracts';
import { conforms } from '../../test/conformance/conforms.js';
import { quick } from '../../test/conformance/readings.js';
import type { Person, Spoiled } from '../../test/conformance/source-under-test.js';
import { type Asked, loopback, type Reply, testServer } from '../../test/http-server.js';
import { scimServer } from '../../test/scim-server.js';
import { scimConnector } from './scim-connector.js';

const token = 't0ken-of-scim';
const scim = scimServer(token);
/** Forwards to the real service, so that its responses can be modified. */
const server = testServer();
const ids = new Map<string, string>();
let size = 3;
/** Replaces the resource of the person named `odd`. */
let odd: (resource: object) => unknown = (resource) => resource;

const open = () =>
  scimConnector('user', scimConfig.parse({ url: server.origin }), {
    secrets: { token },
    allowedCidrs: loopback,
    limits: quick,
  });

async function answer({ url, headers: { authorization } }: Asked): Promise<Reply> {
  const target = new URL(scim.url + url.pathname + url.search);
  const count = Number(url.searchParams.get('count') ?? size);
  if (url.pathname === '/Users') target.searchParams.set('count', String(Math.min(count, size)));
  const reply = await fetch(target, { headers: { ...(authorization && { authorization }) } });
  const body = (await reply.json()) as { Resources?: { userName: string }[] };
  const Resources = body.Resources?.map((one) => (one.userName === 'odd' ? odd(one) : one));
  const date = reply.headers.get('date') ?? '';
  return { status: reply.status, headers: { date }, body: { ...body, ...(Resources && { Resources }) } };
}

async function put({ id, login, name, enabled }: Person): Promise<void> {
  const schemas = ['urn:ietf:params:scim:schemas:core:2.0:User'];
  const user = { schemas, userName: login, displayName: name, active: enabled };
  const known = ids.get(id);
  if (known) await scim.send('PUT', `/Users/${known}`, user);
  else ids.set(id, (await scim.send('POST', '/Users', user)).id);
}

async function remove(id: string): Promise<void> {
  await scim.send('DELETE', `/Users/${ids.get(id)}`);
  ids.delete(id);
}

async function fill(people: readonly Person[]): Promise<void> {
  scim.users.clear();
  ids.clear();
  for (const person of people) await put(person);
}

const spoiled =
  (name: string, sent: (resource: object) => unknown): Spoiled =>
  async (people) => {
    await fill([...people.slice(0, 2), { id: 'odd', login: 'odd', name, enabled: true }, ...people.slice(2)]);
    odd = sent;
    return open();
  };
const bodyOf = ({ body }: Reply) => body as { Resources?: unknown[] };

conforms({
  name: 'scim',
  open,
  fill,
  emptySource: 'complete',
  runs: 5,
  secrets: [token],
  discovers: ['id', 'userName', 'displayName', '@groups'],
  readsOne: { unknownId: 'nobody' },
  changes: { reports: 'until_deletion', put, remove, expire: () => remove('id0') },
  bad: {
    withoutId: spoiled('Odd', (resource) => ({ ...resource, id: undefined })),
    ofWrongType: spoiled('Odd', () => 'a text'),
    tooLarge: spoiled('x'.repeat(20_000), (resource) => resource),
  },
  reached: {
    over: 'http',
    server,
    answer,
    listOf: ({ url }) => (url.pathname === '/Users' ? 'users' : undefined),
    answerSize(items) {
      size = items;
    },
    renewal: { unsupported: 'its token does not expire' },
    invalidResponses: {
      withoutList: (reply) => ({ ...reply, body: { ...bodyOf(reply), Resources: undefined } }),
      emptied: (reply) => ({ ...reply, body: { ...bodyOf(reply), Resources: [] } }),
      repeating: {
        unsupported: 'a repeated resource in a list by index means that another is missing, so it is an error',
      },
      emptyBefore: { unsupported: 'the next index does not depend on the response' },
      leadingTo: { unsupported: 'its pages have no links' },
      expired: { unsupported: 'an index does not expire' },
    },
  },
});
