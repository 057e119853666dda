import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TestCertificate {
  certFile: string;
  keyFile: string;
  cert: string;
  key: string;
  remove(): Promise<void>;
}

/** Creates a certificate authority and a certificate for one host; undefined without an `openssl` program. */
export function makeCertificate(host: string): TestCertificate | undefined {
  const directory = mkdtempSync(join(tmpdir(), 'idsync-tls-'));
  const certFile = join(directory, 'cert.pem');
  const keyFile = join(directory, 'key.pem');
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const subject = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`];
  try {
    execFileSync('openssl', ['req', ...kind, ...subject, '-keyout', keyFile, '-out', certFile], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  return {
    certFile,
    keyFile,
    cert: readFileSync(certFile, 'utf8'),
    key: readFileSync(keyFile, 'utf8'),
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}
