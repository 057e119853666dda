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
