import { encodeId } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { findEventBodies } from '@idsync/database/delivery';
import { findFeedPage } from '@idsync/database/gateway';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Harness, row } from '../../test/harness.js';

let directory: Harness;
let gateway: Database;
let dispatcher: Database;
let hr: string;

beforeAll(async () => {
  directory = await Harness.create();
  gateway = await Database.connect({ url: directory.url, service: 'gateway' });
  dispatcher = await Database.connect({ url: directory.url, service: 'webhook-dispatcher' });
});

beforeEach(async () => {
  await directory.newTenant();
  hr = await directory.fixture.connector(directory.tenant, { priority: 10 });
});

afterAll(async () => {
  await dispatcher?.close();
  await gateway?.close();
  await directory?.close();
});

interface Body {
  type: string;
  sequence: number;
  // biome-ignore lint/suspicious/noExplicitAny: what a test asserts is what it expects to find
  data: any;
}

const all = { after: 0, limit: 200 };

async function feed(...types: string[]): Promise<Body[]> {
  const { tenant } = directory;
  const page = await gateway.transaction(tenant, (tx) => findFeedPage(tx, tenant, { ...all, types }));
  return page.bodies.map((body) => JSON.parse(body) as Body);
}

const person = (title: string, id = 'wulio') =>
  row(id, { first_name: id, employee_number: `E-${id}`, email: `${id}@example.com`, job_title: title });

describe('an event that was recorded before its tenant had a webhook', () => {
  beforeEach(async () => {
    for (const title of ['Clerk', 'Chief', 'Boss']) await directory.sync(hr, [person(title)]);
  });

  it('shows its user as it was at its sequence', async () => {
    const events = await feed('user.*', 'lifecycle.mover');
    expect(events.map(({ type, data }) => [type, (data.users?.[0] ?? data).job_title])).toEqual([
      ['user.created', 'Clerk'],
      ['user.updated', 'Chief'],
      ['lifecycle.mover', 'Chief'],
      ['user.updated', 'Boss'],
      ['lifecycle.mover', 'Boss'],
    ]);
  });

  it('shows its identity as it was at its sequence, also after a merge', async () => {
    await directory.sync(hr, [person('Boss'), person('Guard', 'bea')]);
    const ids = [await directory.identityOf('wulio'), await directory.identityOf('bea')];
    await directory.operate('identity.merge', { into_id: ids[1] ?? '', from_ids: [ids[0] ?? ''] });
    const events = await feed('identity.*');
    expect(events.map(({ type, data }) => [type, data.users.map((user: Body['data']) => user.job_title)])).toEqual([
      ['identity.created', ['Clerk']],
      ['identity.updated', ['Chief']],
      ['identity.updated', ['Boss']],
      ['identity.created', ['Guard']],
      ['identity.merged', ['Boss', 'Guard']],
    ]);
  });

  it('has the same body when the dispatcher renders it for a webhook', async () => {
    const { tenant } = directory;
    const range = { first: 1, last: 200 };
    const { bodies } = await dispatcher.transaction(tenant, (tx) => findEventBodies(tx, tenant, range, { limit: 200 }));
    expect(bodies.map(({ body }) => JSON.parse(body))).toEqual(await feed('*'));
  });

  it('shows nothing of the person after an erasure', async () => {
    await directory.operate('identity.erase', { identity_id: await directory.identityOf('wulio'), reason: 'asked to' });
    const events = await feed('*');
    expect(events.length).toBeGreaterThanOrEqual(10);
    expect(JSON.stringify(events)).not.toMatch(/wulio|Clerk|Chief|Boss/i);
    const versions = 'select from record_versions where tenant_id = $1';
    expect(await directory.fixture.rows(versions, [directory.tenant])).toEqual([]);
  });
});

describe('an event of an account without an identity', () => {
  it('shows the account as it was at its sequence, before it was linked', async () => {
    const accounts = await directory.fixture.connector(directory.tenant, { priority: 20, records: 'account' });
    const login = (title: string) => row('login', { employee_number: 'E-wulio', job_title: title });
    await directory.sync(accounts, [login('Clerk')]);
    await directory.sync(accounts, [login('Chief')]);
    await directory.sync(hr, [person('Boss')]);
    const personId = encodeId('identity', await directory.identityOf('wulio'));
    const events = await feed('account.*');
    expect(events.map(({ type, data }) => [type, data.job_title, data.person_id])).toEqual([
      ['account.created', 'Clerk', undefined],
      ['account.updated', 'Chief', undefined],
      ['account.linked', 'Chief', personId],
    ]);
  });
});

describe('an earlier version of a machine that a person no longer owns', () => {
  it('is removed by the erasure of the person if it names them', async () => {
    const machines = await directory.fixture.connector(directory.tenant, { priority: 30, records: 'machine_identity' });
    const bot = (owner: string) => row('bot', { display_name: 'Backup', owned_by: `E-${owner}` });
    await directory.sync(machines, [bot('wulio')]);
    await directory.sync(hr, [person('Boss'), person('Guard', 'bea')]);
    await directory.sync(machines, [bot('bea')]);
    const named = () =>
      directory.fixture.rows(`select from record_versions where tenant_id = $1 and document like '%E-wulio%'`, [
        directory.tenant,
      ]);
    expect(await named()).toHaveLength(1);
    await directory.operate('identity.erase', { identity_id: await directory.identityOf('wulio'), reason: 'asked to' });
    expect(await named()).toEqual([]);
  });
});
