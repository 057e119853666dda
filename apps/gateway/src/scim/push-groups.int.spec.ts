import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { OperatedGateway } from '../../test/operated-gateway.js';
import { addTenant, countPushes, ScimProvider } from '../../test/scim-provider.js';

let gateway: OperatedGateway;
let tenant: string;
let client: ScimProvider;
beforeAll(async () => {
  gateway = await OperatedGateway.start();
  tenant = await addTenant(gateway);
});
afterAll(() => gateway?.close());
beforeEach(async () => {
  client = await ScimProvider.create(gateway, tenant);
});

describe('a SCIM push', () => {
  it('creates one sync job, and none while a queued job will read it', async () => {
    const ada = await client.user('ada');
    await client.user('bob');
    const [queued, ...others] = await client.jobs();
    expect([queued?.status, others]).toEqual(['queued', []]);
    await gateway.fixture.rows(`update sync_jobs set status = 'running', started_at = now() where id = $1`, [
      queued?.id,
    ]);
    await client.patch(`/Users/${ada.id}`, { op: 'replace', path: 'title', value: 'Countess' });
    expect((await client.jobs()).map(({ status }) => status).sort()).toEqual(['queued', 'running']);
  });

  it('without changes writes nothing and creates no job', async () => {
    const ada = await client.user('ada', { title: 'Countess' });
    const staff = await client.group('Staff', [ada]);
    await gateway.fixture.rows(`update sync_jobs set status = 'completed', started_at = now(), completed_at = now()`);
    await client.patch(`/Users/${ada.id}`, { op: 'replace', path: 'title', value: 'Countess' });
    await client.send('PUT', `/Users/${ada.id}`, { userName: 'ada', title: 'Countess' });
    await client.patch(`/Groups/${staff.id}`, { op: 'add', path: 'members', value: [{ value: ada.id }] });
    expect((await client.jobs()).map(({ status }) => status)).toEqual(['completed']);
    expect((await client.send('GET', `/Groups/${staff.id}`)).body).toMatchObject({ meta: { version: 'W/"1"' } });
  });

  it('that renames a group lets the next job read its members again, and no other user', async () => {
    const [ada, bob, dora] = [await client.user('ada'), await client.user('bob'), await client.user('dora')];
    const staff = await client.group('Staff', [ada, bob]);
    const before = await client.positions();
    await client.patch(`/Groups/${staff.id}`, { op: 'replace', path: 'displayName', value: 'Everybody' });
    const after = await client.positions();
    const last = Math.max(...before.values());
    expect([ada, bob].map(({ id }) => (after.get(id) ?? 0) > last)).toEqual([true, true]);
    expect(after.get(dora.id)).toBe(before.get(dora.id));
    expect((await client.send('GET', `/Users/${ada.id}`)).body).toMatchObject({ meta: { version: 'W/"3"' } });
    await client.patch(`/Groups/${staff.id}`, { op: 'replace', path: 'externalId', value: 'x1' });
    expect(await client.positions()).toEqual(after);
  });

  it('that removes members of a group lets the next job read them again, and no other user', async () => {
    const [ada, bob, dora] = [await client.user('ada'), await client.user('bob'), await client.user('dora')];
    const staff = await client.group('Staff', [ada, bob, dora]);
    const read = async (...operation: Parameters<ScimProvider['patch']>) => {
      const before = await client.positions();
      await client.patch(...operation);
      const after = await client.positions();
      return [ada, bob, dora].map(({ id }) => after.get(id) !== before.get(id));
    };
    const path = `/Groups/${staff.id}`;
    expect(await read(path, { op: 'remove', path: `members[value eq "${ada.id}"]` })).toEqual([true, false, false]);
    expect(await read(path, { op: 'replace', path: 'members', value: [{ value: bob.id }] })).toEqual([
      false,
      false,
      true,
    ]);
    expect(await read(path, { op: 'remove', path: 'members' })).toEqual([false, true, false]);
  });

  it('has a unique position that grows with every commit under concurrency', async () => {
    const users = await Promise.all(Array.from({ length: 30 }, (_, index) => client.user(`user ${index}`)));
    await Promise.all(
      users.map(({ id }) => client.patch(`/Users/${id}`, { op: 'add', path: 'title', value: 'the same' })),
    );
    const rows = await gateway.fixture.rows<{ position: string }>(
      `select position from scim_resources where name_key like '% user %' order by changed_at`,
    );
    expect(new Set(rows.map(({ position }) => position)).size).toBe(30);
  });

  it('shares a transaction with those that wait, is answered after its commit, and fails alone', async () => {
    const [ada, old] = [await client.user('ada'), await client.user('old')];
    const release = await client.holdPushes();
    const first = client.send('POST', '/Users', { userName: 'first' });
    await gateway.fixture.waitForBlockedLock();
    const pushesBegan = countPushes();
    const create = (userName: string) => client.send('POST', '/Users', { userName });
    const pushes = [
      create('bob'),
      create('ADA'),
      client.send('PUT', `/Users/${ada.id}`, { userName: 'ada', title: 'Countess' }, { 'if-match': 'W/"7"' }),
      client.send('POST', '/Groups?excludedAttributes=members', { displayName: 'x', members: [{ value: 'scr_x' }] }),
      client.send('DELETE', '/Users/scr_none'),
      create('dora'),
      client.send('DELETE', `/Users/${old.id}`),
      create('eve'),
    ];
    await pushesBegan(pushes.length);
    const answered = Promise.race([first, ...pushes]).then(() => true);
    expect(await Promise.race([answered, new Promise((resolve) => setTimeout(resolve, 200, false))])).toBe(false);
    await release();
    expect((await first).status).toBe(201);
    const statuses = (await Promise.all(pushes)).map(({ status }) => status);
    expect(statuses).toEqual([201, 409, 412, 400, 404, 201, 204, 201]);
    const rows = await gateway.fixture.rows<{ name: string | null }>(
      `select document ->> 'userName' as name from scim_resources
        where connector_id = $1 and kind = 'User' and deleted_at is null order by name`,
      [client.connectorId],
    );
    expect(rows.map(({ name }) => name)).toEqual(['ada', 'bob', 'dora', 'eve', 'first']);
    expect((await client.jobs()).map(({ status }) => status)).toEqual(['queued']);
  });

  it('that creates a user fails alone if the name is taken, also among others that only create', async () => {
    await client.user('ada');
    const release = await client.holdPushes();
    const create = (userName: string) => client.send('POST', '/Users', { userName });
    const first = create('first');
    await gateway.fixture.waitForBlockedLock();
    const pushesBegan = countPushes();
    const pushes = ['bob', 'ADA', 'dora', 'bob', 'eve'].map(create);
    await pushesBegan(pushes.length);
    await release();
    expect((await first).status).toBe(201);
    const statuses = (await Promise.all(pushes)).map(({ status }) => status);
    expect(statuses).toEqual([201, 409, 201, 409, 201]);
    const { body } = await client.send('GET', '/Users');
    expect(body.totalResults).toBe(5);
    const rows = await gateway.fixture.rows<{ name: string }>(
      `select document ->> 'userName' as name from scim_resources where connector_id = $1 order by name`,
      [client.connectorId],
    );
    expect(rows.map(({ name }) => name)).toEqual(['ada', 'bob', 'dora', 'eve', 'first']);
    expect((await client.jobs()).map(({ status }) => status)).toEqual(['queued']);
  });

  it('of a connector with many at once is applied in few transactions', async () => {
    await Promise.all(Array.from({ length: 64 }, (_, n) => client.user(`many ${n}`)));
    const rows = await gateway.fixture.rows<{ moments: number; positions: number }>(
      `select count(distinct changed_at)::int as moments, count(distinct position)::int as positions from scim_resources
        where connector_id = $1`,
      [client.connectorId],
    );
    expect(rows[0]?.positions).toBe(64);
    expect(rows[0]?.moments).toBeLessThan(32);
  });
});
