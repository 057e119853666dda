import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { openDataSource, ServiceDataSource, typeOrmOptions } from './data-source.js';

it('a service has no connection at first, and waits at most five seconds for one', () => {
  const options = typeOrmOptions({ url: 'postgres://127.0.0.1/idsync', poolSize: 1 });
  expect(options.connectTimeoutMS).toBe(5_000);
  expect(new ServiceDataSource(options).connections.count).toBe(0);
});

it('a missing certificate file is reported by its path, not as an unreachable server', async () => {
  const url = 'postgres://me:hunter2@127.0.0.1:1/idsync?sslmode=verify-full&sslrootcert=/nowhere/ca.crt';
  await expect(openDataSource({ url, poolSize: 1 })).rejects.toThrow(
    /^DATABASE_URL: cannot read \/nowhere\/ca\.crt: ENOENT$/,
  );
});

it('an unreachable server is reported by its host and port, and never with the password', async () => {
  const url = 'postgres://me:hunter2@127.0.0.1:1/idsync';
  await expect(openDataSource({ url, poolSize: 1 })).rejects.toThrow(
    /^DATABASE_URL: cannot reach 127\.0\.0\.1:1: ECONNREFUSED$/,
  );
});

it('closing waits for the connections', async () => {
  const dataSource = new ServiceDataSource(typeOrmOptions({ url: 'postgres://127.0.0.1/idsync', poolSize: 1 }));
  const steps: string[] = [];
  const disconnect = async () => {
    await turn();
    steps.push('disconnected');
  };
  Object.assign(dataSource, { isInitialized: true, driver: { disconnect } });
  await dataSource.destroy();
  expect([...steps, 'closed']).toEqual(['disconnected', 'closed']);
});

it('a role without a timeout of statements has none, neither in PostgreSQL nor in the driver', () => {
  const options = { url: 'postgres://127.0.0.1/idsync', role: 'idsync_gateway', poolSize: 1 };
  const { extra } = typeOrmOptions(options);
  expect(extra).toMatchObject({ options: expect.stringContaining('-c statement_timeout=0 '), query_timeout: 0 });
  expect(typeOrmOptions({ ...options, statementTimeoutMs: 30_000 }).extra).toMatchObject({
    options: expect.stringContaining('-c statement_timeout=30000 '),
    query_timeout: 35_000,
  });
});
