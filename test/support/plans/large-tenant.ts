import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeId } from '@idsync/contracts';
import { createTestDatabase, DirectoryFixture, type TestDatabase, until } from '@idsync/testing';
import { Receiver } from '../../../apps/webhook-dispatcher/test/receiver.js';
import { type Answer, Client, createConnector, createTenant, sync, type Tenant } from '../client.js';
import { Services } from '../services.js';
import { explainingSettings, PlanTap, type Statement } from './plan-tap.js';
import { listPaths, operatorPaths, pathsOf } from './read-paths.js';

/** With fewer people, reading a whole table can be the best plan. */
export const people = 15_000;
const fewPeople = 40;
const oldDeliveries = 12_000;
const pushedUsers = 12_000;
/** Ended jobs of the pushed connector: each push, or a few of them, makes one. As many operations have ended. */
const oldJobs = 12_000;
/** PostgreSQL may choose a generic plan from the sixth execution on, unless it plans for values. */
const repetitions = 7;

const user = 'urn:ietf:params:scim:schemas:core:2.0:User';
const patch = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

/** A large tenant, and what its work uses. */
interface Filled {
  tenant: Tenant;
  /** The connector of many people, whose rows the work looks up. */
  many: string;
  /** Begins the values of the people of `many`. */
  prefix: string;
  /** A connector of few people. */
  few: string;
  provider: Client;
  otherProvider: Client;
  webhook: string;
}

/** A tenant with many people, a small source, a source that is pushed, and a webhook, and the work of all services on it. */
export class LargeTenant {
  private round = 0;
  private repetitions = repetitions;
  private filled!: Filled;

  private constructor(
    private readonly database: TestDatabase,
    readonly fixture: DirectoryFixture,
    private readonly tap: PlanTap,
    private readonly receiver: Receiver,
    private readonly sourcesDir: string,
    private services: Services,
  ) {}

  /** Imports the people into tables without statistics. */
  static async start(): Promise<LargeTenant> {
    const database = await createTestDatabase();
    const fixture = DirectoryFixture.connect(database.url);
    await withoutStatistics(fixture, new URL(database.url).pathname.slice(1));
    const sourcesDir = await mkdtemp(join(tmpdir(), 'idsync-plans-'));
    const tap = await PlanTap.before(database.url);
    const receiver = await Receiver.start();
    const services = await startServices(tap, sourcesDir);
    const large = new LargeTenant(database, fixture, tap, receiver, sourcesDir, services);
    await large.addTenant();
    return large;
  }

  /** Adds a tenant, of which the work is from then on. */
  async addTenant(): Promise<void> {
    const { fixture, services, sourcesDir } = this;
    const prefix = 'e';
    await writeMany(sourcesDir, prefix, this.round);
    await writeFew(sourcesDir, this.round);
    const tenant = await createTenant(Client.operator(services.url, services.adminToken), 'Large');
    const few = await createConnector(tenant, fewConnector);
    const many = await createConnector(tenant, manyConnector(prefix));
    for (const connector of [many, few]) await sync(tenant, connector);
    const pushed = await createConnector(tenant, { type: 'scim-push', name: 'Pushed', config: {} });
    const provider = await providerOf(services, tenant, pushed);
    const other = await createConnector(tenant, { type: 'scim-push', name: 'Other', config: {} });
    await addPushedUsers(fixture, tenant.id, other);
    const otherProvider = await providerOf(services, tenant, other);
    const subscription = { callback_url: this.receiver.url, events: ['*'] };
    const { body: webhook } = await tenant.client.post('/v1/webhooks', subscription);
    await addOldDeliveries(fixture, tenant.id, webhook.id);
    await addOldJobs(fixture, tenant.id, pushed);
    await addOldOperations(fixture, tenant.id);
    await addSuppressions(fixture, tenant.id);
    await addFormerManagers(fixture, tenant.id);
    this.filled = { tenant, many, prefix, few, provider, otherProvider, webhook: webhook.id };
  }

  async stop(): Promise<void> {
    await this.services.stop();
    await this.tap.close();
    await this.receiver.close();
    await this.fixture.close();
    await this.database.drop();
    await rm(this.sourcesDir, { recursive: true });
  }

