import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { names, readAll, readSince } from '../../test/source-fixture.js';
import { eachDatabase, type SqlServer, serverOf } from '../../test/sql-server.js';
import { CheckpointExpired, type Cursor } from '../connector.js';

eachDatabase(describe)('incremental reads from %s', (system) => {
  let server: SqlServer;
  const config = { table: 'staff', changed_at: 'changed', deleted: 'gone', overlap_seconds: 0 };
  beforeAll(async () => {
    server = await serverOf(system);
    await server.run(
      `create table staff (id varchar(20) primary key, name ${server.types.text}, changed ${server.types.moment}, gone boolean)`,
    );
  });
  afterAll(() => server?.close());

  /** Returns a time in the past with this second. */
  async function write(id: string, name: string, second: number | undefined, gone = false) {
    const changed =
      second === undefined ? null : new Date(Date.UTC(2026, 0, 1) + second * 1_000).toISOString().slice(0, 19);
    await server.run('delete from staff where id = ?', [id]);
    await server.run('insert into staff values (?, ?, ?, ?)', [id, name, changed?.replace('T', ' '), gone]);
  }
  const empty = () => server.run('delete from staff');
  const checkpointOf = ({ pages }: { pages: { checkpoint?: Cursor }[] }) => pages.at(-1)?.checkpoint ?? {};

  it('return changes and deletions since the last change before the previous read', async () => {
    await empty();
    await write('a', 'A', 10);
    await write('b', 'B', 20);
    await write('c', 'C', undefined);
    const connector = server.connector(config);
    expect(connector.reportsChanges).toBe(true);
    const first = await readAll(connector, 1);
    expect(names(first.records)).toEqual([
      ['a', 'A'],
      ['b', 'B'],
      ['c', 'C'],
    ]);
    expect(first.pages.map((page) => page.checkpoint !== undefined)).toEqual([false, false, true]);

    await write('d', 'D', 30);
    await write('a', 'A2', 25);
    await write('b', 'B', 40, true);
    const delta = await readSince(connector, checkpointOf(first), 1);
    expect(names(delta.records)).toEqual([
      ['a', 'A2'],
      ['d', 'D'],
    ]);
    expect(delta.pages.flatMap((page) => page.removed)).toEqual(['b']);

    const again = await readSince(connector, checkpointOf(delta));
    expect(again.records).toEqual([]);
    expect(again.pages.flatMap((page) => page.removed)).toEqual(['b']);
  });

  it('return the row of an id that counts, although only another row of it has changed', async () => {
    await server.run('drop table if exists positions');
    await server.run(
      `create table positions (nr integer primary key, id varchar(20), title varchar(20), state varchar(20), changed ${server.types.moment}, gone boolean)`,
    );
    const put = async (nr: number, title: string, state: string, second: number, gone = false) => {
      const changed = `2026-01-01 00:00:${second}`;
      await server.run('delete from positions where nr = ?', [nr]);
      await server.run('insert into positions values (?, ?, ?, ?, ?, ?)', [nr, '77', title, state, changed, gone]);
    };
    const connector = server.connector({
      ...config,
      table: 'positions',
      key: 'nr',
      fields: { job_title: 'title', status: 'state' },
    });
    await put(1, 'Nurse', 'active', 10);
    await put(2, 'Trainee', 'active', 11);
    let checkpoint = checkpointOf(await readAll(connector));
    const changes = async () => {
      const { records, pages } = await readSince(connector, checkpoint, 1);
      checkpoint = checkpointOf({ pages });
      const titles = new Set(records.map(({ fields }) => fields.job_title?.[0]));
      return { titles: [...titles], last: records.at(-1)?.fields.status };
    };
    await put(2, 'Trainee', 'inactive', 20);
    expect(await changes()).toEqual({ titles: ['Nurse'], last: ['active'] });
    await put(2, 'Trainee', 'inactive', 30, true);
    expect(await changes()).toEqual({ titles: ['Nurse'], last: ['active'] });
    await put(1, 'Nurse', 'inactive', 40);
    expect(await changes()).toEqual({ titles: ['Nurse'], last: ['inactive'] });
    expect(await connector.readOne?.('77', new AbortController().signal)).toMatchObject({
      record: { fields: { job_title: ['Nurse'] } },
    });
    await put(2, 'Trainee', 'active', 50);
    expect(await connector.readOne?.('77', new AbortController().signal)).toMatchObject({
      record: { fields: { job_title: ['Trainee'] } },
    });
    await put(3, 'Clerk', 'inactive', 50);
    expect(await connector.readOne?.('77', new AbortController().signal)).toMatchObject({
      record: { fields: { job_title: ['Trainee'] } },
    });
  });

  it('find late commits within the overlap', async () => {
    await empty();
    await write('a', 'A', 1_000);
    const first = await readAll(server.connector(config));
    await write('b', 'B', 500);
    expect((await readSince(server.connector(config), checkpointOf(first))).records).toHaveLength(1);
    const wide = server.connector({ ...config, overlap_seconds: 600 });
    expect(names((await readSince(wide, checkpointOf(first))).records)).toEqual([
      ['b', 'B'],
      ['a', 'A'],
    ]);
  });

  it('find the changes of an hour that a clock without a zone repeats, and a test says so', async () => {
    const unzoned = system === 'MariaDB' ? 'datetime(6)' : 'timestamp';
    await server.run(`create table shifts (id varchar(20) primary key, name varchar(20), changed ${unzoned})`);
    await server.run("insert into shifts values ('a', 'A', '2026-10-25 02:50:00'), ('z', 'Z', '2026-10-25 01:40:00')");
    const connector = server.connector({ table: 'shifts', changed_at: 'changed', overlap_seconds: 0 });
    const checkpoint = checkpointOf(await readAll(connector));
    await server.run("insert into shifts values ('b', 'B', '2026-10-25 02:10:00')");
    expect(names((await readSince(connector, checkpoint)).records)).toEqual([
      ['b', 'B'],
      ['a', 'A'],
    ]);
    expect((await connector.describe?.(new AbortController().signal))?.warnings).toContain(
      '"changed" has no time zone, and clocks repeat an hour in autumn: incremental runs read one more hour of changes',
    );
  });

  it('miss no change because of a time years ahead', async () => {
    await empty();
    await write('a', 'A', 10);
    await write('z', 'Z', 300_000_000);
    const first = await readAll(server.connector(config));
    expect(first.records).toHaveLength(2);
    await write('b', 'B', 20);
    expect(names((await readSince(server.connector(config), checkpointOf(first))).records)).toContainEqual(['b', 'B']);
  });

  it('return all rows of a table that was empty before', async () => {
    await empty();
    const first = await readAll(server.connector(config));
    const none = await readSince(server.connector(config), checkpointOf(first));
    expect(none.pages).toMatchObject([{ records: [], last: true }]);
    await write('a', 'A', 10);
    expect(names((await readSince(server.connector(config), checkpointOf(none))).records)).toEqual([['a', 'A']]);
  });

  it('throw CheckpointExpired when the last change is gone or the configuration was changed', async () => {
    await empty();
    await write('a', 'A', 10);
    await write('b', 'B', 20);
    const checkpoint = checkpointOf(await readAll(server.connector(config)));
    for (const change of [{ fields: { email: 'name' } }, { deleted: undefined }]) {
      await expect(readSince(server.connector({ ...config, ...change }), checkpoint)).rejects.toThrow(
        CheckpointExpired,
      );
    }
    await expect(readSince(server.connector({ ...config, timeout_seconds: 9 }), checkpoint)).resolves.toBeDefined();
    await server.run("delete from staff where id = 'b'");
    await expect(readSince(server.connector(config), checkpoint)).rejects.toThrow(CheckpointExpired);
    await empty();
    await expect(readSince(server.connector(config), checkpoint)).rejects.toThrow(CheckpointExpired);
  });

  it('reach the same state as full reads for any page size and any interruption', async () => {
    const id = fc.constantFrom('a', 'B', 'c', 'D e', "f'", 'g', 'ö', '10', '9', '\u{1f680}');
    const change = fc.record({
      id,
      name: fc.constantFrom('x', 'y', 'z'),
      step: fc.integer({ min: 0, max: 2 }),
      gone: fc.boolean(),
    });
    const changes = fc.array(change, { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(changes, changes, fc.integer({ min: 1, max: 5 }), async (before, after, pageSize) => {
        await empty();
        const connector = server.connector({ ...config, overlap_seconds: 1 });
        let second = 0;
        const writeAll = async (rows: typeof before) => {
          for (const row of rows) {
            second += row.step;
            await write(row.id, row.name, second, row.gone);
          }
        };
        await writeAll(before);
        const known = await readAll(connector, pageSize);
        const state = new Map(names(known.records));
        await writeAll(after);

        const checkpoint = checkpointOf(known);
        const delta = await readSince(connector, checkpoint, pageSize);
        let seen = 0;
        for (const page of delta.pages) {
          for (const gone of page.removed ?? []) state.delete(gone);
          for (const [changed, name] of names(page.records)) state.set(changed, name);
          seen += page.records.length;
          if (page.last) continue;
          const rest = await readSince(connector, checkpoint, pageSize, page.cursor);
          expect(rest.records).toEqual(delta.records.slice(seen));
        }
        const full = await readAll(connector);
        expect([...state].sort()).toEqual(names(full.records).sort());
        expect(checkpointOf(delta)).toEqual(checkpointOf(full));
      }),
      { numRuns: 25 },
    );
  });
});
