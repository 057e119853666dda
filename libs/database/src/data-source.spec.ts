import { expect, it } from '@jest/globals';
import { openDataSource } from './data-source.js';

it('a missing certificate file is reported by its path, not as an unreachable server', async () => {
  const url = 'postgres://me:hunter2@127.0.0.1:1/idsync?sslmode=verify-full&sslrootcert=/nowhere/ca.crt';
  await expect(openDataSource({ url, poolSize: 1 })).rejects.toThrow(
    /^DATABASE_URL: cannot read \/nowhere\/ca\.crt: ENOENT$/,
  );
});