  /** Restarts the services, lets each do its work, and returns the statements of it. */
  async work({ plansForValues }: { plansForValues: boolean }): Promise<Statement[]> {
    this.round += 1;
    this.repetitions = plansForValues ? 1 : repetitions;
    this.tap.plansForValues = plansForValues;
    this.tap.statements.length = 0;
    this.tap.isOpen = true;
    await this.restart();
    await this.read();
    await this.change();
    this.tap.isOpen = false;
    return [...this.tap.statements];
  }

  /** Names the tables that have grown with the tenant. */
  async largeTables(): Promise<Set<string>> {
    const rows = await this.fixture.rows<{ name: string }>(
      `select relname as name from pg_class where relkind = 'r' and pg_relation_size(oid) > 400000`,
    );
    return new Set(rows.map(({ name }) => name));
  }

  private async restart(): Promise<void> {
    await this.services.stop();
    this.services = await startServices(this.tap, this.sourcesDir);
    const { url } = this.services;
    const { tenant, provider, otherProvider } = this.filled;
    const { operator, client } = tenant;
    const moved = (of: Client) => of.at(`${url}${new URL(of.url).pathname}`);
    this.filled = {
      ...this.filled,
      tenant: { ...tenant, operator: operator.at(url), client: client.at(url) },
      provider: moved(provider),
      otherProvider: moved(otherProvider),
    };
  }

  private async read(): Promise<void> {
    const { few, many, prefix, webhook, provider, otherProvider } = this.filled;
    const { client, operator, id } = this.filled.tenant;
    const { body: page } = await client.get('/v1/identities?limit=50&offset=7000');
    const { body: groups } = await client.get('/v1/groups');
    const person = page.data[20];
    const known = { few, many, prefix, identity: person.id, user: person.users[0].id, group: groups.data[0].id };
    const paths = [...listPaths(known), ...pathsOf({ ...known, webhook })];
    for (let nth = 0; nth < this.repetitions; nth += 1) {
      for (const path of paths) await ok(client.get(path), path);
      for (const path of operatorPaths(known)) await ok(operator.get(`/admin/v1/tenants/${id}${path}`), path);
      await this.readStream();
      for (const path of ['/Users?filter=userName%20eq%20%22nobody%22', '/Users?count=10', '/Groups?count=10']) {
        await ok(provider.get(path), path);
        await ok(otherProvider.get(path), path);
      }
      const { body: users } = await otherProvider.get('/Users?count=1');
      await ok(otherProvider.get(`/Users/${users.Resources[0].id}`), '/Users/{id}');
    }
  }

  /** Reads the first of the last events from a stream. */
  private async readStream(): Promise<void> {
    const { client, operator, id } = this.filled.tenant;
    const { body: newest } = await client.get('/v1/events?after=latest');
    const path = `/admin/v1/tenants/${id}/events/stream?after=${newest.next_after - 500}`;
    const { body } = await fetch(`${operator.url}${path}`, { headers: operator.headers });
    let text = '';
    for await (const chunk of body ?? []) {
      text += Buffer.from(chunk).toString();
      if (text.includes('data: ')) break;
    }
    if (!text.includes('data: ')) throw new Error(`${path} sent no event`);
  }

  private async change(): Promise<void> {
    const { few, many, prefix, tenant } = this.filled;
    const { client, operator, id } = tenant;
    const from = this.receiver.received.length;
    await writeFew(this.sourcesDir, this.round);
    await sync(tenant, few);
    await writeMany(this.sourcesDir, prefix, this.round);
    await sync(tenant, many);
    await client.post('/v1/sync/trigger', { connector_id: few, external_id: 'F3' });
    await client.post('/v1/sync/trigger', { connector_id: many, external_id: `${prefix}3` });
    for (let nth = 0; nth < this.repetitions; nth += 1) await this.push(`pushed${this.round}-${nth}@example.org`);
    const { body: page } = await client.get('/v1/identities?limit=3&offset=3000');
    const [one, other, erased] = page.data.map((each: { id: string }) => each.id);
    const act = (path: string, body?: object) => ok(operator.post(`/admin/v1/tenants/${id}${path}`, body), path);
    const merged = await act(`/identities/${one}/merge`, { from_ids: [other] });
    await act(`/operations/${merged.operation_id}/revert`);
    await act(`/identities/${erased}/erase`, {});
    await until(() => this.receiver.received.length >= from + fewPeople, 'the deliveries of the changes', 90_000);
  }

