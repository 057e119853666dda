import { afterAll, beforeAll, describe } from '@jest/globals';
import { conforms } from '../../test/conformance/conforms.js';
import type { Person, Spoiled } from '../../test/conformance/source-under-test.js';
import { eachDatabase, type SqlServer, serverOf } from '../../test/sql-server.js';
import { Wire } from '../../test/wire.js';

eachDatabase(describe)('the SQL connector with %s:', (name) => {
  const text = name === 'MariaDB' ? 'longtext' : 'text';
  let server: SqlServer;
  let wire: Wire;
  /** `changed` of the next written row, in seconds of a day in the past. */
  let second = 0;
  beforeAll(async () => {
    server = await serverOf(name);
    wire = await Wire.to(server.port);
    await server.run(
      `create table people (n bigint primary key, id varchar(40), login varchar(40), name ${text}, state varchar(20),
         changed ${server.types.moment} not null, gone boolean)`,
    );
  });
  afterAll(async () => {
    await wire?.close();
    await server?.close();
  });

  const fields = { user_principal_name: 'login', display_name: 'name', status: 'state' };
  const config = { table: 'people', key: 'n', fields, changed_at: 'changed', deleted: 'gone', overlap_seconds: 0 };
  const open = () => server.connector({ ...config, port: wire.port });
  const numberOf = (id: string) => Number(id.replace('id', ''));
  async function write(n: number, id: string | null, person: Omit<Person, 'id'>, state?: string): Promise<void> {
    second += 1;
    const changed = new Date(Date.UTC(2026, 0, 1) + second * 1_000).toISOString().slice(0, 19).replace('T', ' ');
    const status = state ?? (person.enabled ? 'active' : 'suspended');
    await server.run('delete from people where n = ?', [n]);
    const row = [n, id, person.login, person.name, status, changed, false];
    await server.run('insert into people values (?, ?, ?, ?, ?, ?, ?)', row);
  }
  async function fill(people: readonly Person[]): Promise<void> {
    await server.run('delete from people');
    for (const person of people) await put(person);
  }
  const put = (person: Person) => write(numberOf(person.id), person.id, person);
  async function remove(id: string): Promise<void> {
    second += 1;
    const changed = new Date(Date.UTC(2026, 0, 1) + second * 1_000).toISOString().slice(0, 19).replace('T', ' ');
    await server.run('update people set gone = ?, changed = ? where n = ?', [true, changed, numberOf(id)]);
  }
  const odd = { login: 'odd', name: 'Odd', enabled: true };
  const spoiled =
    (id: string | null, change: object, state?: string): Spoiled =>
    async (people) => {
      await fill(people);
      await write(-1, id, { ...odd, ...change }, state);
      return open();
    };

  conforms({
    name,
    open,
    fill,
    emptySource: 'complete',
    secrets: ['secret word', 'not asked for'],
    discovers: ['id', 'login', 'name'],
    readsOne: { unknownId: 'nobody' },
    changes: { reports: 'everything', put, remove, expire: () => server.run('delete from people') },
    bad: {
      withoutId: spoiled(null, {}),
      ofWrongType: spoiled('odd', {}, 'retired'),
      tooLarge: spoiled('large', { name: 'x'.repeat(20_000) }),
    },
    reached: { over: 'tcp', wire: () => wire },
    runs: 8,
  });
});
