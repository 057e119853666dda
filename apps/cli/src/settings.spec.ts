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

describe('whom the command line talks to', () => {
  it('takes a flag before a variable, and a variable before the file', () => {
    writeCredentials(credentials);
    const env = { ADMIN_TOKEN: 'of-env', IDSYNC_TENANT: 'ten_e' };
    expect(readSettings({}, {}, cwd)).toEqual({ url: 'http://localhost:3000', token: 'of-file', tenant: 'ten_f' });
    expect(readSettings({}, env, cwd)).toMatchObject({ token: 'of-env', tenant: 'ten_e' });
    expect(readSettings({ token: 'of-flag', tenant: 'ten_a' }, env, cwd)).toMatchObject({
      token: 'of-flag',
      tenant: 'ten_a',
    });
  });

  it("never sends the file's token to another address", () => {
    writeCredentials(credentials);
    expect(() => readSettings({ url: 'https://other.example.com' }, {}, cwd)).toThrow(/no operator token for https:/);
    expect(readSettings({ url: 'http://other' }, { ADMIN_TOKEN: 'of-env' }, cwd).tenant).toBeUndefined();
  });

  it('looks for the file in DATA_DIR', () => {
    writeCredentials(credentials, 'elsewhere');
    expect(readSettings({}, { DATA_DIR: 'elsewhere' }, cwd).token).toBe('of-file');
  });

  it('takes the port that idsync has when nobody says otherwise', () => {
    expect(readSettings({}, { ADMIN_TOKEN: ' of-env\n', IDSYNC_URL: '' }, cwd)).toEqual({
      url: 'http://127.0.0.1:3000',
      token: 'of-env',
      tenant: undefined,
    });
  });

  it.each(['localhost:3000', 'ftp://host', 'http://me:pw@host', 'http://host/?a=b'])(
    'refuses the address %s',
    (url) => {
      expect(() => readSettings({ url, token: 'any' }, {}, cwd)).toThrow(/must look like http/);
    },
  );

  it.each(['{', 'null'])('says that the file is broken when it holds %s', (text) => {
    writeCredentials(text);
    expect(() => readSettings({}, {}, cwd)).toThrow(/credentials\.json is not valid JSON/);
  });
});