  private async push(userName: string): Promise<void> {
    const pushed = { schemas: [user], userName, displayName: userName, active: true };
    const { provider } = this.filled;
    const { id } = await ok(provider.post('/Users', pushed), 'POST');
    const path = `/Users/${id}`;
    await ok(provider.call('PUT', path, { ...pushed, title: 'Engineer' }), 'PUT');
    const Operations = [{ op: 'replace', path: 'title', value: 'Lead' }];
    await ok(provider.call('PATCH', path, { schemas: [patch], Operations }), 'PATCH');
    await ok(provider.call('DELETE', path), 'DELETE');
  }
}

async function ok(answer: Promise<Answer>, what: string): Promise<Answer['body']> {
  const { status, body } = await answer;
  if (status >= 300) throw new Error(`${what}: ${status} ${JSON.stringify(body)}`);
  return body;
}

async function startServices(tap: PlanTap, sourcesDir: string): Promise<Services> {
  return Services.start({ databaseUrl: tap.url, sourcesDir, allowedCidrs: '127.0.0.0/8' });
}

/** Sends plans to the connections of the database, and keeps PostgreSQL from analysing its tables. */
async function withoutStatistics(fixture: DirectoryFixture, database: string): Promise<void> {
  for (const [setting, value] of Object.entries(explainingSettings)) {
    await fixture.rows(`alter database "${database}" set ${setting} = '${value}'`);
  }
  const tables = await fixture.rows<{ name: string }>(
    `select quote_ident(relname) as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  );
  for (const { name } of tables) await fixture.rows(`alter table ${name} set (autovacuum_enabled = off)`);
}

async function providerOf(services: Services, tenant: Tenant, connectorId: string): Promise<Client> {
  const path = `/admin/v1/tenants/${tenant.id}/connectors/${connectorId}/tokens`;
  const { body: token } = await tenant.operator.post(path, { name: 'Provider' });
  return new Client(`${services.url}${token.path}`, { authorization: `Bearer ${token.token}` });
}

/** Adds pushed users that no job has read. */
async function addPushedUsers(fixture: DirectoryFixture, tenantId: string, connectorId: string): Promise<void> {
  const place = [decodeId('tenant', tenantId), decodeId('connector', connectorId)];
  await fixture.rows(
    `insert into scim_positions (tenant_id, connector_id, last, users)
     values ($1, $2, ${pushedUsers}, ${pushedUsers})`,
    place,
  );
  await fixture.rows(
    `insert into scim_resources (tenant_id, connector_id, kind, id, name_key, document, position)
     select $1, $2::uuid, 'User', gen_random_uuid(), $2::text || ' User user ' || n,
            jsonb_build_object('userName', 'user ' || n), n
       from generate_series(1, ${pushedUsers}) as n`,
    place,
  );
}

/** Adds deliveries of earlier events: delivered, dead, and waiting for their next attempt tomorrow. */
async function addOldDeliveries(fixture: DirectoryFixture, tenantId: string, webhookId: string): Promise<void> {
  const ids = [decodeId('tenant', tenantId), decodeId('webhook', webhookId)];
  // The webhook may also have deliveries of events of the import, with attempts.
  await fixture.rows(
    `with added as (
       insert into webhook_deliveries (id, tenant_id, webhook_id, event_sequence, event_type, status, tries, attempts, is_retry, due_at)
       select gen_random_uuid(), $1, $2, n, 'user.updated', (array['delivered', 'dead', 'pending'])[1 + n % 3], 1, 1,
              n % 3 = 2, now() + interval '1 day'
         from generate_series(1, ${oldDeliveries}) as n
       returning id, tenant_id, webhook_id)
     insert into webhook_attempts (delivery_id, number, tenant_id, webhook_id, ended_at, outcome, status_code, duration_ms)
     select id, 1, tenant_id, webhook_id, now(), 'delivered', 204, 5 from added`,
    ids,
  );
  await fixture.rows(
    `insert into event_payloads (tenant_id, sequence, event_id, body)
     select tenant_id, event_sequence, gen_random_uuid(), '{}' from webhook_deliveries where webhook_id = $2 and tenant_id = $1
     on conflict do nothing`,
    ids,
  );
}

/** Every fourth reads a single record, as a request does that waits for its result. */
async function addOldJobs(fixture: DirectoryFixture, tenantId: string, connectorId: string): Promise<void> {
  const ids = [decodeId('tenant', tenantId), decodeId('connector', connectorId)];
  await fixture.rows(
    `with jobs as (
       insert into sync_jobs (id, tenant_id, connector_id, status, mode, external_id, created_at, started_at, completed_at,
                              last_record_at, batches_total, batches_processed, records_read, records_applied)
       select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(md5(n::text), 1, 3) || '8' || substr(md5(n::text), 4, 15))::uuid,
              $1, $2, 'completed', case when n % 4 = 0 then 'record' else 'changes' end, case when n % 4 = 0 then n::text end,
              at, at, at, at, 1, 1, 1, 1
         from (select n, now() - n * interval '1 minute' as at from generate_series(1, ${oldJobs}) as n) as times
       returning id, tenant_id, connector_id)
     insert into sync_plans (job_id, tenant_id, connector_id, state) select id, tenant_id, connector_id, 'done' from jobs`,
    ids,
  );
}

async function addOldOperations(fixture: DirectoryFixture, tenantId: string): Promise<void> {
  await fixture.rows(
    `insert into operations (id, tenant_id, type, input, status, ended_at, result)
     select gen_random_uuid(), $1, 'case.resolve', '{}', 'done', now() - n * interval '1 minute', '{}'
       from generate_series(1, ${oldJobs}) as n`,
    [decodeId('tenant', tenantId)],
  );
}

/** Adds values of people who were erased. */
async function addSuppressions(fixture: DirectoryFixture, tenantId: string): Promise<void> {
  await fixture.rows(
    `insert into suppression_hashes (tenant_id, hash, suppression_id)
     select $1, sha256(n::text::bytea), gen_random_uuid() from generate_series(1, ${oldJobs}) as n`,
    [decodeId('tenant', tenantId)],
  );
}

/** Stores the manager of each person as a former reference as well. */
async function addFormerManagers(fixture: DirectoryFixture, tenantId: string): Promise<void> {
  await fixture.rows(
    `insert into former_references (tenant_id, identity_id, record_id, texts)
     select tenant_id, manager_id, id, array[external_id] from source_records
      where tenant_id = $1 and manager_id is not null`,
    [decodeId('tenant', tenantId)],
  );
}

/** Writes people; one in a thousand changes in each round. */
async function writeMany(sourcesDir: string, prefix: string, round: number): Promise<void> {
  await writeLines(join(sourcesDir, `${prefix}.jsonl`), people, (n) => ({
    ...{ id: `${prefix}${n}`, mail: `${prefix}${n}@example.org`, upn: `${prefix}${n}@corp.example.org` },
    ...{
      first: `${prefix}first${n % 3_000}`,
      last: `${prefix}last${n % 2_000}`,
      title: n % 1_000 === 0 ? `round ${round}` : 'Engineer',
      department: `${prefix} dep ${n % 20}`,
      groups: [`${prefix} group ${n % 50}`],
    },
    ...{ site: `${prefix} site ${n % 100}`, manager: `${prefix}${Math.floor(n / 10)}` },
  }));
}

/** Writes people who all change in each round; one of them leaves, and one is new. */
async function writeFew(sourcesDir: string, round: number): Promise<void> {
  await writeLines(join(sourcesDir, 'few.jsonl'), fewPeople, (n) => {
    const id = round + n;
    return {
      id: `F${id}`,
      mail: `f${id}@example.org`,
      first: `Few${id}`,
      last: `Person${id}`,
      title: `round ${round}`,
      manager: `e${round}`,
    };
  });
}

async function writeLines(path: string, count: number, line: (n: number) => object): Promise<void> {
  await writeFile(path, `${Array.from({ length: count }, (_, n) => JSON.stringify(line(n))).join('\n')}\n`);
}

const manyConnector = (prefix: string) => ({
  type: 'jsonl',
  name: `Many ${prefix}`,
  config: {
    path: `${prefix}.jsonl`,
    external_id: 'id',
    fields: {
      ...{ employee_number: 'id', email: 'mail', user_principal_name: 'upn', first_name: 'first', last_name: 'last' },
      ...{ departments: 'department', groups: 'groups[]', 'attributes.site': 'site', manager_id: 'manager' },
      job_title: 'title',
    },
  },
});

const fewConnector = {
  type: 'jsonl',
  name: 'Few',
  config: {
    path: 'few.jsonl',
    external_id: 'id',
    fields: { email: 'mail', first_name: 'first', last_name: 'last', job_title: 'title', manager_id: 'manager' },
  },
};
