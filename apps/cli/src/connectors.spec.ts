import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeService } from '../test/fake-service.js';

const path = '/tenants/ten_1/connectors/con_hr';
const hr = { id: 'con_hr', type: 'csv', name: 'HR', priority: 10, records: 'user', config: { path: 'hr.csv' } };

let service: FakeService;
let replies: FakeService['replies'];

beforeEach(async () => {
  service = await FakeService.start();
  replies = service.replies;
  replies['GET /tenants/ten_1/connectors'] = [[200, { data: [hr], total: 1 }]];
});

afterEach(() => service.stop());

const idsync = (...words: string[]) => service.idsync(['connectors', ...words]);

describe('a connector', () => {
  it('is listed with its last run and its health', async () => {
    const listed = { ...hr, health: 'failing', last_run: { status: 'failed' } };
    replies['GET /tenants/ten_1/connectors'] = [[200, { data: [listed], total: 1 }]];
    expect((await idsync('list')).out).toMatch(/^con_hr +HR +csv +user +10 +failing +failed +- +- +-$/m);
  });

  it('is shown with its configuration, by name', async () => {
    replies[`GET ${path}`] = [[200, hr]];
    expect((await idsync('get', 'HR')).out).toContain('config    {"path":"hr.csv"}\n');
  });

  it('is read with the requested mode', async () => {
    replies['POST /tenants/ten_1/sync-jobs'] = [[202, { job_id: 'job_1', status: 'queued' }]];
    for (const options of [[], ['--mode', 'full']]) await service.idsync(['sync', 'con_hr', ...options]);
    const bodies = service.requests.filter(({ call }) => call.startsWith('POST')).map(({ body }) => body);
    expect(bodies).toEqual([{ connector_id: 'con_hr' }, { connector_id: 'con_hr', mode: 'full' }]);
  });

  it('lists its tokens without their secrets', async () => {
    replies[`GET ${path}/tokens`] = [[200, { data: [{ id: 'tok_1', name: 'Okta' }], total: 1 }]];
    expect((await idsync('tokens', 'list', 'HR')).out).toMatch(/^tok_1 +Okta +- +- +- +-$/m);
  });

  it('lists its failing records', async () => {
    const failing = { external_id: '7', line: 3, field: 'email', message: 'no email', source_message: 'bad row' };
    replies[`GET ${path}/errors?limit=2&offset=1`] = [[200, { data: [failing], total: 4 }]];
    const { out, err } = await idsync('errors', 'HR', '--limit', '2', '--offset', '1');
    expect(out).toMatch(/^7 +3 +email +- +- +- +no email +bad row$/m);
    expect(err).toBe('1 of 4 shown\n');
  });
});

describe('the test of a connector', () => {
  it('waits for the result and prints records, and errors with the message of the source', async () => {
    const errors = [
      { external_id: '2', message: 'no email', source_message: 'bad\u001b[2J row' },
      { message: 'no id' },
    ];
    const records = [{ external_id: '1', fields: { email: ['a@x.org', 'b@x.org'], title: ['Boss'] } }];
    replies[`POST ${path}/test`] = [[202, { probe_id: 'prb_1', status: 'queued' }]];
    replies[`GET ${path}/probes/prb_1`] = [
      [200, { probe_id: 'prb_1', status: 'queued' }],
      [200, { probe_id: 'prb_1', status: 'done', records, errors }],
    ];
    const { code, out, err } = await idsync('test', 'HR');
    expect(out).toBe('EXTERNAL ID  FIELDS\n1            email=a@x.org|b@x.org title=Boss\n');
    expect({ code, err }).toEqual({
      code: 0,
      err: '2: no email\nMessage of the source: bad\u{fffd}[2J row\n?: no id\n',
    });
  });

  it('prints how a file is read, and what a run would not see', async () => {
    const source = { encoding: 'utf-8', delimiter: '\t', columns: ['id'] };
    const warnings = ['columns that are not mapped: "note"'];
    const errors = [{ line: 4, message: 'id (external_id) is missing' }];
    replies[`POST ${path}/test`] = [
      [200, { probe_id: 'prb_1', status: 'done', records: [], source, warnings, errors }],
    ];
    const { code, err } = await idsync('test', 'HR');
    expect({ code, err }).toEqual({
      code: 0,
      err: [
        'line 4: id (external_id) is missing',
        'encoding utf-8, delimiter "\\t"',
        'warning: columns that are not mapped: "note"',
        '',
      ].join('\n'),
    });
  });

  it.each([
    [{ error: 'login failed', source_message: 'ORA-1' }, 'login failed\nidsync: Message of the source: ORA-1\n'],
    [{ error: 'login failed' }, 'login failed\n'],
    [{}, 'the probe failed\n'],
  ])('fails with the error of the probe: %j', async (failed, message) => {
    replies[`POST ${path}/test`] = [[200, { probe_id: 'prb_1', status: 'failed', ...failed }]];
    expect(await idsync('test', 'HR')).toEqual({ code: 1, out: '', err: `idsync: ${message}` });
  });
});

describe('the discovery of fields', () => {
  it('lists the fields of the source with examples', async () => {
    const fields = [{ name: 'mail', examples: ['a@x.org', 'b@x.org'] }];
    replies[`POST ${path}/discover`] = [[200, { probe_id: 'prb_1', status: 'done', fields }]];
    expect((await idsync('discover', 'con_hr')).out).toBe('NAME  EXAMPLES\nmail  a@x.org | b@x.org\n');
  });
});
