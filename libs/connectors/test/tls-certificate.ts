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

/** A certificate of its own authority for one host, by the `openssl` of the system; undefined if there is none. */
export function makeCertificate(host: string): TestCertificate | undefined {
  const directory = mkdtempSync(join(tmpdir(), 'idsync-tls-'));
  const certFile = join(directory, 'cert.pem');
  const keyFile = join(directory, 'key.pem');
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const whom = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`];
  try {
    execFileSync('openssl', ['req', ...kind, ...whom, '-keyout', keyFile, '-out', certFile], { stdio: 'ignore' });
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
