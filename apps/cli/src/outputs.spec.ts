import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeService } from '../test/fake-service.js';

let service: FakeService;

beforeEach(async () => {
  service = await FakeService.start();
  const tenant = { id: 'ten_1', name: 'Demo, Inc.', created_at: '2026-01-31T12:00:00.000Z' };
  service.replies['GET /tenants'] = [[200, { data: [tenant, { ...tenant, id: 'ten_2' }], total: 2 }]];
  const finding = { id: 'fnd_1', kind: 'unmatched_account', evidence: { since: 1 } };
  service.replies['GET /tenants/ten_1/findings/fnd_1'] = [[200, finding]];
});

afterEach(() => service.stop());

const idsync = (...words: string[]) => service.idsync(words);

describe('the output formats', () => {
  it('print a list as JSON lines', async () => {
    const { out } = await idsync('tenants', 'list', '--output', 'jsonl');
    expect(
      out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).id),
    ).toEqual(['ten_1', 'ten_2']);
  });

  it('print a list as CSV', async () => {
    expect((await idsync('tenants', 'list', '-o', 'csv')).out).toBe(
      'id,name,created,suspended\nten_1,"Demo, Inc.",2026-01-31T12:00:00.000Z,\nten_2,"Demo, Inc.",2026-01-31T12:00:00.000Z,\n',
    );
  });

  it('print one resource complete, on one line as JSON and on two as CSV', async () => {
    expect(JSON.parse((await idsync('findings', 'show', 'fnd_1', '--output', 'json')).out)).toHaveProperty('evidence');
    expect((await idsync('findings', 'show', 'fnd_1', '--output', 'jsonl')).out).toBe(
      '{"id":"fnd_1","kind":"unmatched_account","evidence":{"since":1}}\n',
    );
    expect((await idsync('findings', 'show', 'fnd_1', '--output', 'csv')).out).toBe(
      'id,kind,evidence\nfnd_1,unmatched_account,"{""since"":1}"\n',
    );
  });

  it('are named if another one is requested', async () => {
    const { code, err } = await idsync('tenants', 'list', '--output', 'xml');
    expect(code).toBe(2);
    expect(err).toContain("argument 'xml' is invalid. Allowed choices are table, json, jsonl, csv.");
  });
});

