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

describe('what was pushed', () => {
  it('is known after a full read and reads of changes as after a full read alone, in whatever pages, while pushes go on', async () => {
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

  it('is mapped as the standard says, its groups by their names, and told apart by its id here', async () => {
    const source = new Pushes();
    source.push(1, {
      userName: 'ada@example.com',
      externalId: 'E1',
      name: { givenName: 'Ada', familyName: 'Lovelace' },
      active: false,
      emails: [{ value: 'ada@example.com', type: 'work' }],
      groups: [{ value: idOf(5), display: 'Staff' }],
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
          status: ['inactive'],
        }),
      },
    ]);
    expect((await source.connector().discover?.(new AbortController().signal))?.map(({ name }) => name)).toContain(
      'name.givenName',
    );
  });

  it('and cannot be used is told with its id and its place, and keeps nobody else out', async () => {
    const source = new Pushes();
    for (const name of [1, 2, 3]) source.push(name, document(name === 2 ? 'x'.repeat(20_000) : 'fine'));
    const { records, errors } = await read(source.connector(), { pageSize: 1 });
    expect(records).toHaveLength(2);
    expect(errors).toEqual([{ line: 2, external_id: idOf(2), message: 'job_title is longer than 16 KiB' }]);
  });

  it('has to be read in full where deletions were forgotten since', async () => {
    const source = new Pushes();
    for (const name of [1, 2]) source.push(name, document('a'));
    const { checkpoint } = await read(source.connector());
    source.push(1, undefined);
    expect((await read(source.connector(), { since: checkpoint })).removed).toEqual([idOf(1)]);
    source.forgetDeletions();
    await expect(read(source.connector(), { since: checkpoint })).rejects.toThrow(CheckpointExpired);
  });

  it('is no longer read once that is not wanted, and not from a place of another source', async () => {
    const source = new Pushes();
    source.push(1, document('a'));
    const stop = new AbortController();
    const pages = source.connector().read({ pageSize: 1, signal: stop.signal })[Symbol.asyncIterator]();
    await pages.next();
    stop.abort(new Error('enough'));
    await expect(pages.next()).rejects.toThrow('enough');
    await expect(read(source.connector(), { since: { offset: 3 } })).rejects.toThrow('not one among what was pushed');
  });

  it('is read one by one as all at once', async () => {
    const source = new Pushes();
    for (const name of [1, 2, 3, 4]) source.push(name, document('a'));
    source.push(4, undefined);
    expect(await expectEachAlone(source.connector(), [idOf(4), 'nobody'])).toHaveLength(3);
  });
});
