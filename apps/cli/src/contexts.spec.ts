import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeService } from '../test/fake-service.js';
import { contextsPath } from './contexts.js';

let service: FakeService;
let file: string;

beforeEach(async () => {
  service = await FakeService.start();
  file = join(service.cwd, 'config/idsync/contexts.json');
});

afterEach(() => service.stop());

const idsync = (words: string[], env = {}) => service.idsync(words, { env });
const secret = 'a-secret-token';

async function add(name: string, url = service.url): Promise<void> {
  const added = await idsync(['context', 'add', name, '--url', url, '--tenant', 'ten_1'], { ADMIN_TOKEN: secret });
  expect(added).toEqual({ code: 0, out: '', err: `using ${name} (${url}) from now on\n` });
}

describe('contexts', () => {
  it('are stored in a file that only the user can read', async () => {
    await add('production');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      current: 'production',
      contexts: { production: { url: service.url, tenant: 'ten_1', token: secret } },
    });
  });

  it('give commands their address, tenant and token', async () => {
    await add('other', 'http://127.0.0.1:1');
    await add('here');
    service.replies['GET /tenants/ten_1/api-keys'] = [[200, { data: [], total: 0 }]];
    expect((await idsync(['keys', 'list'])).code).toBe(0);
    expect(service.requests[0]?.authorization).toBe(`Bearer ${secret}`);
    expect((await idsync(['keys', 'list', '--context', 'other'])).err).toContain('cannot reach http://127.0.0.1:1');
    await idsync(['context', 'use', 'other']);
    expect((await idsync(['keys', 'list'])).err).toContain('cannot reach http://127.0.0.1:1');
  });

  it('are listed without their credentials, in every format', async () => {
    await add('first');
    await add('second', 'https://idsync.example.com');
    for (const output of ['table', 'json', 'jsonl', 'csv']) {
      const { code, out, err } = await idsync(['context', 'list', '--output', output]);
      expect({ code, err }).toEqual({ code: 0, err: '' });
      expect(out).toContain('second');
      expect(out).not.toContain(secret);
    }
    const [, first, second] = (await idsync(['context', 'list'])).out.split('\n').map((line) => line.split(/\s{2,}/));
    expect([first?.slice(0, 2), second]).toEqual([
      ['first', '-'],
      ['second', 'yes', 'https://idsync.example.com', 'ten_1', 'token'],
    ]);
  });

  it('come from the file of npm start', async () => {
    const credentials = { base_url: service.url, api_key: 'iss_1_x', admin_token: secret, tenant_id: 'ten_7' };
    writeFileSync(join(service.cwd, 'credentials.json'), JSON.stringify(credentials));
    await idsync(['context', 'add', 'demo', '--credentials', 'credentials.json']);
    expect(JSON.parse(readFileSync(file, 'utf8')).contexts.demo).toEqual({
      url: service.url,
      tenant: 'ten_7',
      token: secret,
      api_key: 'iss_1_x',
    });
  });

  it('are removed with their credentials', async () => {
    await add('one');
    expect((await idsync(['context', 'remove', 'one'])).code).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe('{\n  "contexts": {}\n}\n');
    await add('two');
    await idsync(['context', 'use', '--none']);
    expect((await idsync(['keys', 'list'])).err).toContain('no operator token');
  });

  it.each([
    [['add', 'x y', '--url', 'http://h'], 'the name of a context must be'],
    [['add', 'x', '--url', 'host'], 'the address must be an http or https URL such as http://host:3000, got "host"'],
    [['add', 'x'], 'pass the address of the installation with --url'],
    [['add', 'x', '--credentials', 'none.json'], 'none.json contains no address of idsync'],
    [['use', 'x'], 'no context "x"; add one with "idsync context add"'],
    [['use'], 'pass the name of a context, or --none'],
    [['remove', 'x'], 'no context "x"'],
  ])('reject %j', async (words, message) => {
    const { code, err } = await idsync(['context', ...words], { ADMIN_TOKEN: secret });
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(message) });
  });

  it('need credentials', async () => {
    expect((await idsync(['context', 'add', 'x', '--url', 'http://h'])).err).toContain('pass credentials');
  });

  it.each(['{', 'null', '{"contexts":{"a":{}}}', '{"contexts":{"a":null}}'])(
    'report a file with the invalid content %s',
    async (text) => {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
      expect(await idsync(['context', 'list'])).toEqual({
        code: 2,
        out: '',
        err: `idsync: ${file} is not a valid file of contexts: correct or delete it\n`,
      });
    },
  );

  it.each([
    [{ XDG_CONFIG_HOME: '/c', HOME: '/h' }, '/c/idsync/contexts.json'],
    [{ XDG_CONFIG_HOME: 'relative', HOME: '/h' }, '/h/.config/idsync/contexts.json'],
    [{ HOME: '/h' }, '/h/.config/idsync/contexts.json'],
  ])('with %j are in %s', (env, path) => {
    expect(contextsPath(env)).toBe(path);
  });
});
