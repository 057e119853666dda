import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CheckpointExpired, type Cursor, type Page, SourceError } from '../../src/connector.js';
import { attempt, given, inPieces, people, stateAfter, whole } from './readings.js';
import { type Changes, isLacking, type Person, type SourceUnderTest, skipped } from './source-under-test.js';

/** One change of a history. A rename gives another login to somebody who stays the same. */
type Act = { kind: 'add or change' | 'rename' | 'delete'; id: string; name: string; enabled: boolean };

const act: fc.Arbitrary<Act> = fc.record({
  kind: fc.constantFrom('add or change', 'add or change', 'rename', 'delete'),
  id: fc.nat(6).map((n) => `id${n}`),
  name: fc.constantFrom('Ann', 'Bob', 'Cyd'),
  enabled: fc.boolean(),
});
const histories = fc.array(fc.array(act, { maxLength: 5 }), { minLength: 1, maxLength: 4 });

export function testsChanges(source: SourceUnderTest): void {
  const { changes } = source;
  if (isLacking(changes)) {
    it(`tells no changes, and wants everything to be read where it is asked for them: ${changes.lacks}`, async () => {
      await given(source, people(2));
      const [last] = (await whole(source, { pageSize: 5 })).slice(-1);
      expect(source.open().tellsChanges ?? false).toBe(false);
      expect(last?.checkpoint).toBeUndefined();
      const { error } = await attempt(source, { pageSize: 5, since: { anything: 1 } });
      expect(error).toBeInstanceOf(CheckpointExpired);
    });
    return;
  }

  it('comes to the same by changes as by reading everything, also left in the middle of them', async () => {
    await fc.assert(
      fc.asyncProperty(histories, fc.integer({ min: 1, max: 5 }), fc.boolean(), async (history, size, dies) => {
        let there = new Map(people(4).map((person) => [person.id, person]));
        await given(source, [...there.values()], size);
        const first = await whole(source, { pageSize: size });
        let state = stateAfter(first);
        let since = checkpointOf(first);
        for (const round of history) {
          there = await write(source, changes, there, round);
          const read = (from?: Cursor) => readSince(source, size, dies, from);
          const told = await read(since).catch((error: unknown) => {
            expect(error).toBeInstanceOf(CheckpointExpired);
            expect(mayExpire(changes, round)).toBe(true);
          });
          state = stateAfter(told ?? (await read()), told ? state : new Map());
          since = told ? checkpointOf(told) : checkpointOf(await whole(source, { pageSize: size }));
          const full = stateAfter(await whole(source, { pageSize: size }));
          if (changes.tell !== 'everything') for (const id of state.keys()) if (!full.has(id)) state.delete(id);
          expect(state).toEqual(full);
        }
      }),
      { numRuns: source.runs ?? 20 },
    );
  });

  it('misses nothing that changes while everything is read', async () => {
    await given(source, people(6), 2);
    const [first, second, third, , , sixth] = people(6) as [Person, Person, Person, Person, Person, Person];
    // Behind, ahead, gone, new and renamed: one after each page.
    const acts = [
      () => changes.put({ ...first, name: 'Behind' }),
      () => changes.put({ ...sixth, name: 'Ahead' }),
      () => changes.remove(second.id),
      () => changes.put({ id: 'id9', login: 'login9', name: 'New', enabled: true }),
      () => changes.put({ ...third, login: 'renamed' }),
    ];
    const pages: Page[] = [];
    try {
      for await (const page of source.open().read({ pageSize: 1, signal: new AbortController().signal })) {
        pages.push(page);
        await acts.shift()?.();
      }
    } catch (error) {
      // Who cannot tell that somebody went cannot read on where that happens, and says so.
      expect(error).toBeInstanceOf(SourceError);
      expect(changes.tell).toBe('until_somebody_goes');
      return;
    }
    expect(acts).toEqual([]);
    const told = await attempt(source, { pageSize: 2, since: checkpointOf(pages) });
    if (told.error !== undefined) {
      expect(told.error).toBeInstanceOf(CheckpointExpired);
      expect(changes.tell).toMatch(/^(until_somebody_goes|that_there_are_none)$/);
      return;
    }
    const state = stateAfter(told.pages, stateAfter(pages));
    const full = stateAfter(await whole(source, { pageSize: 2 }));
    if (changes.tell !== 'everything') for (const id of state.keys()) if (!full.has(id)) state.delete(id);
    expect(state).toEqual(full);
  });

  it('tells of one change, and then of none', async () => {
    await given(source, people(4), 2);
    const since = checkpointOf(await whole(source, { pageSize: 2 }));
    const quiet = await whole(source, { pageSize: 2, since });
    expect(checkpointOf(quiet)).toBeDefined();
    if (changes.tell === 'that_there_are_none') return expect(quiet.flatMap(({ records }) => records)).toEqual([]);
    await changes.put({ id: 'id9', login: 'login9', name: 'Newcomer', enabled: true });
    const told = await whole(source, { pageSize: 2, since: checkpointOf(quiet) });
    const names = told.flatMap(({ records }) => records).map(({ fields }) => fields.display_name?.[0]);
    expect(names).toContain('Newcomer');
  });

  const { expire } = changes;
  const tooOld = 'wants everything to be read where a checkpoint is too old';
  if (isLacking(expire)) {
    skipped(`${source.name} ${tooOld}`, expire);
    return;
  }
  it(tooOld, async () => {
    await given(source, people(5), 2);
    const since = checkpointOf(await whole(source, { pageSize: 2 }));
    await expire();
    await expect(whole(source, { pageSize: 2, since })).rejects.toBeInstanceOf(CheckpointExpired);
  });
}

/** Of a source that tells changes: absent is wrong. */
function checkpointOf(pages: readonly Page[]): Cursor {
  const checkpoint = pages.at(-1)?.checkpoint;
  if (!checkpoint) throw new Error('the last page has no checkpoint');
  return checkpoint;
}

function readSince(source: SourceUnderTest, pageSize: number, dies: boolean, since?: Cursor): Promise<Page[]> {
  const options = { pageSize, ...(since && { since }) };
  return dies ? inPieces(source, options) : whole(source, options);
}

/** Nobody is deleted last where a source of nobody is refused. */
async function write(
  { nobody }: SourceUnderTest,
  changes: Changes,
  before: ReadonlyMap<string, Person>,
  round: readonly Act[],
): Promise<Map<string, Person>> {
  const after = new Map(before);
  for (const { kind, ...told } of round) {
    const known = after.get(told.id);
    if (kind === 'delete') {
      if (!known || (nobody === 'refused' && after.size === 1)) continue;
      await changes.remove(told.id);
      after.delete(told.id);
      continue;
    }
    const login = known && kind === 'rename' ? `${known.login}x`.slice(-12) : told.id;
    const person = kind === 'rename' && known ? { ...known, login } : { login, ...told };
    await changes.put(person);
    after.set(told.id, person);
  }
  return after;
}

function mayExpire({ tell }: Changes, round: readonly Act[]): boolean {
  if (tell === 'that_there_are_none') return round.length > 0;
  return tell === 'until_somebody_goes' && round.some(({ kind }) => kind === 'delete');
}
