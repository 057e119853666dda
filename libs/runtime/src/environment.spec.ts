import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { EnvironmentError, readEnv } from './env.js';
import {
  brokerAddresses,
  directoryEnvironment,
  dispatcherEnvironment,
  gatewayEnvironment,
  migrateEnvironment,
  standaloneEnvironment,
  syncWorkerEnvironment,
} from './environment.js';

const good = {
  DATABASE_URL: 'postgres://me:pw@db:5432/idsync',
  ADMIN_TOKEN: 'a-long-enough-token',
  ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'),
};

describe('reading the environment', () => {
  it('fills in the defaults', () => {
    expect(readEnv(gatewayEnvironment, good)).toMatchObject({ PORT: 3000, HOST: '127.0.0.1', LOG_LEVEL: 'info' });
    expect(readEnv(standaloneEnvironment, {})).toMatchObject({
      DATA_DIR: '.data',
      SOURCES_DIR: 'samples',
      DEMO: true,
      WEBHOOK_ALLOW_CIDRS: [],
    });
  });

  it('reports every missing or invalid variable on its own line', () => {
    const wrong = { PORT: 'http', DATABASE_URL: 'mysql://db', ADMIN_TOKEN: 'short', ENCRYPTION_KEY: 'AAAA' };
    expect(() => readEnv(gatewayEnvironment, wrong)).toThrow(EnvironmentError);
    expect(() => readEnv(gatewayEnvironment, wrong)).toThrow(/^PORT is not valid: it must be a port number$/m);
    expect(() => readEnv(gatewayEnvironment, wrong)).toThrow(
      /^DATABASE_URL is not valid: it must look like postgres:/m,
    );
    expect(() => readEnv(gatewayEnvironment, wrong)).toThrow(/^ADMIN_TOKEN is not valid: .*16 characters$/m);
    expect(() => readEnv(gatewayEnvironment, wrong)).toThrow(/^ENCRYPTION_KEY is not valid: .*32 bytes/m);
    expect(() => readEnv(directoryEnvironment, {})).toThrow(/^DATABASE_URL is not set: it must look like postgres:/);
  });

  it('never prints a value, which may be a secret', () => {
    expect(() => readEnv(gatewayEnvironment, { ...good, ADMIN_TOKEN: 'hunter2' })).not.toThrow(/hunter2/);
  });

  it('treats an empty variable as unset', () => {
    expect(readEnv(gatewayEnvironment, { ...good, PORT: '', AMQP_URL: ' ' })).toMatchObject({ PORT: 3000 });
  });

  it('accepts an identity provider only with all that its sign-in needs', () => {
    const mapping = '[{"group":"admins","role":"admin"}]';
    const complete = {
      ...good,
      PUBLIC_URL: 'https://idsync.example.com',
      OIDC_ISSUER: 'https://login.example.com/realms/x',
      OIDC_CLIENT_ID: 'idsync',
      OIDC_ROLE_MAPPING: mapping,
    };
    for (const schema of [gatewayEnvironment, standaloneEnvironment]) {
      expect(readEnv(schema, complete)).toMatchObject({
        OIDC_ROLE_MAPPING: [{ group: 'admins', role: 'admin' }],
        OIDC_SCOPES: 'openid profile email',
        OIDC_GROUPS_CLAIM: 'groups',
      });
      for (const name of ['PUBLIC_URL', 'OIDC_CLIENT_ID', 'OIDC_ROLE_MAPPING']) {
        expect(() => readEnv(schema, { ...complete, [name]: '' })).toThrow(
          new RegExp(`^${name} .*must be set together with OIDC_ISSUER$`, 'm'),
        );
      }
    }
    const withValue = (name: string, value: string) => () =>
      readEnv(gatewayEnvironment, { ...complete, [name]: value });
    for (const issuer of ['http://127.0.0.1:8080', 'http://localhost:8080/realms/x', 'http://[::1]:1']) {
      expect(withValue('OIDC_ISSUER', issuer)).not.toThrow();
    }
    for (const issuer of [
      'http://login.example.com',
      'login.example.com',
      'https://u@x.example',
      'https://x.example?a',
    ]) {
      expect(withValue('OIDC_ISSUER', issuer)).toThrow(/^OIDC_ISSUER is not valid: it must be an https URL/m);
    }
    for (const text of ['{', '{}', '[{}]', '[{"group":"x","role":"root"}]']) {
      expect(withValue('OIDC_ROLE_MAPPING', text)).toThrow(/^OIDC_ROLE_MAPPING is not valid: it must look like/m);
    }
    expect(withValue('OIDC_SCOPES', 'profile')).toThrow('it must contain openid');
    expect(withValue('PUBLIC_URL', 'https://idsync.example.com/path')).toThrow('it must have no path');
    expect(withValue('SESSION_IDLE_SECONDS', '59')).toThrow('it must be seconds, 60 to 86400');
  });

  it('accepts origins that may embed the portal, and nothing that would change its policy', () => {
    const given = (text: string) => readEnv(gatewayEnvironment, { ...good, PORTAL_FRAME_ANCESTORS: text });
    expect(given('https://app.example.com, https://*.example.com:8443')).toMatchObject({
      PORTAL_FRAME_ANCESTORS: ['https://app.example.com', 'https://*.example.com:8443'],
    });
    for (const text of [
      '*',
      'app.example.com',
      'https://a.example/x',
      "https://a.example; script-src 'unsafe-inline'",
    ]) {
      expect(() => given(text)).toThrow(/^PORTAL_FRAME_ANCESTORS is not valid: it must be a comma-separated list/m);
    }
  });

  it('accepts ports from 0 to 65535', () => {
    const port = (text: string) => readEnv(gatewayEnvironment, { ...good, PORT: text, INTERNAL_PORT: text });
    for (const text of ['0', '1', '8080', '65535']) {
      expect(port(text)).toMatchObject({ PORT: Number(text), INTERNAL_PORT: Number(text) });
    }
    for (const text of ['65536', '99999', '100000', '-1', '80.5', '1e3', '0x50', '80a']) {
      expect(() => port(text)).toThrow(/^PORT is not valid: it must be a port number$/m);
      expect(() => port(text)).toThrow(/^INTERNAL_PORT is not valid: it must be a port number$/m);
    }
  });

  it('accepts a drain delay from 0 to 25 seconds, by default 0', () => {
    const drain = (text?: string) => readEnv(gatewayEnvironment, { ...good, DRAIN_DELAY_MS: text }).DRAIN_DELAY_MS;
    expect([drain(), drain('0'), drain('5000'), drain('25000')]).toEqual([0, 0, 5_000, 25_000]);
    for (const text of ['25001', '99999', '100000', '-1', '1.5', '1e3', '5s']) {
      expect(() => drain(text)).toThrow('DRAIN_DELAY_MS is not valid: it must be milliseconds, at most 25000');
    }
  });

  it('accepts CIDRs of both address families only', () => {
    const cidrs = (list: string) => readEnv(dispatcherEnvironment, { ...good, WEBHOOK_ALLOW_CIDRS: list });
    expect(cidrs('10.0.0.0/8, fd00::/8').WEBHOOK_ALLOW_CIDRS).toEqual(['10.0.0.0/8', 'fd00::/8']);
    for (const list of ['10.0.0.0', '10.0.0.0/33', 'localhost/8', '10.0.0.0/8/8']) {
      expect(() => cidrs(list)).toThrow(/WEBHOOK_ALLOW_CIDRS/);
    }
  });

  it('accepts only 32 bytes in base64 as the encryption key', () => {
    const key = (text: string) => readEnv(gatewayEnvironment, { ...good, ENCRYPTION_KEY: text }).ENCRYPTION_KEY;
    expect(key(good.ENCRYPTION_KEY)).toEqual(Buffer.alloc(32));
    for (const text of [`!!!!${good.ENCRYPTION_KEY}`, `${good.ENCRYPTION_KEY} x`, good.ENCRYPTION_KEY.slice(4)]) {
      expect(() => key(text)).toThrow(/^ENCRYPTION_KEY is not valid: .*32 bytes/);
    }
  });

  it('reads earlier encryption keys, by default none, in every service that encrypts or decrypts', () => {
    const earlier = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
    const list = earlier.map((key) => key.toString('base64')).join(', ');
    for (const schema of [gatewayEnvironment, dispatcherEnvironment]) {
      const keys = (text?: string) =>
        readEnv(schema, { ...good, ENCRYPTION_KEYS_PREVIOUS: text }).ENCRYPTION_KEYS_PREVIOUS;
      expect(keys()).toEqual([]);
      expect(keys(list)).toEqual(earlier);
      expect(() => keys(`${list},short`)).toThrow(/^ENCRYPTION_KEYS_PREVIOUS is not valid/);
    }
  });

  it('accepts only an existing folder of sources', () => {
    const folder = (path: string) => readEnv(standaloneEnvironment, { SOURCES_DIR: path });
    expect(folder(tmpdir()).SOURCES_DIR).toBe(tmpdir());
    for (const path of ['/nowhere', process.execPath, `${process.execPath}/below`]) {
      expect(() => folder(path)).toThrow('SOURCES_DIR is not valid: it must be a folder');
    }
  });

  it('disables the demo with 0', () => {
    expect(readEnv(standaloneEnvironment, { DEMO: '0' }).DEMO).toBe(false);
  });

  it('reads a secret from the file in <NAME>_FILE', () => {
    const folder = mkdtempSync(join(tmpdir(), 'idsync-env-'));
    const file = join(folder, 'database');
    writeFileSync(file, 'postgres://user:password@host/idsync\n');
    expect(readEnv(migrateEnvironment, { DATABASE_URL_FILE: file })).toEqual({
      DATABASE_URL: 'postgres://user:password@host/idsync',
    });
    expect(() => readEnv(migrateEnvironment, { DATABASE_URL_FILE: file, DATABASE_URL: 'postgres://other/db' })).toThrow(
      'DATABASE_URL and DATABASE_URL_FILE are both set: set only one of them',
    );
    rmSync(folder, { recursive: true });
    expect(() => readEnv(migrateEnvironment, { DATABASE_URL_FILE: file })).toThrow(
      'DATABASE_URL_FILE cannot be read: ENOENT',
    );
  });
});

