import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeService } from '../test/fake-service.js';
import { contextsPath } from './contexts.js';

let service: FakeService;

beforeEach(async () => {
  service = await FakeService.start();
});

afterEach(() => service.stop());

let file: string;

describe('a sign-in', () => {
  beforeEach(() => {
    file = join(service.cwd, 'config/idsync/contexts.json');
  });

  const actor = { id: 'https://idp#1', name: 'eva@example.com', kind: 'oidc', role: 'operator', tenants: ['ten_1'] };
  const idsync = (words: string[], env = {}, stop?: AbortSignal) =>
    service.idsync(words, { env: { IDSYNC_URL: service.url, ...env }, stop });
  const stored = () => JSON.parse(readFileSync(file, 'utf8'));
  const started = {
    handle: 'h1',
    user_code: 'ABCD-EFGH',
    verification_uri: 'https://idp/device',
    verification_uri_complete: 'https://idp/device?user_code=ABCD-EFGH',
    expires_in: 600,
    interval: 0,
  };

  function offerDevice(...answers: [number, object][]): void {
    service.replies['POST /session/device'] = [[201, started]];
    service.replies['POST /session/device/token'] = answers;
    service.replies['GET /session'] = [[200, { actor }]];
  }

  describe('idsync login', () => {
    it('shows a code, waits for its confirmation, and stores the session where only the user can read it', async () => {
      offerDevice(
        [200, { status: 'pending' }],
        [503, { error: 'busy' }],
        [200, { status: 'complete', token: 'iso_1_x' }],
      );
      const { code, err } = await idsync(['login']);
      expect({ code, err }).toEqual({
        code: 0,
        err:
          'open https://idp/device?user_code=ABCD-EFGH in a browser, and confirm the code ABCD-EFGH\n' +
          `signed in to ${service.url} as eva@example.com (operator), stored in the context default\n`,
      });
      expect(service.requests.map(({ call, authorization }) => [call, authorization])).toEqual([
        ['POST /session/device', undefined],
        ...Array.from({ length: 3 }, () => ['POST /session/device/token', undefined]),
        ['GET /session', 'Bearer iso_1_x'],
      ]);
      expect(service.requests[1]?.body).toEqual({ handle: 'h1' });
      expect(stored()).toEqual({ current: 'default', contexts: { default: { url: service.url, token: 'iso_1_x' } } });
      expect(statSync(file).mode & 0o777).toBe(0o600);
    });

    it('stores a token that the service accepts, in the context with the address, and keeps the rest of it', async () => {
      service.replies['GET /session'] = [[200, { actor }]];
      const add = ['context', 'add', 'production', '--url', service.url, '--tenant', 'ten_1', '--api-key', 'iss_1_x'];
      await idsync(add, { ADMIN_TOKEN: 'old' });
      expect((await idsync(['login'], { ADMIN_TOKEN: 'ist_1_y' })).code).toBe(0);
      const context = { url: service.url, tenant: 'ten_1', token: 'ist_1_y', api_key: 'iss_1_x' };
      expect(stored()).toEqual({ current: 'production', contexts: { production: context } });
      expect((await idsync(['login', '--token', 'ist_1_z', '--name', 'other'])).code).toBe(0);
      expect(stored()).toMatchObject({
        current: 'other',
        contexts: { production: context, other: { token: 'ist_1_z' } },
      });
    });

    it('stores a token in the current one of several contexts with the address, and in no other', async () => {
      service.replies['GET /session'] = [[200, { actor }]];
      const add = (name: string, url = service.url) =>
        idsync(['context', 'add', name, '--url', url], { ADMIN_TOKEN: `of-${name}` });
      await add('first');
      await add('second');
      const login = ['login', '--url', service.url, '--token', 'ist_1_y'];
      expect((await idsync(login)).err).toContain('stored in the context second\n');
      await add('other', 'https://other.example.com');
      expect((await idsync(login)).err).toContain('stored in the context first\n');
      const contexts: Record<string, { token: string }> = stored().contexts;
      const tokens = Object.entries(contexts).map(([name, { token }]) => [name, token]);
      expect(tokens).toEqual([
        ['first', 'ist_1_y'],
        ['second', 'ist_1_y'],
        ['other', 'of-other'],
      ]);
    });

    it('signs in again although the context has a token', async () => {
      offerDevice([200, { status: 'complete', token: 'iso_1_x' }]);
      await idsync(['context', 'add', 'here', '--url', service.url], { ADMIN_TOKEN: 'old' });
      expect((await idsync(['login'])).code).toBe(0);
      expect(stored().contexts.here.token).toBe('iso_1_x');
    });

    it('shows the code and the address without control characters', async () => {
      offerDevice([200, { status: 'complete', token: 'iso_1_x' }]);
      const shown = { ...started, user_code: 'AB\u001b[2JCD', verification_uri_complete: 'https://idp/\u202edevice' };
      service.replies['POST /session/device'] = [[201, shown]];
      expect((await idsync(['login'])).err).toContain(
        'open https://idp/\u{fffd}device in a browser, and confirm the code AB\u{fffd}[2JCD\n',
      );
    });

    it('takes no credentials over from a context of this name that has another address', async () => {
      service.replies['GET /session'] = [[200, { actor }]];
      const add = ['context', 'add', 'production', '--url', 'https://other.example.com', '--tenant', 'ten_1'];
      await idsync(add, { ADMIN_TOKEN: 'of-other', IDSYNC_API_KEY: 'iss_1_x' });
      expect((await idsync(['login', '--token', 'ist_1_y', '--name', 'production'])).code).toBe(0);
      expect(stored()).toEqual({
        current: 'production',
        contexts: { production: { url: service.url, token: 'ist_1_y' } },
      });
      expect(service.requests.map(({ authorization }) => authorization)).toEqual(['Bearer ist_1_y']);
    });

    it.each([
      [[403, { error: 'no entry of OIDC_ROLE_MAPPING has a group of tom' }], 'no entry of OIDC_ROLE_MAPPING'],
      [[400, { error: 'expired_token' }], 'expired_token'],
    ] as [[number, object], string][])('stores nothing if the sign-in is refused: %j', async (answer, text) => {
      offerDevice(answer);
      expect(await idsync(['login'])).toEqual({ code: 1, out: '', err: expect.stringContaining(text) });
      expect(() => stored()).toThrow('ENOENT');
    });

    it('stores nothing if the code expires or the command is interrupted', async () => {
      offerDevice([200, { status: 'pending' }]);
      expect((await idsync(['login'], {}, AbortSignal.abort())).err).toContain('interrupted: nothing was stored');
      service.replies['POST /session/device'] = [[201, { ...started, expires_in: 0 }]];
      expect((await idsync(['login'])).err).toContain('the code has expired: run "idsync login" again');
      expect(() => stored()).toThrow('ENOENT');
    });

    it('explains that the service has no identity provider, and rejects a wrong token', async () => {
      service.replies['POST /session/device'] = [[404, { error: 'not found' }]];
      expect((await idsync(['login'])).err).toContain('this installation has no identity provider: pass --token');
      service.replies['GET /session'] = [[401, { error: 'missing or invalid operator token' }]];
      expect((await idsync(['login', '--token', 'wrong'])).code).toBe(1);
      expect(() => stored()).toThrow('ENOENT');
    });
  });

  describe('idsync logout', () => {
    it('ends the session on the server, and removes its token also if it has already ended', async () => {
      for (const answer of [[204], [401, { error: 'missing or invalid operator token' }]] as [number, object?][]) {
        service.requests.length = 0;
        service.replies['GET /session'] = [[200, { actor }]];
        service.replies['DELETE /session'] = [answer];
        await idsync(['login', '--token', 'iso_1_x']);
        expect(await idsync(['logout'])).toEqual({ code: 0, out: '', err: 'removed the token from default\n' });
        expect(service.requests.at(-1)).toMatchObject({ call: 'DELETE /session', authorization: 'Bearer iso_1_x' });
        expect(stored()).toEqual({ current: 'default', contexts: { default: { url: service.url } } });
      }
    });

    it('keeps the token of a session that it cannot end', async () => {
      service.replies['GET /session'] = [[200, { actor }]];
      service.replies['DELETE /session'] = [[503, { error: 'the database is not available' }]];
      await idsync(['login', '--token', 'iso_1_x']);
      expect((await idsync(['logout'])).code).toBe(1);
      expect(stored().contexts.default.token).toBe('iso_1_x');
    });

    it('only forgets a token of another kind', async () => {
      service.replies['GET /session'] = [[200, { actor }]];
      await idsync(['login', '--token', 'ist_1_x']);
      expect((await idsync(['logout'])).code).toBe(0);
      expect(service.requests.map(({ call }) => call)).not.toContain('DELETE /session');
      expect((await idsync(['logout'])).err).toBe(`no context has a token for ${service.url}\n`);
    });
  });

  describe('idsync whoami', () => {
    it('shows the operator of the token', async () => {
      service.replies['GET /session'] = [[200, { actor, expires_at: '2027-01-01T00:00:00Z', idle_expires_at: 'x' }]];
      const { out } = await idsync(['whoami', '--json'], { ADMIN_TOKEN: 'iso_1_x' });
      expect(JSON.parse(out)).toEqual({ ...actor, expires_at: '2027-01-01T00:00:00Z', idle_expires_at: 'x' });
      expect((await idsync(['whoami'], { ADMIN_TOKEN: 'iso_1_x' })).out).toContain('eva@example.com');
    });
  });
});

describe('contexts', () => {
  beforeEach(() => {
    file = join(service.cwd, 'config/idsync/contexts.json');
  });

  const idsync = (words: string[], env = {}) => service.idsync(words, { env });
  const secret = 'a-secret-token';

  async function add(name: string, url = service.url): Promise<void> {
    const added = await idsync(['context', 'add', name, '--url', url, '--tenant', 'ten_1'], { ADMIN_TOKEN: secret });
    expect(added).toEqual({ code: 0, out: '', err: `using ${name} (${url}) from now on\n` });
  }

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
