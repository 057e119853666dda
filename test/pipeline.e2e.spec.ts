import { fileURLToPath } from 'node:url';
import { type BrokerVhost, createTestDatabase, type TestDatabase, vhostIfAny } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, createConnector, createTenant, sync, type Tenant } from './support/client.js';
import { midpointHr, midpointLdap } from './support/midpoint-sources.js';
import { Services } from './support/services.js';

const realData = fileURLToPath(new URL('data', import.meta.url));
const samples = fileURLToPath(new URL('../samples', import.meta.url));

interface Identity {
  display_name: string;
  status: string;
  attributes: { field_name: string; field_value: string; priority: number; source_type: string }[];
  users: { external_id: string; email?: string; departments: string[] }[];
  accounts: { external_id: string; identifier: string; person_id: string }[];
}

describe('importing files', () => {
  let database: TestDatabase;
  let vhost: BrokerVhost | undefined;
  let services: Services;
  let operator: Client;

  const start = async (sourcesDir: string) => {
    services = await Services.start({ databaseUrl: database.url, amqpUrl: vhost?.url, sourcesDir });
    operator = Client.operator(services.url, services.adminToken);
  };

  beforeAll(async () => {
    database = await createTestDatabase();
    vhost = await vhostIfAny();
    await start(realData);
  });

  afterAll(async () => {
    await services?.stop();
    await vhost?.drop();
    await database?.drop();
  });

  const identities = async (tenant: Tenant): Promise<Identity[]> => {
    const page = await tenant.client.get('/v1/identities?limit=200');
    expect(page.body.total).toBe(page.body.data.length);
    return page.body.data;
  };

  it('imports the seven people of an LDIF export without its containers and groups', async () => {
    const tenant = await createTenant(operator, 'Planet Express');
    const connector = await createConnector(tenant, {
      type: 'ldif',
      name: 'LDAP',
      priority: 10,
      records: 'user',
      config: {
        path: 'planetexpress.ldif',
        external_id: 'dn',
        fields: {
          email: 'mail',
          first_name: 'givenName',
          last_name: 'sn',
          display_name: 'cn',
          job_title: 'title',
          departments: 'ou',
          'attributes.mails': 'mail',
          'attributes.employee_type': 'employeeType',
        },
      },
    });
    expect(await sync(tenant, connector)).toMatchObject({ status: 'completed', progress_pct: 100 });

    const people = await identities(tenant);
    expect(people.map((each) => each.display_name).sort()).toEqual([
      'Amy Wong',
      'Bender Bending Rodriguez',
      'Hermes Conrad',
      'Hubert J. Farnsworth',
      'John A. Zoidberg',
      'Philip J. Fry',
      'Turanga Leela',
    ]);
    const amy = people.find((each) => each.display_name === 'Amy Wong');
    expect(amy?.users).toMatchObject([
      { external_id: 'cn=Amy Wong+sn=Kroker,ou=people,dc=planetexpress,dc=com', departments: ['Intern'] },
    ]);
    const professor = people.find((each) => each.display_name === 'Hubert J. Farnsworth');
    const values = (field: string) =>
      professor?.attributes.filter((each) => each.field_name === field).map((each) => each.field_value);
    expect(values('mails')).toEqual(['professor@planetexpress.com', 'hubert@planetexpress.com']);
    expect(values('job_title')).toEqual(['Professor']);
    expect(values('employee_type')).toEqual(['Owner', 'Founder']);
  });

  it('matches LDAP accounts with the HR file by number and email, and leaves the others unlinked', async () => {
    const tenant = await createTenant(operator, 'midPoint tutorial');
    const ldap = await createConnector(tenant, midpointLdap);
    const hr = await createConnector(tenant, midpointHr);
    // The accounts are read first, so that they wait for their people.
    expect(await sync(tenant, ldap)).toMatchObject({ status: 'completed' });
    expect(await identities(tenant)).toEqual([]);
    expect(await sync(tenant, hr)).toMatchObject({ status: 'completed' });

    const people = await identities(tenant);
    const accounts = Object.fromEntries(
      people.map((each) => [each.users[0]?.external_id, each.accounts.map((account) => account.identifier)]),
    );
    expect(accounts).toEqual({ 1: ['jsmith1'], 2: ['jsmith2'], 3: [], 4: [], 5: [], 6: [] });
    expect(people.map((each) => each.display_name)).toEqual([
      'John Smith',
      'John Smith',
      'Alice Green',
      'Robert Black',
      'Robert Black',
      'John Johnson',
    ]);
  });

  it('fails a job with the name of a missing file', async () => {
    const tenant = await createTenant(operator, 'Missing');
    const missing = await createConnector(tenant, {
      type: 'csv',
      name: 'Gone',
      config: { path: 'there-is-no-such-file.csv', external_id: 'id', fields: { email: 'mail' } },
    });
    const job = await sync(tenant, missing);
    expect(job).toMatchObject({ status: 'failed' });
    expect(job.error_message).toMatch(/there-is-no-such-file\.csv/);
    expect(job.progress_pct).toBeLessThan(100);
  });

  it('matches the sample sources of a first start', async () => {
    await services.stop();
    await start(samples);
    const tenant = await createTenant(operator, 'Samples');
    const demo = (await import('../samples/demo.json', { with: { type: 'json' } })).default;
    for (const body of demo.connectors) {
      const connector = await createConnector(tenant, body as Parameters<typeof createConnector>[1]);
      expect(await sync(tenant, connector)).toMatchObject({ status: 'completed', progress_pct: 100 });
    }
    const people = await identities(tenant);
    expect(people.length).toBeGreaterThanOrEqual(30);
    expect(people.filter((each) => each.accounts.length > 0).length).toBeGreaterThan(20);
  });
});
