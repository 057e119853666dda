import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, it } from '@jest/globals';
import { loopback } from '../../test/http-server.js';
import { makeCertificate, type TestCertificate } from '../../test/tls-certificate.js';
import { ApiClient } from './api-client.js';
import { HttpTransport } from './http-transport.js';

const [made, other] = [makeCertificate('scim.test'), makeCertificate('scim.test')];
if (!made)
  process.stdout.write('Skipped: TLS with a private certificate authority, because openssl is not installed\n');

afterAll(async () => {
  await Promise.all([made?.remove(), other?.remove()]);
});

async function ask(certificate: TestCertificate | undefined, host: string, ca?: string): Promise<unknown> {
  const server = createServer({ key: certificate?.key, cert: certificate?.cert }, (_, response) => {
    response.end('{"ok":true}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const transport = new HttpTransport({ allowedCidrs: loopback, ca, resolve: async () => ['127.0.0.1'] });
  try {
    const client = new ApiClient(transport, { baseUrl: `https://${host}:${port}` });
    return (await client.page(new AbortController().signal).get('/')).body;
  } finally {
    await transport.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

(made ? describe : describe.skip)('a source with a certificate of a private authority', () => {
  it('is trusted only with that authority and only under its host name', async () => {
    await expect(ask(made, 'scim.test', made?.cert)).resolves.toEqual({ ok: true });
    await expect(ask(made, 'other.test', made?.cert)).rejects.toThrow('TLS failed');
    await expect(ask(made, 'scim.test', other?.cert)).rejects.toThrow('TLS failed');
    await expect(ask(made, 'scim.test')).rejects.toThrow('TLS failed');
  });
});
