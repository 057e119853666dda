import { services } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { autoscalerRole, databaseUrl, migrate, serviceRoles } from '@idsync/database/schema';
import { PrivatePostgres } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ICluster } from '@kubernetes-models/cloudnative-pg/postgresql.cnpg.io/v1/Cluster';
import type { IScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject';
import type { IConfigMap } from 'kubernetes-models/v1/ConfigMap';
import pg from 'pg';
import { ofKind } from './objects.js';
import { describeRendered, kustomize, type Manifest, render } from './render.js';

const password = 'development';

describeRendered('PostgreSQL set up by the manifests', () => {
  let server: PrivatePostgres;

  beforeAll(async () => {
    server = await PrivatePostgres.start();
  });
  afterAll(() => server?.remove());

  describe.each([
    ['dev', prepareByScript],
    ['production', prepareLikeOperator],
  ] as const)('the database of the overlay %s', (overlay, prepare) => {
    const manifests = kustomize ? render(`overlays/${overlay}`) : [];

    beforeAll(async () => {
      await resetServer(server.url);
      await prepare(server.url, manifests);
      await migrate(login(server.url, 'idsync'));
    });

    it('is migrated by its owner, which is not a superuser and cannot create roles', async () => {
      const owner = login(server.url, 'idsync');
      const [rights] = await query(owner, 'select rolsuper, rolcreaterole from pg_roles where rolname = current_user');
      expect(rights).toEqual({ rolsuper: false, rolcreaterole: false });
      expect(await migrate(owner)).toEqual({ applied: [] });
    });

    it('lets a migration see the rows of every tenant', async () => {
      const owner = login(server.url, 'idsync');
      await query(owner, `insert into tenants (id, name) values (gen_random_uuid(), 'one')`);
      expect(await query(owner, 'delete from tenants returning name')).toEqual([{ name: 'one' }]);
    });

    it.each(services)('lets %s connect with its own login and only in its own role', async (service) => {
      const url = login(server.url, serviceRoles[service]);
      await (await Database.connect({ url, service })).close();
      const other = services.find((each) => each !== service) ?? service;
      await expect(Database.connect({ url, service: other })).rejects.toThrow('permission denied');
    });
  });

  it('leaves nothing for an administrator to revoke if CloudNativePG creates the database', async () => {
    await resetServer(server.url);
    await prepareLikeOperator(server.url, kustomize ? render('overlays/production') : []);
    const said: string[] = [];
    await migrate(login(server.url, 'idsync'), (line) => said.push(line));
    expect(said.filter((line) => line.includes('administrator'))).toEqual([]);
  });

  describe('KEDA', () => {
    const scaled = kustomize ? ofKind<IScaledObject>(render('overlays/production'), 'ScaledObject') : [];

    beforeAll(async () => {
      await resetServer(server.url);
      await prepareLikeOperator(server.url, render('overlays/production'));
      await migrate(login(server.url, 'idsync'));
    });

    it('reads zero while nothing waits', async () => {
      expect(await readTrigger('sync-worker')).toBe(0);
      expect(await readTrigger('webhook-dispatcher')).toBe(0);
    });

    it('reads the number of connectors with waiting jobs, not the number of jobs', async () => {
      await query(login(server.url, 'idsync'), seeds);
      expect(await readTrigger('sync-worker')).toBe(2);
    });

    it('reads the seconds for which the oldest deliverable delivery has been due', async () => {
      const age = await readTrigger('webhook-dispatcher');
      expect(age).toBeGreaterThanOrEqual(600);
      expect(age).toBeLessThan(1_200);
    });

    it('can read nothing else and write nothing', async () => {
      const url = login(server.url, autoscalerRole);
      const readable = await query(
        url,
        `select relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'v', 'S')
            and has_table_privilege(oid, 'select, insert, update, delete, truncate') order by relname`,
      );
      expect(readable).toEqual([
        { relname: 'autoscaling_directory' },
        { relname: 'autoscaling_sync_worker' },
        { relname: 'autoscaling_webhook_dispatcher' },
      ]);
      await expect(query(url, 'select from tenants')).rejects.toThrow('permission denied');
      await expect(query(url, 'create table mine ()')).rejects.toThrow('permission denied');
    });

    async function readTrigger(service: string): Promise<number> {
      const { spec } = scaled.find(({ metadata }) => metadata?.name === service) ?? {};
      const trigger = spec?.triggers.find(({ type }) => type === 'postgresql');
      const { userName = '', query: text = '' } = trigger?.metadata ?? {};
      const [row] = await query(login(server.url, userName), text);
      return Number(Object.values(row ?? {})[0]);
    }
  });
});

/**
 * Two connectors with jobs to read and one with a quarantined job; deliveries due for 10 minutes, and older ones that must not
 * be sent now.
 */
const seeds = `
  insert into tenants (id, name) values ('00000000-0000-7000-8000-000000000001', 'one');
  insert into connectors (id, tenant_id, type, name, priority, records, config)
    select gen_random_uuid(), id, 'csv', number::text, number, 'user', '{}' from tenants, generate_series(1, 3) number;
  insert into sync_jobs (id, tenant_id, connector_id, status, keyed)
    select gen_random_uuid(), tenant_id, id, (array['running', 'queued', 'quarantined'])[priority], true from connectors;
  insert into sync_jobs (id, tenant_id, connector_id, keyed)
    select gen_random_uuid(), tenant_id, id, true from connectors, generate_series(1, 5) where priority < 3;
  insert into webhooks (id, tenant_id, callback_url, events, active)
    select ('00000000-0000-7000-8000-00000000001' || number)::uuid, id, 'https://example.com', '{*}', number < 3
      from tenants, generate_series(1, 3) number;
  insert into webhook_endpoints (webhook_id, tenant_id, open_until)
    select id, tenant_id, now() + interval '1 hour' from webhooks where id::text like '%2';
  insert into webhook_deliveries (id, tenant_id, webhook_id, event_sequence, event_type, is_retry, due_at)
    select gen_random_uuid(), tenant_id, id, number, 'webhook.test', number > 1,
           now() - case when id::text like '%1' then interval '10 minutes' else interval '1 hour' end
      from webhooks, generate_series(1, 2) number;
  insert into webhook_deliveries (id, tenant_id, webhook_id, event_sequence, event_type, is_retry, due_at)
    select gen_random_uuid(), tenant_id, id, 3, 'webhook.test', true, now() + interval '1 hour' from webhooks;`;

/** Drops the database and all roles, so that the server is as after its installation. */
async function resetServer(url: string): Promise<void> {
  const server = databaseUrl(url, 'postgres');
  await query(server, 'drop database if exists idsync with (force)');
  for (const role of ['idsync', autoscalerRole, ...Object.values(serviceRoles)])
    await query(server, `drop role if exists ${role}`);
}

/** Prepares the database like CloudNativePG: owner and database, statements of the manifest, then managed roles. */
async function prepareLikeOperator(url: string, manifests: readonly Manifest[]): Promise<void> {
  const [cluster] = ofKind<ICluster>(manifests, 'Cluster');
  const { database, owner, postInitApplicationSQL = [] } = cluster?.spec?.bootstrap?.initdb ?? {};
  const server = databaseUrl(url, 'postgres');
  await query(server, `create role ${owner} login password '${password}'`);
  await query(server, `create database ${database} owner ${owner}`);
  for (const statement of postInitApplicationSQL) await query(url, statement);
  for (const { name, login: mayLogIn } of cluster?.spec?.managed?.roles ?? []) {
    await query(server, `alter role ${name} ${mayLogIn ? 'login' : 'nologin'} password '${password}'`);
  }
}

async function prepareByScript(url: string, manifests: readonly Manifest[]): Promise<void> {
  const script = ofKind<IConfigMap>(manifests, 'ConfigMap').flatMap(({ data }) => data?.['roles.sql'] ?? []);
  for (const statement of script.join('').split(';').slice(0, -1)) await query(databaseUrl(url, 'postgres'), statement);
}

function login(url: string, role: string): string {
  const copy = new URL(url);
  copy.username = role;
  copy.password = password;
  return copy.href;
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}
