import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type BrokerVhost,
  createTestDatabase,
  createVhost,
  DirectoryFixture,
  freePort,
  hasBroker,
  type TestDatabase,
  until,
} from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Receiver } from '../apps/webhook-dispatcher/test/receiver.js';
import { Client, createConnector, createTenant, sync, type Tenant } from './support/client.js';
import { EchoingSource } from './support/echoing-source.js';
import { secretSources } from './support/secret-sources.js';
import { Services } from './support/services.js';

/** Copies every outbox message, because messages are deleted once they are sent. */
const keepMessages = `
  create table kept_messages (message text);
  create function keep_message() returns trigger language plpgsql security definer as
    'begin insert into kept_messages values (new.message); return new; end';
  create trigger keep_message after insert on outbox for each row execute function keep_message()`;

/** Messages are the same with both drivers; with RabbitMQ they take the path of production. */
describe('a configured or generated secret', () => {
  let database: TestDatabase;
  let vhost: BrokerVhost | undefined;
  let fixture: DirectoryFixture;
  let services: Services;
  let receiver: Receiver;
  let source: EchoingSource;
  let folder: string;
  let tenant: Tenant;
  /** The secrets to search for, by name. */
  const secrets = new Map<string, string>();

  beforeAll(async () => {
    database = await createTestDatabase();
    vhost = hasBroker() ? await createVhost() : undefined;
    fixture = DirectoryFixture.connect(database.url);
    await fixture.rows(keepMessages);
    receiver = await Receiver.start();
    source = await EchoingSource.start();
    folder = await mkdtemp(join(tmpdir(), 'idsync-secrets-'));
    const logs = await open(join(folder, 'logs'), 'w');
    services = await Services.start({
      databaseUrl: database.url,
      amqpUrl: vhost?.url,
      sourcesDir: folder,
      allowedCidrs: '127.0.0.0/8',
      sourceCidrs: '127.0.0.0/8',
      logs: logs.fd,
      // Jobs with an unavailable source wait; they would show nothing more.
      env: { LOG_LEVEL: 'trace', SOURCE_OUTAGE_SECONDS: '0' },
    });
    await logs.close();
    tenant = await createTenant(Client.operator(services.url, services.adminToken), 'Secretive');
    await useEverySecret();
    await services.stop();
  });

  afterAll(async () => {
    await services?.stop();
    await source?.close();
    await receiver?.close();
    await fixture?.close();
    await vhost?.drop();
    await database?.drop();
    if (folder) await rm(folder, { recursive: true });
  });

  const operate = (path: string, body: object = {}) =>
    tenant.operator.post(`/admin/v1/tenants/${tenant.id}/${path}`, body);

  async function useEverySecret(): Promise<void> {
    secrets.set('the operator token', services.adminToken);
    secrets.set('the encryption key', Buffer.alloc(32, 7).toString('base64'));
    secrets.set('a token issued by a source', source.issued);
    await useKeys();
    const used: Promise<void>[] = [];
    for (const [type, sources] of Object.entries(secretSources(source.url, await freePort()))) {
      for (const [index, { config, secrets: given, marks }] of sources.entries()) {
        const name = `${type} ${index}`;
        for (const [what, secret] of Object.entries(given)) {
          if (!marks) secrets.set(`${what} of ${name}`, secret);
        }
        for (const mark of marks ?? []) secrets.set(`a private key of ${name}`, mark);
        used.push(useConnector(await createConnector(tenant, { type, name, config, secrets: given })));
      }
    }
    await Promise.all(used);
    await useWebhook();
  }

  async function useKeys(): Promise<void> {
    const { body } = await operate('api-keys', { name: 'leaking' });
    secrets.set('an API key', body.key.slice(-43));
    // Also in places that are logged, unlike the header.
    await tenant.client.get(`/v1/users?api_key=${body.key}`);
    await tenant.client.get(`/v1/identities/${body.key}`);
    await new Client(services.url, { authorization: `Bearer ${body.key}` }).get('/v1/users');
    const connector = await createConnector(tenant, { type: 'scim-push', name: 'Push', config: {} });
    const { body: issued } = await operate(`connectors/${connector}/tokens`, { name: 'Okta' });
    secrets.set('a push token', issued.token.slice(-43));
    secrets.set('a pushed password', 'pushed-password-5hQ2');
    const provider = new Client(`${services.url}${issued.path}`, { authorization: `Bearer ${issued.token}` });
    const pushed = await provider.post('/Users', { userName: 'ada', password: 'pushed-password-5hQ2' });
    expect(pushed.status).toBe(201);
  }

  /** Tests, discovers and syncs the connector; its source rejects everything. */
  async function useConnector(connector: string): Promise<void> {
    for (const kind of ['test', 'discover']) {
      let { body } = await operate(`connectors/${connector}/${kind}`);
      const path = `/admin/v1/tenants/${tenant.id}/connectors/${connector}/probes/${body.probe_id}`;
      // The answer comes after ten seconds, whether the probe has ended or not.
      await until(async () => {
        if (body.status === 'queued') ({ body } = await tenant.operator.get(path));
        return body.status !== 'queued';
      }, `the end of the ${kind}`);
      expect(body.status).toBe('failed');
    }
    const job = await sync(tenant, connector);
    expect(job).toMatchObject({
      status: 'failed',
      error_message: expect.any(String),
      error_code: expect.any(String),
    });
    expect(job).not.toHaveProperty('source_message');
  }

  async function useWebhook(): Promise<void> {
    const { body } = await tenant.client.post('/v1/webhooks', { callback_url: receiver.url, events: ['*'] });
    const rotated = await tenant.client.post(`/v1/webhooks/${body.id}/rotate-secret`);
    secrets.set('a signing secret', body.signing_secret.slice('whsec_'.length));
    secrets.set('a rotated signing secret', rotated.body.signing_secret.slice('whsec_'.length));
    await operate(`webhooks/${body.id}/test`);
    await until(() => receiver.received.length > 0, 'the test event');
    expect(String(receiver.received[0]?.headers['webhook-signature']).split(' ')).toHaveLength(2);
  }

  it('was sent to its source', () => {
    const shown = source.repeated.join('\n');
    const seen = [...secrets].filter(([, secret]) => wholly(secret).some((form) => shown.includes(form)));
    expect(seen.map(([what]) => what)).toEqual(
      expect.arrayContaining(['password of csv 0', 'token of ldif 0', 'token of jsonl 0', 'token of github 0']),
    );
    expect(seen.map(([what]) => what)).toContain('a token issued by a source');
  });

  it('is in no row of any table', async () => {
    const tables = await fixture.rows<{ name: string }>(
      `select quote_ident(tablename) as name from pg_tables where schemaname = 'public' and tablename <> 'kept_messages'`,
    );
    expect(tables.length).toBeGreaterThan(40);
    let all = '';
    for (const { name } of tables) {
      const rows = await fixture.rows<{ row: string }>(`select t::text as row from ${name} t`);
      const text = rows.map(({ row }) => row).join();
      expect({ table: name, found: foundIn(text) }).toEqual({ table: name, found: [] });
      all += text;
    }
    // A non-secret value is found, which proves that the search works.
    for (const known of ['Secretive', 'cn=reader', receiver.url]) expect(all).toContain(known);
  });

  it('is in no outbox message', async () => {
    const messages = await fixture.rows<{ message: string }>('select message from kept_messages');
    expect(messages.length).toBeGreaterThan(30);
    expect(foundIn(messages.map(({ message }) => message).join('\n'))).toEqual([]);
  });

  it('is in no log line, at any log level', async () => {
    const logs = await readFile(join(folder, 'logs'), 'utf8');
    expect(logs).toContain('"level":');
    expect(foundIn(logs)).toEqual([]);
  });

  function foundIn(text: string): string[] {
    return [...secrets]
      .filter(([, secret]) => wholly(secret).some((form) => text.includes(form)))
      .map(([what]) => what);
  }
});

/** Returns the plain form, hex as PostgreSQL prints bytes, and base64 at any offset. */
function wholly(secret: string): string[] {
  const inBase64 = [0, 1, 2].map((before) =>
    Buffer.concat([Buffer.alloc(before), Buffer.from(secret)])
      .toString('base64')
      .slice(before === 0 ? 0 : 4, -4),
  );
  return [secret, Buffer.from(secret).toString('hex'), ...inBase64];
}
