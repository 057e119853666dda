import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Cut, FakeService } from '../test/fake-service.js';

let service: FakeService;

beforeEach(async () => {
  service = await FakeService.start();
});

afterEach(() => service.stop());

describe('tenants', () => {
  const path = '/tenants/ten_1/deletion';
  const contents = { connectors: 2, identities: 40, users: 41, sync_jobs: 3, events: 90, webhooks: 1, api_keys: 1 };
  const found = { tenant_id: 'ten_1', name: 'Acme', rows_deleted: 0, contents };

  beforeEach(() => {
    service.replies[`GET ${path}`] = [[200, found]];
    service.replies[`POST ${path}`] = [[202, { ...found, requested_at: '2026-11-24T00:00:00.000Z' }]];
  });

  const idsync = (words: string[], typed?: string) => service.idsync(['tenants', ...words], { typed });
  const written = () => service.requests.filter(({ call }) => call.startsWith('POST'));

  it('shows the selected tenant, or another one', async () => {
    for (const id of ['ten_1', 'ten_9']) service.replies[`GET /tenants/${id}`] = [[200, { id, name: `of ${id}` }]];
    expect((await idsync(['show'])).out).toContain('of ten_1');
    expect((await idsync(['show', 'ten_9'])).out).toContain('of ten_9');
  });

  describe('the deletion of a tenant', () => {
    it('asks for the name of the tenant, with what it has', async () => {
      const { code, err } = await idsync(['delete', 'ten_1'], 'Acme\n');
      expect(code).toBe(0);
      expect(err).toContain('Delete Acme with 2 connectors, 40 identities, 41 users, 3 sync jobs, 90 events');
      expect(written()).toMatchObject([{ call: `POST ${path}`, body: { name: 'Acme' } }]);
    });

    it.each(['y\n', 'acme\n', '\n'])('changes nothing if %j is typed instead of the name', async (typed) => {
      expect((await idsync(['delete', 'ten_1'], typed)).code).toBe(1);
      expect(written()).toEqual([]);
    });

    it('needs --name without a terminal, which the service compares', async () => {
      expect((await idsync(['delete', 'ten_1'])).err).toContain('pass --name to skip the confirmation');
      expect(written()).toEqual([]);
      expect((await idsync(['delete', 'ten_1', '--name', 'Acme'])).code).toBe(0);
      expect(written()).toHaveLength(1);
    });

    it('shows what would be deleted in a dry run, and the progress afterwards', async () => {
      expect((await idsync(['delete', 'ten_1', '--dry-run'])).out).toContain('identities');
      expect((await idsync(['deletion', 'ten_1'])).out).toContain('rows_deleted');
      expect(written()).toEqual([]);
    });
  });

  describe('the export of a tenant', () => {
    const user = '{"kind":"user","id":"usr_1"}\n';
    const end = '{"kind":"end","lines":{"user":2,"event":0}}\n';
    const exported = (body: string) => {
      service.replies['GET /tenants/ten_1/export'] = [[200, body]];
    };
    const files = () => readdirSync(service.cwd);
    const idsyncExport = (file: string) => idsync(['export', 'ten_1', '--file', file]);

    it('is a file that has appeared whole, with the number of lines of each kind', async () => {
      exported(user + user + end);
      const { code, out } = await idsyncExport('acme.jsonl');
      expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/user +2/) });
      expect(readFileSync(join(service.cwd, 'acme.jsonl'), 'utf8')).toBe(user + user + end);
      expect(files()).toEqual(['acme.jsonl']);
    });

    it('follows no redirect', async () => {
      service.replies['GET /tenants/ten_1/export'] = [[307, '', { location: '/elsewhere' }]];
      expect((await idsyncExport('acme.jsonl')).err).toContain('unexpected response (307)');
      expect(service.requests.map(({ call }) => call)).not.toContain('GET /elsewhere');
      expect(files()).toEqual([]);
    });

    it('is compressed if the name ends with .gz', async () => {
      exported(user + user + end);
      expect((await idsyncExport('acme.jsonl.gz')).code).toBe(0);
      expect(gunzipSync(readFileSync(join(service.cwd, 'acme.jsonl.gz'))).toString()).toBe(user + user + end);
    });

    it.each([
      ['nothing', ''],
      ['no end', user + user],
      ['a cut line', user + user + end.slice(0, -1)],
      ['a missing line', user + end],
      ['a line of an unknown kind', `${user + user}{"kind":"other"}\n${end}`],
    ])('fails and leaves no file if the response has %s', async (_, body) => {
      exported(body);
      const { code, err } = await idsyncExport('acme.jsonl');
      expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('the export is incomplete') });
      expect(files()).toEqual([]);
    });

    const at = (position: string, nth: number) => `{"kind":"user","position":"${position}","id":"usr_${nth}"}\n`;

    it.each(['acme.jsonl', 'acme.jsonl.gz'])(
      'is continued at its last position after lost connections, a 503 and a 502 of a proxy, with every line once: %s',
      async (file) => {
        const path = 'GET /tenants/ten_1/export';
        const counts = '{"kind":"end","lines":{"user":4,"continued":2}}\n';
        const continued = '{"kind":"continued","id":"ten_1"}\n';
        service.replies[path] = [[200, new Cut(`${user}${at('p1', 2)}${user}{"kind":"us`)]];
        service.replies[`${path}?after=p1`] = [
          [503, { error: '2 exports are running' }],
          [502, '<html>Bad Gateway</html>'],
          [200, new Cut(continued + user)],
          [200, new Cut(continued + at('p2', 3))],
        ];
        service.replies[`${path}?after=p2`] = [[200, continued + user + counts]];
        const { code, err } = await idsyncExport(file);
        expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining('the connection was lost') });
        const bytes = readFileSync(join(service.cwd, file));
        expect((file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString()).toBe(
          user + at('p1', 2) + continued + at('p2', 3) + continued + user + counts,
        );
        expect(files()).toEqual([file]);
      },
      30_000,
    );

    it('begins again if the connection is lost before the first position', async () => {
      service.replies['GET /tenants/ten_1/export'] = [
        [200, new Cut(user)],
        [200, user + user + end],
      ];
      expect((await idsyncExport('acme.jsonl')).code).toBe(0);
      expect(readFileSync(join(service.cwd, 'acme.jsonl'), 'utf8')).toBe(user + user + end);
    });

    it('is not continued if the service refuses the position', async () => {
      service.replies['GET /tenants/ten_1/export'] = [[200, new Cut(at('p1', 1))]];
      service.replies['GET /tenants/ten_1/export?after=p1'] = [[400, { error: 'after must be a position' }]];
      expect((await idsyncExport('acme.jsonl')).err).toContain('after must be a position');
      expect(files()).toEqual([]);
    });

    it('never replaces a file, and reports the error of the service', async () => {
      exported(user + user + end);
      await idsyncExport('acme.jsonl');
      expect((await idsyncExport('acme.jsonl')).err).toContain('exists: choose another file');
      service.replies['GET /tenants/ten_1/export'] = [[503, { error: '2 exports are running' }]];
      expect((await idsyncExport('other.jsonl')).err).toContain('2 exports are running');
      expect(files()).toEqual(['acme.jsonl']);
    });
  });
});