describe('something that does not exist', () => {
  const list = (call: string, ...data: object[]) => {
    service.replies[`GET /tenants/ten_1/${call}`] = [[200, { data, total: data.length }]];
  };

  beforeEach(() => {
    service.replies['GET /tenants/ten_1'] = [[200, { id: 'ten_1' }]];
  });

  it('is named with the API keys that exist', async () => {
    list('api-keys', { id: 'key_1', name: 'reporting' }, { id: 'key_2', name: 'ci' });
    expect(await idsync('keys', 'revoke', 'key_9')).toEqual({
      code: 2,
      out: '',
      err: 'idsync: no API key "key_9"; there are key_1 (reporting), key_2 (ci)\n',
    });
  });

  it('is named with the service tokens that exist', async () => {
    service.replies['GET /service-tokens'] = [[200, { data: [{ id: 'svt_1', name: 'ci' }], total: 1 }]];
    const revoke = () => idsync('service-tokens', 'revoke', 'svt_9');
    expect(await revoke()).toEqual({
      code: 2,
      out: '',
      err: 'idsync: no service token "svt_9"; there is svt_1 (ci)\n',
    });
    service.replies['GET /service-tokens'] = [[403, { error: 'the role is missing' }]];
    expect((await revoke()).err).toBe('idsync: no service token "svt_9"; "idsync service-tokens list" shows the ids\n');
  });

  it.each([
    ['audit', 'list', '--tenant', 'ten_9'],
    ['audit', 'export', '--tenant', 'ten_9'],
    ['audit', 'verify', '--tenant', 'ten_9'],
    ['audit', 'policy', 'show', '--tenant', 'ten_9'],
    ['tenants', 'export', 'ten_9', '--file', 'acme.jsonl'],
    ['tenants', 'delete', 'ten_9', '--dry-run'],
    ['tenants', 'deletion', 'ten_9'],
  ])('is named as the tenant of: %s %s %s %s', async (...words) => {
    expect(await idsync(...words)).toEqual({
      code: 2,
      out: '',
      err: 'idsync: no tenant "ten_9"; there are ten_1 (Demo, Inc.), ten_2 (Demo, Inc.)\n',
    });
  });

  it('is named as the operation of items', async () => {
    expect((await idsync('operations', 'items', 'opn_9')).err).toBe(
      'idsync: no operation "opn_9"; "idsync operations list" shows the ids\n',
    );
  });

  it('is named as the tenant, with those that exist', async () => {
    const expected = 'idsync: no tenant "ten_9"; there are ten_1 (Demo, Inc.), ten_2 (Demo, Inc.)\n';
    expect((await idsync('keys', 'list', '--tenant', 'ten_9')).err).toBe(expected);
    expect((await idsync('keys', 'revoke', 'key_1', '--tenant', 'ten_9')).err).toBe(expected);
  });

  it('is named with the command that lists many of its kind', async () => {
    expect((await idsync('identities', 'show', 'idn_9')).err).toBe(
      'idsync: no identity "idn_9"; "idsync identities list" shows the ids\n',
    );
  });

  it('is not named if the service has everything that the command names', async () => {
    service.replies['GET /tenants/ten_1/identities/idn_1'] = [[200, { id: 'idn_1' }]];
    service.replies['POST /tenants/ten_1/identities/idn_1/merge'] = [[404, { error: 'no identity idn_8' }]];
    expect((await idsync('identities', 'merge', 'idn_1', 'idn_8')).err).toBe('idsync: no identity idn_8\n');
  });

  it('is named as a connector, with up to ten that exist', async () => {
    const connectors = Array.from({ length: 12 }, (_, at) => ({ id: `con_${at}`, name: `C${at}` }));
    list('connectors', ...connectors);
    const named = (count: number) => connectors.slice(0, count).map(({ id, name }) => `${id} (${name})`);
    const there = `there are ${named(10).join(', ')}`;
    expect((await idsync('sync', 'CRM')).err).toBe(`idsync: no connector "CRM"; ${there} and 2 more\n`);
    // The service counts more than it lists.
    const page = { data: connectors.slice(0, 10), total: 11 };
    service.replies['GET /tenants/ten_1/connectors?limit=10'] = [[200, page]];
    const get = async () => (await idsync('connectors', 'get', 'con_99')).err;
    expect(await get()).toBe(`idsync: no connector "con_99"; ${there} and 1 more\n`);
    page.total = 10;
    expect(await get()).toBe(`idsync: no connector "con_99"; ${there}\n`);
    list('connectors');
    service.replies['GET /tenants/ten_1/connectors?limit=10'] = [[200, { data: [], total: 0 }]];
    expect(await get()).toBe('idsync: no connector "con_99"; there are none\n');
  });
});

describe('a tenant', () => {
  it('may be given by its name', async () => {
    service.replies['GET /tenants'] = [[200, { data: [{ id: 'ten_7', name: 'Acme Corp' }], total: 1 }]];
    service.replies['GET /tenants/ten_7/api-keys'] = [[200, { data: [], total: 0 }]];
    expect((await idsync('keys', 'list', '--tenant', 'Acme Corp')).out).toBe('none\n');
    expect(await idsync('keys', 'list', '--tenant', 'Acme')).toMatchObject({
      code: 2,
      err: 'idsync: no tenant "Acme"; there is ten_7 (Acme Corp)\n',
    });
  });

  it('is not chosen among several of one name', async () => {
    expect((await idsync('keys', 'list', '--tenant', 'Demo, Inc.')).err).toContain('several tenants are named');
  });
});
