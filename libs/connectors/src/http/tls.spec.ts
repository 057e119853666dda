import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { loopback } from '../../test/http-server.js';
import { ApiClient } from './api-client.js';
import { HttpTransport } from './http-transport.js';

const present = spawnSync('/usr/bin/openssl', ['version']).status === 0;
if (!present) process.stdout.write('Skipped: TLS with an authority of its own, for there is no openssl\n');

(present ? describe : describe.skip)('a source with a certificate of an authority of its own', () => {
  const dir = mkdtempSync(join(tmpdir(), 'idsync-tls-'));
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  async function ask(host: string, ca?: string): Promise<unknown> {
    const [key, cert] = [join(dir, 'key.pem'), join(dir, 'cert.pem')];
    const made = '-x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=scim.test';
    const name = ['-addext', 'subjectAltName=DNS:scim.test', '-keyout', key, '-out', cert];
    execFileSync('/usr/bin/openssl', ['req', ...made.split(' '), ...name], { stdio: 'ignore' });
    const files = { key: readFileSync(key), cert: readFileSync(cert) };
    const server = createServer(files, (_, response) => response.end('{"ok":true}'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const transport = new HttpTransport({
      allowedCidrs: loopback,
      ca: ca ?? files.cert.toString(),
      resolve: async () => ['127.0.0.1'],
    });
    try {
      const client = new ApiClient(transport, { baseUrl: `https://${host}:${port}` });
      return (await client.page(new AbortController().signal).get('/')).body;
    } finally {
      await transport.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  }

  it('is trusted by that authority alone, and under its name alone', async () => {
    await expect(ask('scim.test')).resolves.toEqual({ ok: true });
    await expect(ask('other.test')).rejects.toThrow('TLS failed');
    const otherAuthority = readFileSync(join(dir, 'cert.pem'), 'utf8');
    await expect(ask('scim.test', otherAuthority)).rejects.toThrow('TLS failed');
  });
});