describe('.env.example', () => {
  const lines = readFileSync(new URL('../../../.env.example', import.meta.url), 'utf8').split('\n');
  const schemas = [
    standaloneEnvironment,
    gatewayEnvironment,
    directoryEnvironment,
    syncWorkerEnvironment,
    dispatcherEnvironment,
    migrateEnvironment,
  ];

  it('lists every variable of every service exactly once', () => {
    const variables = new Set(schemas.flatMap(({ shape }) => Object.keys(shape)));
    const named = lines.flatMap((line) => /^#?([A-Z][A-Z_]+)=/.exec(line)?.[1] ?? []);
    expect(named.sort()).toEqual([...variables].sort());
  });

  it('sets no variable, so that a copy of it changes nothing', () => {
    expect(lines.filter((line) => line !== '' && !line.startsWith('#'))).toEqual([]);
  });
});

describe('the addresses of RabbitMQ', () => {
  it.each([
    ['amqp://user:pass@one:5672', ['amqp://user:pass@one:5672']],
    ['amqp://u:p@one:5672,amqp://u:p@two:5672', ['amqp://u:p@one:5672', 'amqp://u:p@two:5672']],
    [
      'amqps://u:a,b@one/?cacertfile=/ca.crt,amqps://u:a,b@two',
      ['amqps://u:a,b@one/?cacertfile=/ca.crt', 'amqps://u:a,b@two'],
    ],
  ])('of %s are its nodes', (text, addresses) => {
    expect(brokerAddresses(text)).toEqual(addresses);
  });
});
