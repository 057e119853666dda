import type { SourceRecord } from '@idsync/contracts';
import type { Database } from '@idsync/database';
import { type DirectoryFixture, ServiceDatabase } from '@idsync/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { applyPlanned } from '../../test/apply-planned.js';
import { applyBatch } from '../batch/apply-batch.js';

let own: ServiceDatabase;
let database: Database;
let fixture: DirectoryFixture;
let tenant: string;
let source: string;

beforeAll(async () => {
  own = await ServiceDatabase.start('directory');
  ({ database, fixture } = own);
});

beforeEach(async () => {
  tenant = await fixture.tenant();
  source = await fixture.connector(tenant);
});

afterAll(async () => {
  await own?.close();
});

const person = (externalId: string, ...groups: string[]): SourceRecord => ({
  external_id: externalId,
  fields: { email: [`${externalId}@example.org`], ...(groups.length > 0 && { groups }) },
});

async function sync(...batches: SourceRecord[][]): Promise<void> {
  const job = await fixture.job(tenant, source);
  const sent = await Promise.all(batches.map((each, seq) => fixture.batch(tenant, source, job, seq, each)));
  await Promise.all(sent.map((batch) => applyBatch(database, batch, {})));
  await applyPlanned({ database, fixture, tenant }, job);
}

/** The events of groups, each as a line: its type, the group and the numbers of added and removed members. */
async function events(): Promise<string[]> {
  const rows = await fixture.rows<{ line: string }>(
    `select concat_ws(' ', replace(type, 'group.', ''), details ->> 'name',
              '+' || jsonb_array_length(details -> 'added'), '-' || jsonb_array_length(details -> 'removed')) as line
       from events where tenant_id = $1 and type like 'group.%' order by sequence`,
    [tenant],
  );
  return rows.map(({ line }) => line);
}

describe('events of groups', () => {
  it('report a group from its first member to its last', async () => {
    await sync([person('ann', 'VPN'), person('bob', 'VPN', 'All'), person('cat', 'All')]);
    const begun = ['created All', 'members_changed All +2 -0', 'created VPN', 'members_changed VPN +2 -0'];
    expect(await events()).toEqual(begun);

    await sync([person('ann', 'All'), person('bob', 'All'), person('cat', 'All')]);
    const moved = [...begun, 'members_changed All +1 -0', 'members_changed VPN +0 -2', 'deleted VPN'];
    expect(await events()).toEqual(moved);

    await sync([person('ann', 'All', 'VPN'), person('bob', 'All'), person('cat', 'All')]);
    expect(await events()).toEqual([...moved, 'created VPN', 'members_changed VPN +1 -0']);
  });

  it('are none for members that stay', async () => {
    await sync([person('ann', 'All')]);
    const before = await events();
    await sync([{ ...person('ann', 'All'), fields: { ...person('ann', 'All').fields, job_title: ['Lead'] } }]);
    expect(await events()).toEqual(before);
  });

  it('create a group once if concurrent batches bring its first members', async () => {
    await sync(...Array.from({ length: 6 }, (_, nth) => [person(`p${nth}`, 'All')]));
    const all = await events();
    expect(all.filter((line) => line === 'created All')).toHaveLength(1);
    expect(all.filter((line) => line === 'members_changed All +1 -0')).toHaveLength(6);
  });

  it('belong to the tenant of the group', async () => {
    await sync([person('ann', 'All')]);
    const [before, other] = [await events(), await fixture.tenant()];
    [tenant, source] = [other, await fixture.connector(other)];
    await sync([person('ann', 'All')]);
    expect(await events()).toEqual(before);
    expect(before[0]).toBe('created All');
  });
});
