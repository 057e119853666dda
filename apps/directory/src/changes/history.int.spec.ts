import { Database } from '@idsync/database';
import { findDocument, findHistory, findIdentityAt } from '@idsync/database/gateway';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Harness, row } from '../../test/harness.js';
import { appliedRun, endJob } from '../../test/whole-run.js';

let directory: Harness;
let gateway: Database;
let hr: string;
let ad: string;

beforeAll(async () => {
  directory = await Harness.create();
  gateway = await Database.connect({ url: directory.url, service: 'gateway' });
});

beforeEach(async () => {
  await directory.newTenant();
  hr = await directory.fixture.connector(directory.tenant, { priority: 10, name: 'HR' });
  ad = await directory.fixture.connector(directory.tenant, { priority: 20, name: 'AD' });
});

afterAll(async () => {
  await gateway?.close();
  await directory?.close();
});

interface Shown {
  id: string;
  display_name?: string;
  users: { external_id: string; job_title?: string }[];
  attributes: { field_name: string; field_value: string; priority: number }[];
}

async function at(identityId: string, time: string): Promise<Shown | undefined> {
  const { document } = await findIdentityAt(gateway, directory.tenant, identityId, new Date(time));
  return document === undefined ? undefined : (JSON.parse(document) as Shown);
}

async function now(identityId: string): Promise<Shown> {
  const [found] = await directory.fixture.rows<{ document: string }>('select document from identities where id = $1', [
    identityId,
  ]);
  return JSON.parse(found?.document ?? '{}') as Shown;
}

describe('an identity at a past time', () => {
  it('is its version at that time, and absent before its creation', async () => {
    await directory.sync(hr, [row('1', { job_title: 'Clerk', first_name: 'Ann' })], '2026-01-01T10:00:00Z');
    await directory.sync(hr, [row('1', { job_title: 'Chief', first_name: 'Ann' })], '2026-02-01T10:00:00Z');
    await directory.sync(hr, [row('1', { job_title: 'Boss', first_name: 'Ann' })], '2026-03-01T10:00:00Z');
    const ann = await directory.identityOf('1');
    expect(await at(ann, '2025-12-31T00:00:00Z')).toBeUndefined();
    const titles = ['2026-01-01T10:00:00Z', '2026-01-31T00:00:00Z', '2026-02-01T10:00:00Z', '2026-02-28T00:00:00Z'];
    const shown = await Promise.all(titles.map(async (time) => (await at(ann, time))?.users[0]?.job_title));
    expect(shown).toEqual(['Clerk', 'Clerk', 'Chief', 'Chief']);
    expect(await at(ann, '2026-03-01T10:00:00Z')).toEqual(await now(ann));
    expect(await at(ann, '2026-04-01T00:00:00Z')).toEqual(await now(ann));
  });

  it('is itself until its merge, and the surviving identity afterwards', async () => {
    await directory.sync(
      hr,
      [row('1', { first_name: 'Ann' }), row('2', { first_name: 'Anna' })],
      '2026-01-01T10:00:00Z',
    );
    const [one, two] = [await directory.identityOf('1'), await directory.identityOf('2')];
    await directory.operate('identity.merge', { into_id: one, from_ids: [two] }, '2026-02-01T10:00:00Z');
    expect((await at(two, '2026-01-15T00:00:00Z'))?.users.map((user) => user.external_id)).toEqual(['2']);
    expect((await at(one, '2026-01-15T00:00:00Z'))?.users.map((user) => user.external_id)).toEqual(['1']);
    expect((await at(two, '2026-02-02T00:00:00Z'))?.users.map((user) => user.external_id)).toEqual(['1', '2']);
    expect(JSON.parse((await findDocument(gateway, directory.tenant, 'identity', two)) ?? '')).toEqual(await now(one));
    const history = await findHistory(gateway, directory.tenant, two, { limit: 50, offset: 0 });
    expect(history?.events.filter(({ type }) => type.startsWith('identity.')).map(({ type }) => type)).toEqual([
      'identity.created',
      'identity.created',
      'identity.merged',
    ]);
  });

  it('is not visible to another tenant', async () => {
    await directory.sync(hr, [row('1', { first_name: 'Ann' })], '2026-01-01T10:00:00Z');
    const ann = await directory.identityOf('1');
    await directory.newTenant();
    expect(await at(ann, '2026-02-01T00:00:00Z')).toBeUndefined();
  });
});

describe('source precedence', () => {
  const winners = (identity: Shown) =>
    Object.fromEntries([...identity.attributes].reverse().map((each) => [each.field_name, each.field_value]));

  beforeEach(async () => {
    await directory.sync(hr, [row('1', { email: 'ann@x.org', job_title: 'Clerk', first_name: 'Ann' })]);
    await directory.sync(ad, [row('a', { email: 'ann@x.org', job_title: 'IT clerk', first_name: 'Annie' })]);
  });

  it('of a tenant overrides the connector priorities for one field or all fields, immediately for all identities', async () => {
    const ann = await directory.identityOf('1');
    expect(winners(await now(ann))).toMatchObject({ job_title: 'Clerk', first_name: 'Ann' });
    const priorities = [{ field: 'job_title', connector_id: ad, priority: 1 }];
    expect(await directory.operate('attributes.rank', { priorities })).toMatchObject({
      status: 'done',
      result: { identities_changed: 1 },
    });
    expect(winners(await now(ann))).toMatchObject({ job_title: 'IT clerk', first_name: 'Ann' });
    const all = [
      { field: '*', connector_id: ad, priority: 1 },
      { field: 'job_title', connector_id: ad, priority: 99 },
    ];
    await directory.operate('attributes.rank', { priorities: all });
    expect(winners(await now(ann))).toMatchObject({ job_title: 'Clerk', first_name: 'Annie' });
    expect(await directory.lastEvents(1)).toEqual(['identity.updated']);
    await directory.operate('attributes.rank', { priorities: [] });
    expect(winners(await now(ann))).toMatchObject({ job_title: 'Clerk', first_name: 'Ann' });
  });

  it('of a connector takes effect when its priority changes', async () => {
    await directory.fixture.rows('update connectors set priority = 5 where id = $1', [ad]);
    await directory.operate('attributes.rank', {});
    expect(winners(await now(await directory.identityOf('1')))).toMatchObject({ job_title: 'IT clerk' });
  });
});

