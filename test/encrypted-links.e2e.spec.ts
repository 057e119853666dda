import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DirectoryFixture, hasBroker, PrivateBroker, PrivatePostgres, until } from '@idsync/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Receiver } from '../apps/webhook-dispatcher/test/receiver.js';
import { certificates } from '../libs/connectors/test/processes.js';
import { Client, createTenant, sync } from './support/client.js';
import { connectPeople } from './support/people-file.js';
import { environmentOf, programOf, Services, type ServicesOptions } from './support/services.js';

const count = 30;

if (!hasBroker()) process.stderr.write('AMQP_URL is not set: skipping RabbitMQ over TLS.\n');

describe('services with PostgreSQL and RabbitMQ over TLS', () => {
  const dir = mkdtempSync(join(tmpdir(), 'idsync-encrypted-'));
  const log = join(dir, 'services.log');
  let ca: string;
  let postgres: PrivatePostgres;
  let broker: PrivateBroker | undefined;
  let admin: DirectoryFixture;
  let receiver: Receiver;
  let services: Services | undefined;

  beforeAll(async () => {
    const files = certificates(dir, ['127.0.0.1']);
    ca = files.ca;
    [postgres, broker, receiver] = await Promise.all([
      PrivatePostgres.start(),
      hasBroker() ? PrivateBroker.start({ tls: files }) : undefined,
      Receiver.start(),
    ]);
    await postgres.requireTls(files);
    admin = DirectoryFixture.connect(checked(postgres.url));
    await until(() => admin.rows('select').catch(() => false), 'PostgreSQL', 90_000);
  });

  afterEach(async () => {
    await services?.stop();
    services = undefined;
  });

  afterAll(async () => {
    await admin?.close();
    await receiver?.close();
    await broker?.remove();
    await postgres?.remove();
    await rm(dir, { recursive: true, force: true });
  });

  function checked(url: string): string {
    return `${url}?sslmode=verify-full&sslrootcert=${encodeURIComponent(ca)}`;
  }

  async function start(options: Partial<ServicesOptions>): Promise<Services> {
    const logs = await open(log, 'w');
    services = await Services.start({
      databaseUrl: checked(postgres.url),
      amqpUrl: broker?.url,
      sourcesDir: dir,
      allowedCidrs: '127.0.0.0/8',
      logs: logs.fd,
      ...options,
    }).finally(() => logs.close());
    return services;
  }

  /** Starts a service with this database and returns its exit code and output. */
  function refusal(databaseUrl: string): { code: number; output: string } {
    try {
      execFileSync(process.execPath, [programOf('directory')], {
        env: environmentOf({ databaseUrl, sourcesDir: dir }, 0),
        stdio: 'pipe',
      });
      return { code: 0, output: '' };
    } catch (error) {
      const { status, stderr } = error as { status: number; stderr: Buffer };
      return { code: status, output: stderr.toString() };
    }
  }

  it('sync and deliver over encrypted connections only', async () => {
    const running = await start({ amqpUrl: broker && `${broker.url}?cacertfile=${encodeURIComponent(ca)}` });
    const tenant = await createTenant(Client.operator(running.url, running.adminToken), 'Encrypted');
    await tenant.client.post('/v1/webhooks', { callback_url: receiver.url, events: ['identity.created'] });
    const job = await sync(tenant, await connectPeople(tenant, dir, 'people', count));
    expect(job).toMatchObject({ status: 'completed' });
    await until(() => new Set(receiver.ids()).size >= count, `${count} events`, 90_000);
    const connections = await admin.rows(
      `select a.application_name as service, bool_and(s.ssl) as encrypted
         from pg_stat_activity a join pg_stat_ssl s using (pid)
        where a.application_name like 'idsync\\_%' group by 1 order by 1`,
    );
    expect(connections).toEqual(
      ['directory', 'gateway', 'sync_worker', 'webhook_dispatcher'].map((name) => ({
        service: `idsync_${name}`,
        encrypted: true,
      })),
    );
  });

  it.each([
    ['without TLS', '', /no encryption/],
    [
      'with a certificate of an unknown authority',
      '?sslmode=verify-full',
      /is not trusted: unable to verify the first certificate/,
    ],
  ])('do not start with a database connection %s', (_how, query, why) => {
    const { code, output } = refusal(postgres.url + query);
    expect(output).toMatch(why);
    expect(output.trim().split('\n')).toHaveLength(1);
    expect(code).toBe(1);
  });

  it('do not start with a database host name that is not in the certificate', () => {
    const elsewhere = new URL(checked(postgres.url));
    elsewhere.hostname = 'localhost';
    const { code, output } = refusal(elsewhere.toString());
    expect([code, output]).toEqual([
      1,
      expect.stringContaining("is not trusted: Hostname/IP does not match certificate's altnames"),
    ]);
  });

  (hasBroker() ? it : it.skip)('do not connect to a broker with an untrusted certificate', async () => {
    const running = await start({ withoutBroker: true });
    const refused = (line: string) => /"err":.*certificate.*"msg":"RabbitMQ is not reachable/.test(line);
    await until(async () => (await readFile(log, 'utf8')).split('\n').some(refused), 'the refusal in the log', 90_000);
    const ready = await fetch(`${running.internalUrls.gateway}/readyz`);
    expect(await ready.json()).toMatchObject({ checks: { bus: 'degraded' } });
  });
});
