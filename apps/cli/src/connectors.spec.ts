import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeService } from '../test/fake-service.js';

let service: FakeService;
let replies: FakeService['replies'];

beforeEach(async () => {
  service = await FakeService.start();
  replies = service.replies;
});

afterEach(() => service.stop());

const idsync = (...words: string[]) => service.idsync(['connectors', ...words]);

describe('connectors', () => {
  const path = '/tenants/ten_1/connectors/con_hr';
  const hr = { id: 'con_hr', type: 'csv', name: 'HR', priority: 10, records: 'user', config: { path: 'hr.csv' } };

  beforeEach(() => {
    replies['GET /tenants/ten_1/connectors'] = [[200, { data: [hr], total: 1 }]];
  });

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
});

describe('the deletion of connectors', () => {
  const hr = { id: 'con_hr', type: 'csv', name: 'HR', priority: 10, records: 'user', config: {} };
  const other = { ...hr, id: 'con_new', name: 'HR new' };
  const gone = { id: 'con_old', name: 'Old', type: 'csv', records: 'user', live_records: 40, deleted_at: '2026-11-23' };
  const path = '/tenants/ten_1/connectors/con_hr';

  beforeEach(() => {
    replies['GET /tenants/ten_1/connectors'] = [[200, { data: [hr, other], total: 2 }]];
    replies['GET /tenants/ten_1/deleted-connectors'] = [[200, { data: [gone], total: 1 }]];
    replies[`GET ${path}/deletion`] = [[200, { connector_id: 'con_hr', live_records: 40 }]];
    replies[`DELETE ${path}`] = [[204, '']];
  });
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
      const done = {
        operation_id: 'opn_1',
        type: 'connector.hand_over',
        status: 'done',
        result: { records_moved: 40 },
      };
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
});

describe('idsync connectors schedule', () => {
  const hr = {
    id: 'con_hr',
    type: 'csv',
    name: 'HR',
    schedule: { every: '15m', full_every: 10, full_every_hours: 24, paused: false },
  };
  const path = '/tenants/ten_1/connectors/con_hr';

  beforeEach(() => {
    service.replies[`GET ${path}`] = [[200, { ...hr, next_run_at: '2030-01-01T00:00:00.000Z' }]];
    service.replies[`PATCH ${path}`] = [[200, hr]];
  });

  const schedule = (...options: string[]) => service.idsync(['connectors', 'schedule', 'con_hr', ...options]);
  const sent = () => service.requests.find(({ call }) => call.startsWith('PATCH'))?.body;

  it('shows the current schedule', async () => {
    const { code, out } = await schedule();
    expect(code).toBe(0);
    expect(out).toContain('every             15m');
    expect(out).toContain('next_run_at       2030-01-01T00:00:00.000Z');
  });

  it('sets, pauses and deletes a schedule', async () => {
    await schedule(
      '--cron',
      '0 3 * * *',
      '--time-zone',
      'Europe/Berlin',
      '--full-every',
      '7',
      '--full-every-hours',
      '12',
    );
    expect(sent()).toEqual({
      schedule: { cron: '0 3 * * *', time_zone: 'Europe/Berlin', full_every: 7, full_every_hours: 12 },
    });
    service.requests.length = 0;
    await schedule('--pause');
    expect(sent()).toEqual({ schedule: { every: '15m', full_every: 10, full_every_hours: 24, paused: true } });
    service.requests.length = 0;
    await schedule('--off');
    expect(sent()).toEqual({ schedule: null });
  });

  it('refuses to pause a connector without a schedule', async () => {
    service.replies[`GET ${path}`] = [[200, { ...hr, schedule: undefined }]];
    const { code, err } = await schedule('--pause');
    expect(code).not.toBe(0);
    expect(err).toContain('the connector has no schedule: pass --every or --cron');
  });
});

describe('idsync connectors sync-record', () => {
  const dn = 'CN=Ren/A,DC=x';
  const path = `/tenants/ten_1/connectors/con_hr/records/${encodeURIComponent(dn)}/sync`;
  const syncRecord = (status: number, job: object) => {
    service.replies[`POST ${path}`] = [[status, { job_id: 'job_1', external_id: dn, errors: [], ...job }]];
    return service.idsync(['connectors', 'sync-record', 'con_hr', dn]);
  };

  it('reports the outcome of the record in one line', async () => {
    const updated = await syncRecord(200, {
      status: 'completed',
      outcome: 'updated',
      record_id: 'usr_1',
      identity_id: 'idn_1',
    });
    expect(updated).toMatchObject({ code: 0, out: `${dn}: updated (idn_1, job_1)\n` });
    const unknown = await syncRecord(200, { status: 'completed', outcome: 'absent' });
    expect(unknown).toMatchObject({ code: 0, out: `${dn}: not in the source and not in the directory (job_1)\n` });
    const gone = await syncRecord(200, { status: 'completed', outcome: 'absent', record_id: 'usr_1' });
    expect(gone.out).toBe(`${dn}: not in the source, already deleted (job_1)\n`);
    const errors = [{ external_id: dn, message: 'email is longer than 16 KiB' }];
    const refused = await syncRecord(200, { status: 'completed_with_errors', outcome: 'refused', errors });
    expect(refused).toMatchObject({ code: 3, out: `${dn}: refused: email is longer than 16 KiB (job_1)\n` });
  });

  it('shows the job when the source failed or the job takes longer', async () => {
    const failed = await syncRecord(200, { status: 'failed', error_message: 'connection refused' });
    expect(failed.code).toBe(1);
    expect(failed.out).toContain('connection refused');
    expect(await syncRecord(202, { status: 'running' })).toMatchObject({ code: 1 });
  });

  it('rejects an external id that addresses another path', async () => {
    const { code, err } = await service.idsync(['connectors', 'sync-record', 'con_hr', '..']);
    expect(code).not.toBe(0);
    expect(err).toContain('".." cannot be requested');
    expect(service.requests).toEqual([]);
  });
});