describe('quotas of a tenant', () => {
  const usage = {
    people: { limit: 1000, used: 950 },
    connectors: { used: 3 },
    webhooks: { limit: 5, used: 1 },
    requests_per_minute: { used: 0 },
  };
  const path = '/tenants/ten_1/quotas';

  it('are shown with their usage', async () => {
    service.replies[`GET ${path}`] = [[200, usage]];
    const { out } = await service.idsync(['tenants', 'quotas', 'show']);
    expect(out).toMatch(/people +1000 +950/);
    expect(out).toMatch(/connectors +unlimited +3/);
    const json = await service.idsync(['tenants', 'quotas', 'show', '--json']);
    expect(JSON.parse(json.out)).toEqual(usage);
  });

  it('are changed one by one, and the others stay', async () => {
    service.replies[`GET ${path}`] = [[200, usage]];
    service.replies[`PUT ${path}`] = [[200, usage]];
    await service.idsync(['tenants', 'quotas', 'set', '--requests-per-minute', '500', '--webhooks', 'unlimited']);
    expect(service.requests.at(-1)).toMatchObject({
      call: `PUT ${path}`,
      body: { people: 1000, requests_per_minute: 500 },
    });
  });

  it('must be whole numbers', async () => {
    service.replies[`GET ${path}`] = [[200, usage]];
    const { code, err } = await service.idsync(['tenants', 'quotas', 'set', '--requests-per-minute', 'many']);
    expect({ code, err }).toEqual({
      code: 2,
      err: 'idsync: --requests-per-minute must be a whole number or "unlimited", got "many"\n',
    });
  });
});
