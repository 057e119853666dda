import { describe, expect, it } from '@jest/globals';
import { conforms } from '../../test/conformance/conforms.js';
import { quick } from '../../test/conformance/readings.js';
import type { Person, Spoiled } from '../../test/conformance/source-under-test.js';
import { type Asked, loopback, type Reply, testServer } from '../../test/http-server.js';
import { read } from '../../test/reading.js';
import { templateConnector } from './template-connector.js';

const server = testServer();
const token = 'staff-t0ken';
const gone: Reply = { status: 410, body: { message: 'too long ago' } };
/** The last change of each person in order of change, including deletions. */
let log: { position: number; person: Record<string, unknown> }[] = [];
let position = 0;
let size = 3;

function write(person: Record<string, unknown>): void {
  position += 1;
  log = [...log.filter((entry) => entry.person.id !== person.id), { position, person }];
}

/** The API as its documentation describes it. Use the real API or its sandbox here if tests can access it. */
function answer({ url, headers }: Asked): Reply {
  if (headers.authorization !== `Bearer ${token}`) return { status: 401, body: { message: 'who are you?' } };
  const [behind, upTo] =
    (url.searchParams.get('page') ?? '').split('~')[0]?.split('.').filter(Boolean).map(Number) ?? [];
  const since = Number(url.searchParams.get('since') ?? 0);
  const isEverything = url.pathname === '/people';
  const end = upTo ?? position;
  const entries = log.filter(
    (entry) => entry.position > (behind ?? since) && !(isEverything && entry.person.deleted === true),
  );
  const page = entries.slice(0, size);
  const next = entries.length > size ? `${page.at(-1)?.position}.${end}` : null;
  return { body: { people: page.map(({ person }) => person), next, position: String(position) } };
}

const open = () =>
  templateConnector(
    'user',
    { url: server.origin, external_id: 'id' },
    {
      secrets: { token },
      allowedCidrs: loopback,
      limits: quick,
    },
  );
const put = ({ enabled, ...person }: Person) => write({ ...person, active: enabled });
const remove = (id: string) => write({ id, deleted: true });
const fill = (people: readonly Person[]) => {
  log = [];
  people.forEach(put);
};
const spoiled =
  (person: Record<string, unknown>): Spoiled =>
  (people) => {
    fill(people.slice(1));
    write(person);
    people.slice(0, 1).forEach(put);
    return open();
  };
const bodyOf = ({ body }: Reply) => body as { people: unknown[]; next: string | null };

conforms({
  name: 'the template',
  open,
  fill,
  emptySource: 'complete',
  secrets: [token],
  discovers: ['id', 'login', 'name'],
  readsOne: { unknownId: 'nobody' },
  changes: {
    reports: 'everything',
    put,
    remove,
    expire: () => server.serve((asked) => (asked.url.pathname === '/changes' ? gone : answer(asked))),
  },
  bad: {
    withoutId: spoiled({ name: 'Nobody' }),
    ofWrongType: spoiled({ id: 'odd', hired_on: 'soon' }),
    tooLarge: spoiled({ id: 'large', name: 'x'.repeat(20_000) }),
  },
  reached: {
    over: 'http',
    server,
    answer,
    listOf: ({ url }) => url.pathname,
    answerSize(items) {
      size = items;
    },
    renewal: { unsupported: 'its token does not expire' },
    invalidResponses: {
      withoutList: (reply) => ({ ...reply, body: { ...bodyOf(reply), people: undefined } }),
      emptied: (reply) => ({ ...reply, body: { ...bodyOf(reply), people: [], next: undefined } }),
      repeating: (reply, earlier) => ({
        ...reply,
        body: { ...bodyOf(reply), people: [...bodyOf(reply).people, ...bodyOf(earlier).people] },
      }),
      emptyBefore(reply, { url }, nth) {
        const here = (url.searchParams.get('page') ?? `0.${position}`).split('~')[0];
        return { ...reply, body: { ...bodyOf(reply), people: [], next: `${here}~${nth}` } };
      },
      leadingTo: { unsupported: 'its pages have tokens, not links' },
      expired: gone,
    },
  },
});

describe('a record of the template connector', () => {
  it('is mapped without a configured mapping', async () => {
    server.serve(answer);
    fill([]);
    write({ id: 7, login: 'ann', name: 'Ann Moss', hired_on: '2026-01-31', active: false });
    expect((await read(open())).records).toEqual([
      {
        external_id: '7',
        fields: {
          user_principal_name: ['ann'],
          display_name: ['Ann Moss'],
          hire_date: ['2026-01-31T00:00:00.000Z'],
          status: ['inactive'],
        },
      },
    ]);
  });

  it('cannot be a machine identity', () => {
    const config = { url: server.origin, external_id: 'id' };
    const access = { secrets: { token }, allowedCidrs: loopback };
    expect(() => templateConnector('machine_identity', config, access)).toThrow('has no machine identities');
  });
});
