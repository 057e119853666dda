import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CheckpointExpired, type Cursor, type Page, SourceError } from '../../src/connector.js';
import { attempt, firstPage, given, inPieces, namesIn, people, readComplete, stateAfter } from './readings.js';
import { type Changes, isUnsupported, type Person, type SourceUnderTest, skipped } from './source-under-test.js';

/** One change of a history. A rename changes the login and keeps the id. */
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
  if (isUnsupported(changes)) {
    it(`throws CheckpointExpired for an incremental read because it is not supported: ${changes.unsupported}`, async () => {
      await given(source, people(2));
      const [last] = (await readComplete(source, { pageSize: 5 })).slice(-1);
      expect(source.open().reportsChanges ?? false).toBe(false);
      expect(last?.checkpoint).toBeUndefined();
      const { error } = await attempt(source, { pageSize: 5, since: { anything: 1 } });
      expect(error).toBeInstanceOf(CheckpointExpired);
    });
    return;
  }

  it('reaches the same state by incremental reads as by full reads, also when interrupted', async () => {
    await fc.assert(
      fc.asyncProperty(histories, fc.integer({ min: 1, max: 5 }), fc.boolean(), async (history, size, restarts) => {
        let there = new Map(people(4).map((person) => [person.id, person]));
        await given(source, [...there.values()], size);
        const first = await readComplete(source, { pageSize: size });
        let state = stateAfter(first);
        let since = checkpointOf(first);
        for (const round of history) {
          there = await write(source, changes, there, round);
          const read = (from?: Cursor) => readSince(source, size, restarts, from);
          const changed = await read(since).catch((error: unknown) => {
            expect(error).toBeInstanceOf(CheckpointExpired);
            expect(mayExpire(changes, round)).toBe(true);
          });
          state = stateAfter(changed ?? (await read()), changed ? state : new Map());
          since = changed ? checkpointOf(changed) : checkpointOf(await readComplete(source, { pageSize: size }));
          const full = stateAfter(await readComplete(source, { pageSize: size }));
          if (changes.reports !== 'everything') for (const id of state.keys()) if (!full.has(id)) state.delete(id);
          expect(state).toEqual(full);
        }
      }),
      { numRuns: source.runs ?? 20 },
    );
  });

  it('reports changes made during a full read', async () => {
    await given(source, people(6), 2);
    const [first, second, third, , , sixth] = people(6) as [Person, Person, Person, Person, Person, Person];
    // One change after each page: already read, not yet read, deleted, added and renamed.
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
      // A source that cannot report deletions has to fail when a record is deleted during the read.
      expect(error).toBeInstanceOf(SourceError);
      expect(changes.reports).toBe('until_deletion');
      return;
    }
    expect(acts).toEqual([]);
    await expectAllReported(source, changes, pages);
  });

  it('reports changes made before another process resumes a full read', async () => {
    await given(source, people(6), 2);
    const begun = await firstPage(source, { pageSize: 2 });
    // In a list by index, an added record may move those before the cursor, and the read is refused.
    const ids = ['id0', 'id5', ...(changes.reports === 'until_deletion' ? [] : ['id9'])];
    const there = ids.map((id) => ({ id, login: id, name: `New name of ${id}`, enabled: true }));
    for (const person of there) await changes.put(person);
    if (changes.reports === 'everything') await changes.remove('id1');
    const rest = await attempt(source, { pageSize: 2, cursor: begun.cursor });
    if (changes.reports === 'only_no_change') return expect(rest.error).toBeInstanceOf(SourceError);
    expect(rest.error).toBeUndefined();
    // The checkpoint has to date from before the first page, even if a later page contains the changes.
    const changed = await expectAllReported(source, changes, [begun, ...rest.pages]);
    expect(namesIn(changed.flatMap(({ records }) => records))).toEqual(
      expect.arrayContaining(there.map(({ name }) => name)),
    );
  });

  it('reports no changes at first and then one added record', async () => {
    await given(source, people(4), 2);
    const since = checkpointOf(await readComplete(source, { pageSize: 2 }));
    const quiet = await readComplete(source, { pageSize: 2, since });
    expect(checkpointOf(quiet)).toBeDefined();
    if (changes.reports === 'only_no_change') return expect(quiet.flatMap(({ records }) => records)).toEqual([]);
    await changes.put({ id: 'id9', login: 'login9', name: 'Newcomer', enabled: true });
    const changed = await readComplete(source, { pageSize: 2, since: checkpointOf(quiet) });
    const names = changed.flatMap(({ records }) => records).map(({ fields }) => fields.display_name?.[0]);
    expect(names).toContain('Newcomer');
  });

  const { expire } = changes;
  const tooOld = 'restarts with a full read when the checkpoint has expired';
  if (isUnsupported(expire)) {
    skipped(`${source.name} ${tooOld}`, expire);
    return;
  }
  it(tooOld, async () => {
    await given(source, people(5), 2);
    const since = checkpointOf(await readComplete(source, { pageSize: 2 }));
    await expire();
    await expect(readComplete(source, { pageSize: 2, since })).rejects.toBeInstanceOf(CheckpointExpired);
  });
}

/** Returns the checkpoint, which every complete read of a source with change tracking has to have. */
function checkpointOf(pages: readonly Page[]): Cursor {
  const checkpoint = pages.at(-1)?.checkpoint;
  if (!checkpoint) throw new Error('the last page has no checkpoint');
  return checkpoint;
}

/** Expects an incremental read from the checkpoint of a full read to lead to the current state. Returns its pages. */
async function expectAllReported(source: SourceUnderTest, changes: Changes, pages: readonly Page[]): Promise<Page[]> {
  const changed = await attempt(source, { pageSize: 2, since: checkpointOf(pages) });
  if (changed.error !== undefined) {
    expect(changed.error).toBeInstanceOf(CheckpointExpired);
    expect(changes.reports).toMatch(/^(until_deletion|only_no_change)$/);
    return [];
  }
  const state = stateAfter(changed.pages, stateAfter(pages));
  const full = stateAfter(await readComplete(source, { pageSize: 2 }));
  if (changes.reports !== 'everything') for (const id of state.keys()) if (!full.has(id)) state.delete(id);
  expect(state).toEqual(full);
  return changed.pages;
}

function readSince(source: SourceUnderTest, pageSize: number, restarts: boolean, since?: Cursor): Promise<Page[]> {
  const options = { pageSize, ...(since && { since }) };
  return restarts ? inPieces(source, options) : readComplete(source, options);
}

/** Applies a round of changes. Keeps the last record of a source that must not be empty. */
async function write(
  { emptySource }: SourceUnderTest,
  changes: Changes,
  before: ReadonlyMap<string, Person>,
  round: readonly Act[],
): Promise<Map<string, Person>> {
  const after = new Map(before);
  for (const { kind, ...change } of round) {
    const known = after.get(change.id);
    if (kind === 'delete') {
      if (!known || (emptySource === 'refused' && after.size === 1)) continue;
      await changes.remove(change.id);
      after.delete(change.id);
      continue;
    }
    const login = known && kind === 'rename' ? `${known.login}x`.slice(-12) : change.id;
    const person = kind === 'rename' && known ? { ...known, login } : { login, ...change };
    await changes.put(person);
    after.set(change.id, person);
  }
  return after;
}

function mayExpire({ reports }: Changes, round: readonly Act[]): boolean {
  if (reports === 'only_no_change') return round.length > 0;
  return reports === 'until_deletion' && round.some(({ kind }) => kind === 'delete');
}
