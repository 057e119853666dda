import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { openDataSource, ServiceDataSource, typeOrmOptions } from './data-source.js';
import { serviceClient } from './service-client.js';
import { isTimeout, isUnavailable } from './sql-state.js';

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

it('the clients of a service are counted until they have ended', () => {
  const connections = { count: 0, settings: '' };
  const Client = serviceClient(connections);
  const [first, second] = [new Client(), new Client()];
  expect(connections.count).toBe(2);
  for (const client of [first, first, second]) client.emit('end');
  expect(connections.count).toBe(0);
});

it('an error of an idle client does not end the process', () => {
  const client = new (serviceClient({ count: 0, settings: '' }))();
  expect(() => client.emit('error', new Error('the connection is lost'))).not.toThrow();
});

const refusal = (code: string) => Object.assign(new Error('refused'), { severity: 'FATAL', code });
const failure = (code: string) => Object.assign(new Error('connect'), { code });

describe('isUnavailable', () => {
  it.each(['57P01', '57P02', '57P03', '53300', '53100', '08006', '25006', '40001', '40P01', '55P03'])(
    'is true for PostgreSQL state %s',
    (code) => {
      expect(isUnavailable(refusal(code))).toBe(true);
    },
  );

  it.each(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENOTFOUND', 'EAI_AGAIN'])(
    'is true for network error %s',
    (code) => {
      expect(isUnavailable(failure(code))).toBe(true);
    },
  );

  it.each([
    'Connection terminated unexpectedly',
    'Connection terminated due to connection timeout',
    'timeout exceeded when trying to connect',
    'Client has encountered a connection error and is not queryable',
  ])('is true for the driver error: %s', (message) => {
    expect(isUnavailable(new Error(message))).toBe(true);
  });

  it.each(['failure on connection marked as essential: node1:5432', 'failed to COPY to shard 1 on node1:5432'])(
    'is true for a node that Citus has lost: %s',
    (message) => {
      expect(isUnavailable(Object.assign(new Error(message), { severity: 'ERROR', code: 'XX000' }))).toBe(true);
    },
  );

  it('is false for any other error', () => {
    for (const code of ['XX000', '23505', '42501', '42P01', '22P02', '28P01'])
      expect(isUnavailable(refusal(code))).toBe(false);
    for (const error of [new Error('no'), failure('ENOENT'), undefined, null, 'text', {}]) {
      expect(isUnavailable(error)).toBe(false);
    }
  });
});

describe('isTimeout', () => {
  it('is true for a timeout from PostgreSQL, and from the driver if PostgreSQL does not answer', () => {
    expect(isTimeout(refusal('57014'))).toBe(true);
    expect(isTimeout(new Error('Query read timeout'))).toBe(true);
    expect(isTimeout(refusal('57P01'))).toBe(false);
    expect(isTimeout(undefined)).toBe(false);
  });
});
