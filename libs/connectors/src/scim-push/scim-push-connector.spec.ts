import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { idOf, Pushes } from '../../test/pushes.js';
import { expectEachAlone } from '../../test/read-one.js';
import { known, read, readInPieces } from '../../test/reading.js';
import { CheckpointExpired } from '../connector.js';

const titles = (state: ReturnType<typeof known>) =>
  new Set([...state].map(([id, fields]) => `${id} ${fields.job_title?.[0]}`));
const document = (title: string) => ({ userName: 'someone', title });

const push = fc.record({ name: fc.nat(9), title: fc.option(fc.constantFrom('a', 'b', 'c'), { nil: undefined }) });
const pushes = fc.array(push, { maxLength: 25 });

describe('the scim-push connector', () => {
  it('reaches the same state by incremental reads as by a full read, for any page size and during pushes', async () => {
    await fc.assert(
      fc.asyncProperty(
        pushes,
        pushes,
        pushes,
        fc.integer({ min: 1, max: 7 }),
        async (before, during, after, pageSize) => {
          const source = new Pushes();
          const apply = (list: typeof before) => {
            for (const { name, title } of list) source.push(name, title === undefined ? undefined : document(title));
          };
          apply(before);
          const rest = [...during];
          const first = await readInPieces(
            () => source.connector(),
            { pageSize },
            async () => apply(rest.splice(0, 2)),
          );
          apply(rest);
          apply(after);
          const second = await readInPieces(() => source.connector(), { pageSize, since: first.checkpoint });
          expect(titles(known(second, known(first)))).toEqual(source.titles());
          expect(titles(known(await read(source.connector())))).toEqual(source.titles());
        },
      ),
    );
  });

  it('maps users as the standard defines, with group names and the internal id', async () => {
    const source = new Pushes();
    source.push(1, {
      userName: 'ada@example.com',
      externalId: 'E1',
      name: { givenName: 'Ada', familyName: 'Lovelace' },
      active: false,
      emails: [{ value: 'ada@example.com', type: 'work' }],
      groups: [{ value: idOf(5), display: 'Staff' }],
      'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': { manager: { value: idOf(2) } },
    });
    const { records } = await read(source.connector());
    expect(records).toEqual([
      {
        external_id: idOf(1),
        fields: expect.objectContaining({
          user_principal_name: ['ada@example.com'],
          first_name: ['Ada'],
          email: ['ada@example.com'],
          groups: ['Staff'],
          manager_id: [idOf(2)],
          status: ['inactive'],
        }),
        memberships: [{ id: idOf(5), name: 'Staff' }],
      },
    ]);
    expect((await source.connector().discover?.(new AbortController().signal))?.map(({ name }) => name)).toContain(
      'name.givenName',
    );
  });

  it('takes the primary email, otherwise the one of type work, otherwise the first', async () => {
    const source = new Pushes();
    const home = { value: 'ada@home.example', type: 'home' };
    const work = { value: 'ada@work.example', type: 'work' };
    source.push(1, { userName: 'a', emails: [home, work, { value: 'ada@primary.example', primary: true }] });
    source.push(2, { userName: 'b', emails: [home, work] });
    source.push(3, { userName: 'c', emails: [home, { value: 'ada@other.example', type: 'other' }] });
    const { records } = await read(source.connector());
    expect(records.map(({ fields }) => fields.email)).toEqual([
      ['ada@primary.example'],
      ['ada@work.example'],
      ['ada@home.example'],
    ]);
  });

  it('reports an unusable user by id and position and returns the others', async () => {
    const source = new Pushes();
    for (const name of [1, 2, 3]) source.push(name, document(name === 2 ? 'x'.repeat(20_000) : 'fine'));
    const { records, errors } = await read(source.connector(), { pageSize: 1 });
    expect(records).toHaveLength(2);
    expect(errors).toEqual([{ line: 2, external_id: idOf(2), message: 'job_title is longer than 16 KiB' }]);
  });

  it('requires a full read when deletions since the checkpoint are no longer stored', async () => {
    const source = new Pushes();
    for (const name of [1, 2]) source.push(name, document('a'));
    const { checkpoint } = await read(source.connector());
    source.push(1, undefined);
    expect((await read(source.connector(), { since: checkpoint })).removed).toEqual([idOf(1)]);
    source.forgetDeletions();
    await expect(read(source.connector(), { since: checkpoint })).rejects.toThrow(CheckpointExpired);
  });

  it('stops when the signal is aborted and rejects the cursor of another source', async () => {
    const source = new Pushes();
    source.push(1, document('a'));
    source.push(2, document('b'));
    const stop = new AbortController();
    const pages = source.connector().read({ pageSize: 1, signal: stop.signal })[Symbol.asyncIterator]();
    await pages.next();
    stop.abort(new Error('enough'));
    await expect(pages.next()).rejects.toThrow('enough');
    await expect(read(source.connector(), { since: { offset: 3 } })).rejects.toThrow(
      'not a position in the pushed users',
    );
  });

  it('returns the same result for one record as for a full read', async () => {
    const source = new Pushes();
    for (const name of [1, 2, 3, 4]) source.push(name, document('a'));
    source.push(4, undefined);
    expect(await expectEachAlone(source.connector(), [idOf(4), 'nobody'])).toHaveLength(3);
  });
});
