import { encodeId, type SourceRecord } from '@idsync/contracts';
import { shownDetails } from '@idsync/database/bus';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Harness, row } from '../../test/harness.js';
import { applyDue } from '../background/due-work.js';

let harness: Harness;

beforeAll(async () => {
  harness = await Harness.create();
});

beforeEach(() => harness.newTenant());

afterAll(() => harness?.close());

interface Shown {
  id: string;
  document: string;
  updated_at: Date;
}

interface Recorded {
  type: string;
  identity_id: string;
  details: ReturnType<typeof shownDetails>;
}

const state = () =>
  harness.fixture.rows<Shown>('select id, document, updated_at from identities where tenant_id = $1', [harness.tenant]);
const lastSequence = async () =>
  (
    await harness.fixture.rows<{ last: number }>('select last from event_sequences where tenant_id = $1', [
      harness.tenant,
    ])
  )[0]?.last ?? 0;

/** Makes a change and returns its events. Fails if an identity is shown differently and has no event. */
async function changed(change: () => Promise<unknown>): Promise<Recorded[]> {
  const [before, sequence] = [new Map((await state()).map((each) => [each.id, each])), await lastSequence()];
  await change();
  const events = await harness.fixture.rows<Recorded>(
    'select type, identity_id, details from events where tenant_id = $1 and sequence > $2 order by sequence',
    [harness.tenant, sequence],
  );
  const told = new Set(events.map(({ identity_id }) => identity_id));
  for (const { id, document, updated_at } of await state()) {
    const old = before.get(id);
    if (old?.document === document) continue;
    expect({ document, hasEvent: told.has(id) }).toEqual({ document, hasEvent: true });
    if (old) expect(updated_at.getTime()).toBeGreaterThan(old.updated_at.getTime());
  }
  return events.map((event) => ({ ...event, details: shownDetails(event.details) }));
}

const userId = async (externalId: string) => encodeId('user', (await harness.record(externalId)).id);
const listsOfUsers = (events: Recorded[]) =>
  events
    .filter(({ type }) => type === 'identity.updated')
    .flatMap(({ details }) => details.changes ?? [])
    .filter(({ field }) => field === 'users');

describe('an identity', () => {
  it('has identity.updated for a user who joins it without changing its values', async () => {
    const [hr, directory] = [
      await harness.fixture.connector(harness.tenant),
      await harness.fixture.connector(harness.tenant),
    ];
    const ann = { employee_number: '7', first_name: 'Ann', last_name: 'Lee' };
    await harness.sync(hr, [row('hr', ann)]);
    const events = await changed(() => harness.sync(directory, [row('ad', ann)]));
    expect(events.map(({ type }) => type)).toEqual(['user.created', 'identity.updated']);
    expect(events[1]?.details.changes).toEqual([
      { field: 'users', to: await userId('ad'), source: encodeId('connector', directory) },
    ]);
  });

  it('has identity.updated when a deleted user of it is purged', async () => {
    const [hr, directory] = [
      await harness.fixture.connector(harness.tenant),
      await harness.fixture.connector(harness.tenant),
    ];
    await harness.sync(hr, [row('hr', { employee_number: '7' })]);
    await harness.sync(directory, [row('ad', { employee_number: '7' })]);
    await changed(() => harness.sync(directory, [row('ad', { employee_number: '7', status: 'deleted' })]));
    const id = await userId('ad');
    const events = await changed(() =>
      applyDue(harness.database, harness.tenant, new Date(Date.now() + 40 * 86_400_000)),
    );
    expect(listsOfUsers(events)).toEqual([expect.objectContaining({ from: id })]);
  });

  it('has an event for every change of what it shows, whatever its sources report', async () => {
    const one = (...values: string[]) => fc.option(fc.constantFrom(...values), { nil: undefined });
    const values = fc.record({
      employee_number: one('1', '2', '3'),
      email: one('a@x.org', 'b@x.org'),
      first_name: one('Ann', 'Bob'),
      last_name: one('Lee'),
      status: one('active', 'inactive', 'deleted'),
    });
    const step = fc.record({
      source: fc.nat(2),
      rows: fc.array(fc.tuple(fc.nat(3), values), { minLength: 1, maxLength: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 6 }), async (steps) => {
        await harness.newTenant();
        const kinds = ['user', 'user', 'account'] as const;
        const connectors = await Promise.all(
          kinds.map((records, at) => harness.fixture.connector(harness.tenant, { records, priority: at })),
        );
        for (const { source, rows } of steps) {
          const records = new Map(rows.map(([at, fields]) => [`${source}-${at}`, fields]));
          await changed(() =>
            harness.sync(
              connectors[source] as string,
              [...records].map(([id, fields]): SourceRecord => {
                const { status, ...rest } = fields;
                const said = status === 'inactive' && source === 2 ? 'disabled' : status;
                const listed = Object.entries({ ...rest, status: said }).filter(([, value]) => value !== undefined);
                return row(id, Object.fromEntries(listed) as Record<string, string>);
              }),
            ),
          );
        }
      }),
      { numRuns: 25 },
    );
  });
});
