import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeService } from '../test/fake-service.js';

const hr = { id: 'con_hr', type: 'csv', name: 'HR', priority: 10, records: 'user', config: {} };
const other = { ...hr, id: 'con_new', name: 'HR new' };
const gone = { id: 'con_old', name: 'Old', type: 'csv', records: 'user', live_records: 40, deleted_at: '2026-11-23' };
const path = '/tenants/ten_1/connectors/con_hr';

let service: FakeService;
let replies: FakeService['replies'];

beforeEach(async () => {
  service = await FakeService.start();
  replies = service.replies;
  replies['GET /tenants/ten_1/connectors'] = [[200, { data: [hr, other], total: 2 }]];
  replies['GET /tenants/ten_1/deleted-connectors'] = [[200, { data: [gone], total: 1 }]];
  replies[`GET ${path}/deletion`] = [[200, { connector_id: 'con_hr', live_records: 40 }]];
  replies[`DELETE ${path}`] = [[204, '']];
});

afterEach(() => service.stop());

const idsync = (...words: string[]) => service.idsync(['connectors', ...words]);
const deletions = () => service.requests.map(({ call }) => call).filter((call) => call.startsWith('DELETE'));

describe('the deletion of a connector', () => {
  it('requires a decision about its records, and states their number', async () => {
    const refused = await idsync('delete', 'HR');
    expect(refused.code).toBe(2);
    expect(refused.err).toContain(
      'HR has 40 live records: pass --records keep, --records retire, or --records hand-over --to <connector>',
    );
    expect(deletions()).toEqual([]);
  });

  it.each([
    [['--records', 'keep'], 'records=keep', ''],
    [['--records', 'retire'], 'records=retire', 'a job deletes them: idsync jobs list --connector con_hr\n'],
    [
      ['--records', 'hand-over', '--to', 'HR new'],
      'records=hand_over&to=con_new',
      'an operation hands them over: idsync operations list\n',
    ],
  ])('passes the decision %j', async (options, query, note) => {
    const { code, err } = await idsync('delete', 'HR', ...options);
    expect([code, err]).toEqual([0, `deleted HR, which had 40 live records\n${note}`]);
    expect(deletions()).toEqual([`DELETE ${path}?${query}`]);
  });

  it('rejects an unknown decision, and hand-over without a target', async () => {
    expect((await idsync('delete', 'HR', '--records', 'shred')).err).toContain(
      "'shred' is invalid. Allowed choices are keep, retire, hand-over.",
    );
    expect((await idsync('delete', 'HR', '--records', 'hand-over')).err).toContain('hand-over needs --to');
    expect((await idsync('delete', 'HR', '--records', 'keep', '--to', 'HR new')).code).toBe(2);
    expect(deletions()).toEqual([]);
  });
});

describe('a deleted connector', () => {
  it('is listed with the number of records that it left', async () => {
    expect((await idsync('deleted')).out).toMatch(/^con_old +Old +csv +user +40 +2026-11-23$/m);
  });

  it('is retired by its name', async () => {
    replies['POST /tenants/ten_1/deleted-connectors/con_old/retire'] = [[202, { job_id: 'job_1', status: 'queued' }]];
    expect((await idsync('retire', 'Old')).out).toContain('job_1');
  });

  it('hands its records over to another connector', async () => {
    const done = { operation_id: 'opn_1', type: 'connector.hand_over', status: 'done', result: { records_moved: 40 } };
    replies['POST /tenants/ten_1/deleted-connectors/con_old/hand-over'] = [[200, done]];
    const result = await idsync('hand-over', 'Old', '--to', 'HR new', '--reason', 'new export');
    expect(result.out).toMatch(/records_moved +40/);
    expect(service.requests.at(-1)?.body).toEqual({ to: 'con_new', reason: 'new export' });
  });

  it('is named by its id if several have the name', async () => {
    replies['GET /tenants/ten_1/deleted-connectors'] = [[200, { data: [gone, { ...gone, id: 'con_x' }], total: 2 }]];
    expect((await idsync('retire', 'Old')).err).toContain('several deleted connectors are named "Old": use the id');
    expect((await idsync('retire', 'Gone')).err).toContain('no deleted connector "Gone"');
  });
});