describe('undoing a job', () => {
  const titles = async () =>
    directory.fixture.rows<{ name: string; status: string; title: string | null }>(
      `select external_id as name, status, fields -> 'job_title' ->> 0 as title from source_records
        where tenant_id = $1 order by 1`,
      [directory.tenant],
    );

  it('restores changed records, deletes added records, and leaves records that changed since', async () => {
    const job_title = 'Clerk';
    await directory.sync(hr, [row('1', { job_title }), row('2', { job_title }), row('3', { job_title })]);
    const before = await titles();
    const bad = ['1', '2', '3', '4'].map((id) => row(id, { job_title: 'WRONG' }));
    const job_id = await directory.sync(hr, bad);
    await directory.sync(hr, [row('2', { job_title: 'Chief' })]);

    const preview = await directory.operate('job.undo', { job_id, preview: true });
    const counts = { records_restored: 2, records_removed: 1, restored: ['1', '3'], removed: ['4'] };
    expect(preview).toMatchObject({ status: 'done', result: counts });
    expect((await titles()).map(({ title }) => title)).toEqual(['WRONG', 'Chief', 'WRONG', 'WRONG']);

    expect(await directory.operate('job.undo', { job_id, preview: false })).toMatchObject({ result: counts });
    expect(await titles()).toEqual([
      before[0],
      { name: '2', status: 'active', title: 'Chief' },
      before[2],
      { name: '4', status: 'deleted', title: 'WRONG' },
    ]);
    expect((await now(await directory.identityOf('1'))).users[0]?.job_title).toBe('Clerk');
    expect(await directory.operate('job.undo', { job_id, preview: false })).toMatchObject({
      result: { records_restored: 0, records_removed: 0 },
    });
  });

  it('does not prevent the next run of the source from applying its values', async () => {
    await directory.sync(hr, [row('1', { job_title: 'Clerk' })]);
    const job_id = await directory.sync(hr, [row('1', { job_title: 'WRONG' }), row('2', { job_title: 'New' })]);
    await directory.operate('job.undo', { job_id, preview: false });
    await directory.sync(hr, [row('1', { job_title: 'Clerk' }), row('2', { job_title: 'New' })]);
    expect((await titles()).map(({ status, title }) => [status, title])).toEqual([
      ['active', 'Clerk'],
      ['active', 'New'],
    ]);
    await directory.sync(hr, [row('1', { job_title: 'WRONG' })]);
    expect((await titles())[0]?.title).toBe('WRONG');
  });

  it('reverts all changes that several of its batches made to one record', async () => {
    await directory.sync(hr, [row('1', { job_title: 'Clerk' })]);
    const batches = ['WRONG', 'WORSE'].map((job_title) => [row('1', { job_title }), row('2', { job_title })]);
    const job_id = await appliedRun(directory, hr, batches);
    await endJob(directory, job_id);
    expect(await directory.operate('job.undo', { job_id, preview: false })).toMatchObject({
      result: { restored: ['1'], removed: ['2'] },
    });
    expect(await titles()).toMatchObject([
      { name: '1', status: 'active', title: 'Clerk' },
      { name: '2', status: 'deleted' },
    ]);
  });

  it('also restores records that a later job has changed and changed back', async () => {
    await directory.sync(hr, [row('1', { job_title: 'Clerk' })]);
    const job_id = await directory.sync(hr, [row('1', { job_title: 'WRONG' }), row('2', { job_title: 'New' })]);
    const listed = (job_title: string) => [row('1', { job_title }), row('2', { job_title })];
    const batches = [listed('Other'), [row('1', { job_title: 'WRONG' }), row('2', { job_title: 'New' })]];
    const later = await appliedRun(directory, hr, batches);
    await endJob(directory, later);
    expect(await directory.operate('job.undo', { job_id: later, preview: true })).toMatchObject({
      result: { records_restored: 0, records_removed: 0 },
    });
    expect(await directory.operate('job.undo', { job_id, preview: false })).toMatchObject({
      result: { restored: ['1'], removed: ['2'] },
    });
    expect(await titles()).toMatchObject([
      { name: '1', status: 'active', title: 'Clerk' },
      { name: '2', status: 'deleted' },
    ]);
  });

  it('is refused while the job runs and for an unknown job', async () => {
    const running = await directory.fixture.job(directory.tenant, hr, 'running');
    expect(await directory.operate('job.undo', { job_id: running, preview: false })).toMatchObject({
      status: 'refused',
      result: { error: 'the job is still running; cancel it first' },
    });
    expect(await directory.operate('job.undo', { job_id: directory.tenant, preview: false })).toMatchObject({
      result: { error: 'the job does not exist' },
    });
  });
});
