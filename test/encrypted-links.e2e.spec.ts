import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DirectoryFixture, hasBroker, PrivateBroker, PrivatePostgres } from '@idsync/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Receiver } from '../apps/webhook-dispatcher/test/receiver.js';
import { certificates } from '../libs/connectors/test/processes.js';
import { Client, createTenant, sync } from './support/client.js';
import { connectPeople } from './support/people-file.js';
import { environmentOf, programOf, Services, type ServicesOptions } from './support/services.js';
import { until } from './support/until.js';

jest.setTimeout(240_000);

const count = 30;

if (!hasBroker()) process.stderr.write('AMQP_URL is not set: RabbitMQ behind TLS is left out.\n');

describe('a PostgreSQL and a RabbitMQ that speak TLS alone', () => {
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
    await until(() =>
      admin.rows('select').then(
        () => true,
        () => false,
      ),
    );
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

  /** How a service ends that is started there, and what it says. */
  function refusal(databaseUrl: string): { code: number; said: string } {
    try {
      execFileSync(process.execPath, [programOf('directory')], {
        env: environmentOf({ databaseUrl, sourcesDir: dir }, 0),
        stdio: 'pipe',
      });
      return { code: 0, said: '' };
    } catch (error) {
      const { status, stderr } = error as { status: number; stderr: Buffer };
      return { code: status, said: stderr.toString() };
    }
  }

  it('are synced and delivered through, and no connection of ours is in the clear', async () => {
    const running = await start({ env: { NODE_EXTRA_CA_CERTS: ca } });
    const tenant = await createTenant(Client.operator(running.url, running.adminToken), 'Encrypted');
    await tenant.client.post('/v1/webhooks', { callback_url: receiver.url, events: ['identity.created'] });
    const job = await sync(tenant, await connectPeople(tenant, dir, 'people', count));
    expect(job).toMatchObject({ status: 'completed' });
    await until(() => new Set(receiver.ids()).size >= count);
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
    ['in the clear', '', /no encryption/],
    [
      'with an authority that did not sign for it',
      '?sslmode=verify-full',
      /is not trusted: unable to verify the first certificate/,
    ],
  ])('the database is not spoken to %s', (_how, query, why) => {
    const { code, said } = refusal(postgres.url + query);
    expect(said).toMatch(why);
    expect(said.trim().split('\n')).toHaveLength(1);
    expect(code).toBe(1);
  });

  it('the database is not spoken to under another name than its certificate has', () => {
    const elsewhere = new URL(checked(postgres.url));
    elsewhere.hostname = 'localhost';
    const { code, said } = refusal(elsewhere.toString());
    expect([code, said]).toEqual([
      1,
      expect.stringContaining("is not trusted: Hostname/IP does not match certificate's altnames"),
    ]);
  });

  (hasBroker() ? it : it.skip)('the broker is not spoken to if nobody vouches for it', async () => {
    const running = await start({});
    await until(async () => /RabbitMQ is not reachable.*certificate/.test(await readFile(log, 'utf8')));
    const ready = await fetch(`${running.internalUrls.gateway}/readyz`);
    expect(await ready.json()).toMatchObject({ checks: { bus: 'degraded' } });
  });
});
