import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { contextsPath, writeContexts } from './contexts.js';
import type { Variables } from './printer.js';
import { readSettings as readAll, requireKey, requireToken, type SettingFlags } from './settings.js';

let cwd: string;

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'idsync-settings-'));
});

afterEach(() => rmSync(cwd, { recursive: true }));

function writeCredentials(text: string, directory = '.data'): void {
  mkdirSync(join(cwd, directory));
  writeFileSync(join(cwd, directory, 'credentials.json'), text);
}

/** Settings of a user whose configuration is in the test directory; only those that are set. */
function readSettings(flags: SettingFlags, env: Variables, directory: string) {
  const settings = readAll(flags, { XDG_CONFIG_HOME: cwd, ...env }, directory);
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

const credentials = JSON.stringify({ base_url: 'http://localhost:3000/', admin_token: 'of-file', tenant_id: 'ten_f' });

describe('command line settings', () => {
  it('prefer a flag to a variable, and a variable to the file', () => {
    writeCredentials(credentials);
    const env = { ADMIN_TOKEN: 'of-env', IDSYNC_TENANT: 'ten_e' };
    expect(readSettings({}, {}, cwd)).toEqual({ url: 'http://localhost:3000', token: 'of-file', tenant: 'ten_f' });
    expect(readSettings({}, env, cwd)).toMatchObject({ token: 'of-env', tenant: 'ten_e' });
    expect(readSettings({ token: 'of-flag', tenant: 'ten_a' }, env, cwd)).toMatchObject({
      token: 'of-flag',
      tenant: 'ten_a',
    });
  });

  it.each(['two words', 'a\nb', 'ä', 'end\u0000'])('reject the token %j, which no header can contain', (token) => {
    expect(() => readSettings({ token }, {}, cwd)).toThrow('only printable ASCII characters without spaces');
  });

  it("never use the file's token for another address", () => {
    writeCredentials(credentials);
    const other = readAll({ url: 'https://other.example.com' }, { XDG_CONFIG_HOME: cwd }, cwd);
    expect(() => requireToken(other)).toThrow(/no operator token for https:/);
    expect(() => requireKey(other)).toThrow(/no API key for https:/);
    expect(readSettings({ url: 'http://other' }, { ADMIN_TOKEN: 'of-env' }, cwd).tenant).toBeUndefined();
  });

  it('read the file from DATA_DIR', () => {
    writeCredentials(credentials, 'elsewhere');
    expect(readSettings({}, { DATA_DIR: 'elsewhere' }, cwd).token).toBe('of-file');
  });

  it('need no file, also if DATA_DIR is not a directory', () => {
    writeFileSync(join(cwd, 'elsewhere'), '');
    expect(readSettings({}, { DATA_DIR: 'elsewhere' }, cwd)).toEqual(readSettings({}, {}, cwd));
  });

  it('default to port 3000 of the local host', () => {
    expect(readSettings({}, { ADMIN_TOKEN: ' of-env\n', IDSYNC_URL: '' }, cwd)).toEqual({
      url: 'http://127.0.0.1:3000',
      token: 'of-env',
      tenant: undefined,
    });
  });

  it.each(['localhost:3000', 'ftp://host', 'http://me:pw@host', 'http://host/?a=b'])('reject the address %s', (url) => {
    expect(() => readSettings({ url, token: 'any' }, {}, cwd)).toThrow(/must be an http or https URL/);
  });

  it('do not show the password of an address that they reject', () => {
    const read = () => readSettings({ url: 'http://me:s3cret@host' }, {}, cwd);
    expect(read).toThrow('got "http://…@host"');
  });

  it.each(['{', 'null'])('report a file with the invalid content %s', (text) => {
    writeCredentials(text);
    expect(() => readSettings({}, {}, cwd)).toThrow(/credentials\.json is not valid JSON/);
  });

  describe('with contexts', () => {
    const stored = {
      production: { url: 'https://prod.example.com', tenant: 'ten_p', token: 'of-prod', api_key: 'iss_p' },
      staging: { url: 'https://staging.example.com', token: 'of-staging' },
    };
    const production = { url: stored.production.url, tenant: 'ten_p', token: 'of-prod', apiKey: 'iss_p' };

    beforeEach(() => {
      writeCredentials(credentials);
      writeContexts(contextsPath({ XDG_CONFIG_HOME: cwd }), { current: 'production', contexts: stored });
    });

    it('prefer the current context to the file', () => {
      expect(readSettings({}, {}, cwd)).toEqual(production);
    });

    it('prefer variables to the current context', () => {
      expect(readSettings({}, { ADMIN_TOKEN: 'of-env', IDSYNC_API_KEY: 'iss_e', IDSYNC_TENANT: 'ten_e' }, cwd)).toEqual(
        {
          ...{ url: stored.production.url, tenant: 'ten_e', token: 'of-env', apiKey: 'iss_e' },
        },
      );
      expect(readSettings({}, { IDSYNC_CONTEXT: 'staging' }, cwd).token).toBe('of-staging');
    });

    it('prefer the context of an option to variables', () => {
      const env = { ADMIN_TOKEN: 'of-env', IDSYNC_URL: 'http://localhost:1', IDSYNC_CONTEXT: 'staging' };
      expect(readSettings({ context: 'production' }, env, cwd)).toEqual(production);
    });

    it('send no credentials of a context to another address', () => {
      expect(readSettings({ url: 'http://elsewhere' }, {}, cwd)).toEqual({ url: 'http://elsewhere' });
      expect(readSettings({}, { IDSYNC_URL: 'http://elsewhere' }, cwd)).toEqual({ url: 'http://elsewhere' });
    });

    it.each(['test', '__proto__', 'constructor'])('name the contexts that exist instead of %s', (context) => {
      expect(() => readSettings({ context }, {}, cwd)).toThrow(
        `no context "${context}"; there are production, staging`,
      );
    });
  });
});
