import { fileURLToPath } from 'node:url';
import { type BrokerVhost, createTestDatabase, createVhost, eachBus, type TestDatabase } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type Answer, Client, createConnector, createTenant, sync, type Tenant } from './support/client.js';
import { midpointHr as hr, midpointLdap as ldap } from './support/midpoint-sources.js';
import { Services } from './support/services.js';

jest.setTimeout(120_000);

const realData = fileURLToPath(new URL('data', import.meta.url));

eachBus(describe)('matching an HR file with an LDAP file, over %s', (driver) => {
  let database: TestDatabase;
  let vhost: BrokerVhost | undefined;
  let services: Services;
  let operator: Client;

  beforeAll(async () => {
    database = await createTestDatabase();
    vhost = driver === 'amqp' ? await createVhost() : undefined;
    services = await Services.start({ databaseUrl: database.url, amqpUrl: vhost?.url, sourcesDir: realData });
    operator = Client.operator(services.url, services.adminToken);
  });

  afterAll(async () => {
    await services?.stop();
    await vhost?.drop();
    await database?.drop();
  });

  const admin = (tenant: Tenant, method: string, path: string, body?: unknown): Promise<Answer> =>
    tenant.operator.call(method, `/admin/v1/tenants/${tenant.id}/${path}`, body);

  /** Waits for this number of cases, because matching starts after the end of a job. */
  const waitForCases = async (tenant: Tenant, count: number) => {
    for (let look = 0; look < 400; look += 1) {
      const { body } = await admin(tenant, 'GET', 'cases');
      // The total is counted after the rows are read, so it can be ahead of them.
      if (body.data.length === count) return body.data;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`expected ${count} cases: ${JSON.stringify((await admin(tenant, 'GET', 'cases')).body)}`);
  };

  /** Returns the uids of the accounts of each person, by the person's external id. */
  const accounts = async (tenant: Tenant): Promise<Record<string, string[]>> => {
    const { body } = await tenant.client.get('/v1/identities?limit=200');
    return Object.fromEntries(
      body.data.map((each: { users: { external_id: string }[]; accounts: { identifier: string }[] }) => [
        each.users[0]?.external_id,
        each.accounts.map(({ identifier }) => identifier),
      ]),
    );
  };

  const firstImport = { 1: ['jsmith1'], 2: ['jsmith2'], 3: [], 4: [], 5: [], 6: [] };

  it('links by number and email, opens cases for names, and leaves other accounts unlinked', async () => {
    const tenant = await createTenant(operator, 'Tutorial');
    const connectors = [await createConnector(tenant, ldap), await createConnector(tenant, hr)];
    for (const connector of connectors) expect(await sync(tenant, connector)).toMatchObject({ status: 'completed' });
    expect(await accounts(tenant)).toEqual(firstImport);

    const cases = await waitForCases(tenant, 2);
    const shown = cases.map((each: Answer['body']) => [
      each.record.document.identifier,
      each.kind,
      each.candidates.map((candidate: Answer['body']) => `${candidate.display_name} ${candidate.score}`),
    ]);
    expect(shown.sort()).toEqual([
      ['agreen3', 'weak', ['Alice Green 1']],
      ['rblack', 'weak', ['Robert Black 1', 'Robert Black 1']],
    ]);

    const black = cases.find((each: Answer['body']) => each.record.document.identifier === 'rblack');
    const insider = await tenant.client.get(`/v1/identities/${black.candidates[0].identity_id}`);
    const resolved = await admin(tenant, 'POST', `cases/${black.id}/resolve`, {
      resolution: 'link',
      identity_id: insider.body.id,
      reason: 'only insiders know it',
    });
    expect(resolved).toMatchObject({ status: 200, body: { type: 'case.resolve', status: 'done' } });
    expect(await accounts(tenant)).toEqual({ ...firstImport, [insider.body.users[0].external_id]: ['rblack'] });
    expect((await admin(tenant, 'GET', `cases/${black.id}`)).body).toMatchObject({ status: 'linked' });

    const path = `operations/${resolved.body.operation_id}/revert`;
    expect(await admin(tenant, 'POST', path)).toMatchObject({ status: 200, body: { status: 'done' } });
    expect(await accounts(tenant)).toEqual(firstImport);
    expect(await admin(tenant, 'POST', path)).toMatchObject({
      status: 400,
      body: { error: 'the operation has already been reverted' },
    });
  });

  it('links the unique Alice Green by trusting rules, and opens a case for Robert Black', async () => {
    const tenant = await createTenant(operator, 'Trusting');
    const { body: rules } = await admin(tenant, 'GET', 'matching-rules');
    rules.weak[0].when_unique = 'link';
    expect(await admin(tenant, 'PUT', 'matching-rules', rules)).toMatchObject({
      status: 200,
      body: { status: 'done' },
    });
    for (const body of [hr, ldap]) await sync(tenant, await createConnector(tenant, body));
    await waitForCases(tenant, 1);
    expect(await accounts(tenant)).toEqual({ ...firstImport, 3: ['agreen3'] });
  });

  it('merges two identities by the admin API, with a redirect from the old id', async () => {
    const tenant = await createTenant(operator, 'Merging');
    await sync(tenant, await createConnector(tenant, hr));
    const { body: list } = await tenant.client.get('/v1/identities');
    const [one, two] = list.data;
    const merged = await admin(tenant, 'POST', `identities/${one.id}/merge`, { from_ids: [two.id] });
    expect(merged).toMatchObject({
      status: 200,
      body: { result: { identity_id: one.id, merged_identity_ids: [two.id] } },
    });
    const old = await tenant.client.get(`/v1/identities/${two.id}`);
    expect(old).toMatchObject({
      status: 200,
      body: { id: one.id, users: [{ external_id: '1' }, { external_id: '2' }] },
    });
    const { body: after } = await tenant.client.get('/v1/identities');
    expect(after.total).toBe(list.total - 1);
    expect(await admin(tenant, 'POST', `identities/${one.id}/merge`, { from_ids: [one.id] })).toMatchObject({
      status: 400,
      body: { error: 'an identity cannot be merged into itself' },
    });
    const { body: history } = await tenant.client.get(`/v1/identities/${two.id}/history`);
    expect(history.data.map((event: Answer['body']) => event.event_type)).toEqual(
      expect.arrayContaining(['identity.created', 'identity.merged']),
    );
    const split = await admin(tenant, 'POST', `identities/${one.id}/split`, { record_ids: [two.users[0].id] });
    expect(split.body.result).toMatchObject({ identity_id: one.id, new_identity_id: expect.stringMatching(/^idn_/) });
    expect((await tenant.client.get('/v1/identities')).body.total).toBe(list.total);
  });

  it('explains the winning source with the reason, and applies new priorities', async () => {
    const tenant = await createTenant(operator, 'Explaining');
    const [people, directory] = [await createConnector(tenant, hr), await createConnector(tenant, ldap)];
    for (const connector of [people, directory]) await sync(tenant, connector);
    const { body: list } = await tenant.client.get('/v1/identities');
    const smith = list.data.find((each: Answer['body']) => each.accounts[0]?.identifier === 'jsmith1');
    const explain = async () => (await admin(tenant, 'GET', `identities/${smith.id}/explain`)).body;
    const lastName = async () => (await explain()).fields.find((each: Answer['body']) => each.field === 'last_name');
    expect(await explain()).toMatchObject({
      identity_id: smith.id,
      records: [
        { kind: 'account', connector_id: directory, linked: 'keys', by: expect.stringMatching(/^job_/) },
        { kind: 'user', connector_id: people, external_id: '1' },
      ],
    });
    expect(await lastName()).toMatchObject({
      winner: { value: 'Smith', connector_id: people, connector: 'HR', priority: 10 },
      over: [{ connector: 'LDAP', priority: 20 }],
      because: 'priority 10 precedes 20',
    });
    const priorities = [{ field: 'last_name', connector_id: directory, priority: 1 }];
    expect(await admin(tenant, 'PUT', 'attribute-priorities', { priorities })).toMatchObject({ status: 200 });
    expect((await admin(tenant, 'GET', 'attribute-priorities')).body).toEqual({ priorities });
    expect(await lastName()).toMatchObject({
      winner: { connector: 'LDAP' },
      because: 'priority 1 precedes 10',
    });
    const past = await tenant.client.get(`/v1/identities/${smith.id}?at=2020-01-01T00:00:00Z`);
    expect(past).toMatchObject({ status: 404 });
    const present = await tenant.client.get(`/v1/identities/${smith.id}?at=${new Date().toISOString()}`);
    expect(present).toMatchObject({ status: 200, body: { id: smith.id } });
    expect(await tenant.client.get(`/v1/identities/${smith.id}?at=yesterday`)).toMatchObject({ status: 400 });
  });

  it('imports the 250 people of the webinar file once in repeated runs', async () => {
    const tenant = await createTenant(operator, 'Webinar');
    const connector = await createConnector(tenant, {
      type: 'csv',
      name: 'HR',
      config: {
        path: 'midpoint-webinar-hr.csv',
        external_id: 'empNo',
        fields: {
          employee_number: 'empNo',
          first_name: 'firstName',
          last_name: 'lastName',
          departments: 'department',
          'attributes.phone': 'phone',
        },
      },
    });
    for (let run = 0; run < 2; run += 1) {
      expect(await sync(tenant, connector)).toMatchObject({ status: 'completed', progress_pct: 100 });
      const pages = await Promise.all([0, 200].map((at) => tenant.client.get(`/v1/identities?limit=200&offset=${at}`)));
      const people = pages.flatMap(({ body }) => body.data);
      expect(pages[0]?.body.total).toBe(250);
      expect(new Set(people.map((each) => each.users[0].external_id)).size).toBe(250);
      expect(people.find((each) => each.users[0].external_id === '1001')).toMatchObject({
        display_name: 'Tamesha Cornish',
        users: [{ departments: ['Sales'] }],
      });
    }
  });

  it('rejects invalid requests of an operator with a reason', async () => {
    const tenant = await createTenant(operator, 'Mistakes');
    const unknown = 'idn_01h00000000000000000000000';
    const asked: [string, string, unknown, number, RegExp][] = [
      ['POST', `identities/${unknown}/merge`, { from_ids: [unknown] }, 404, /not found/],
      ['POST', `identities/${unknown}/merge`, { from_ids: [] }, 400, /^from_ids/],
      ['POST', `identities/${unknown}/split`, { record_ids: [] }, 400, /^record_ids/],
      ['POST', 'identities/nonsense/split', { record_ids: ['usr_1'] }, 404, /not found/],
      ['POST', 'cases/cas_01h00000000000000000000000/resolve', { resolution: 'new' }, 404, /not found/],
      ['GET', 'cases?status=closed', undefined, 400, /^status must be one of/],
      ['PUT', 'matching-rules', { certain: ['email', 'email'], weak: [] }, 400, /^certain must not name a key twice/],
      ['PUT', 'lifecycle-policy', { time_zone: 'Oslo' }, 400, /^time_zone must be a time zone such as Europe\/Oslo/],
      ['PUT', 'lifecycle-policy', { time_zone: '+01:00' }, 400, /^time_zone must be a time zone/],
      ['PUT', 'lifecycle-policy', { retention_days: 0 }, 400, /^retention_days/],
      [
        'PUT',
        'matching-rules',
        { certain: [], weak: [], several_employments: 'join' },
        400,
        /^several_employments must be primary or case/,
      ],
      [
        'PUT',
        'matching-rules',
        { certain: ['phone'], weak: [] },
        400,
        /^certain\.0 must be employee_number, email, user_principal_name or attributes/,
      ],
      ['PUT', 'matching-rules', { certain: [], weak: [{ name: 'x\u0000' }] }, 400, /^weak\.0/],
      ['GET', 'operations/opn_01h00000000000000000000000', undefined, 404, /not found/],
    ];
    for (const [method, path, body, status, error] of asked) {
      const answer = await admin(tenant, method, path, body);
      expect({ path, ...answer }).toMatchObject({ path, status, body: { error: expect.stringMatching(error) } });
    }
  });
});
