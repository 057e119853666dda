import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readSettings } from './settings.js';

let cwd: string;

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'idsync-settings-'));
});

afterEach(() => rmSync(cwd, { recursive: true }));

function writeCredentials(text: string, directory = '.data'): void {
  mkdirSync(join(cwd, directory));
  writeFileSync(join(cwd, directory, 'credentials.json'), text);
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
    expect(() => readSettings({ url: 'https://other.example.com' }, {}, cwd)).toThrow(/no operator token for https:/);
    expect(readSettings({ url: 'http://other' }, { ADMIN_TOKEN: 'of-env' }, cwd).tenant).toBeUndefined();
  });

  it('read the file from DATA_DIR', () => {
    writeCredentials(credentials, 'elsewhere');
    expect(readSettings({}, { DATA_DIR: 'elsewhere' }, cwd).token).toBe('of-file');
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

  it.each(['{', 'null'])('report a file with the invalid content %s', (text) => {
    writeCredentials(text);
    expect(() => readSettings({}, {}, cwd)).toThrow(/credentials\.json is not valid JSON/);
  });
});
