import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeService } from '../test/fake-service.js';

let service: FakeService;
let replies: FakeService['replies'];

beforeEach(async () => {
  service = await FakeService.start();
  replies = service.replies;
});

afterEach(() => service.stop());

const idsync = (argumentsList: string[], typed?: string) => service.idsync(argumentsList, { typed });
const calls = () => service.asked.map(({ call, body }) => (body === undefined ? [call] : [call, body]));

const at = '2026-01-31T12:00:00.000Z';
const done = (type: string, result: object) => ({
  operation_id: 'opn_1',
  type,
  status: 'done',
  created_at: at,
  ended_at: at,
  result,
});
const black = {
  id: 'cas_1',
  status: 'open',
  kind: 'weak',
  reason: 'same name',
  opened_at: at,
  record: {
    id: 'acc_1',
    kind: 'account',
    connector_id: 'con_1',
    external_id: 'uid=rblack',
    document: { first_name: 'Robert', last_name: 'Black', status: 'active' },
  },
  candidates: [
    { identity_id: 'idn_1', display_name: 'Robert Black', score: 1, evidence: ['full_name is the same'] },
    { identity_id: 'idn_2', score: 0.65, evidence: ['full_name is 90 % similar'] },
  ],
};
const explanation = {
  identity_id: 'idn_1',
  display_name: 'Ann Lee',
  fields: [
    {
      field: 'email',
      winner: { value: 'ann@x.org', connector_id: 'con_1', connector: 'HR', priority: 10, updated_at: at },
      over: [{ value: 'al@x.org', connector_id: 'con_2', connector: 'AD', priority: 20, updated_at: at }],
      because: 'its priority 10 goes before 20',
    },
  ],
  records: [
    {
      id: 'usr_1',
      kind: 'user',
      connector_id: 'con_1',
      external_id: '1',
      status: 'active',
      linked: 'keys',
      by: 'job_1',
    },
    {
      id: 'mid_1',
      kind: 'machine_identity',
      connector_id: 'con_3',
      external_id: 'b',
      status: 'active',
      linked: 'keys',
    },
  ],
};

describe('review cases', () => {
  it('are listed with whom the record could be', async () => {
    replies['GET /tenants/ten_1/cases?status=open&limit=50&offset=0'] = [[200, { data: [black], total: 3 }]];
    const { out, err } = await idsync(['cases', 'list']);
    expect(out).toContain('cas_1  account uid=rblack  Robert Black  same name  Robert Black, idn_2  2026-');
    expect(err).toBe('1 of 3 shown\n');
  });

  it('are shown with scores and evidence', async () => {
    replies['GET /tenants/ten_1/cases/cas_1'] = [[200, black]];
    const { out } = await idsync(['cases', 'show', 'cas_1']);
    expect(out).toContain('record name          Robert Black\n');
    expect(out).toContain('idn_1     Robert Black  1      full_name is the same\n');
    expect(out).toContain('idn_2     -             0.65   full_name is 90 % similar\n');
    expect(JSON.parse((await idsync(['cases', 'show', 'cas_1', '--json'])).out)).toEqual(black);
  });

  it.each([
    [
      ['link', '--identity', 'idn_1', '--reason', 'asked'],
      { resolution: 'link', identity_id: 'idn_1', reason: 'asked' },
    ],
    [['new'], { resolution: 'new' }],
    [['ignore'], { resolution: 'ignore' }],
  ])('are resolved by %j', async (words, body) => {
    const path = 'POST /tenants/ten_1/cases/cas_1/resolve';
    replies[path] = [[200, done('case.resolve', { case_id: 'cas_1', resolution: words[0] })]];
    const { code, out } = await idsync(['cases', 'resolve', 'cas_1', ...words]);
    expect({ code, calls: calls() }).toEqual({ code: 0, calls: [[path, body]] });
    expect(out).toContain(`resolution    ${words[0]}\n`);
  });

  it.each([[['link']], [['new', '--identity', 'idn_1']]])('ask nothing of the service for %j', async (words) => {
    const { code, err } = await idsync(['cases', 'resolve', 'cas_1', ...words]);
    expect({ code, err }).toEqual({ code: 1, err: 'idsync: --identity is needed with link, and with nothing else\n' });
    expect((await idsync(['cases', 'resolve', 'cas_1', 'join'])).err).toContain(
      'Allowed choices are link, new, ignore',
    );
    expect(calls()).toEqual([]);
  });
});

describe('identities', () => {
  it('are shown as they were at a time', async () => {
    const identity = {
      id: 'idn_1',
      display_name: 'Ann Lee',
      status: 'active',
      created_at: at,
      updated_at: at,
      attributes: [{ field_name: 'email', field_value: 'ann@x.org', priority: 10, source_id: 'con_1' }],
      users: [{ id: 'usr_1', external_id: '1', display_name: 'Ann Lee', status: 'active' }],
      accounts: [],
      machine_identities: [],
    };
    replies['GET /tenants/ten_1/identities/idn_1?at=2026-01-31'] = [[200, identity]];
    const { out } = await idsync(['identities', 'show', 'idn_1', '--at', '2026-01-31']);
    expect(out).toContain('email  ann@x.org  10        con_1\n');
    expect(out).toContain('usr_1  user  1       Ann Lee  active\n');
  });

  it('are explained: what won, over what, why, and whose the records are', async () => {
    replies['GET /tenants/ten_1/identities/idn_1/explain'] = [[200, explanation]];
    const { out } = await idsync(['identities', 'explain', 'idn_1']);
    expect(out).toContain('email  ann@x.org  HR      al@x.org (AD)  its priority 10 goes before 20\n');
    expect(out).toMatch(/usr_1 +user +HR +1 +active +keys +job_1\n/);
  });

  it('are merged and split', async () => {
    const [merge, split] = ['merge', 'split'].map((act) => `POST /tenants/ten_1/identities/idn_1/${act}`);
    replies[`${merge}`] = [
      [200, done('identity.merge', { identity_id: 'idn_1', merged_identity_ids: ['idn_2', 'idn_3'] })],
    ];
    replies[`${split}`] = [[200, done('identity.split', { identity_id: 'idn_1', new_identity_id: 'idn_4' })]];
    const merged = await idsync(['identities', 'merge', 'idn_1', 'idn_2', 'idn_3', '--reason', 'one person']);
    expect(merged.out).toContain('merged_identity_ids  idn_2, idn_3\n');
    const parted = await idsync(['identities', 'split', 'idn_1', 'usr_2']);
    expect(parted.out).toContain('new_identity_id  idn_4\n');
    expect(calls()).toEqual([
      [merge, { from_ids: ['idn_2', 'idn_3'], reason: 'one person' }],
      [split, { record_ids: ['usr_2'] }],
    ]);
  });
});

describe('what nothing takes back', () => {
  const erase = 'POST /tenants/ten_1/identities/idn_1/erase';

  beforeEach(() => {
    replies['GET /tenants/ten_1/identities/idn_1/explain'] = [[200, explanation]];
    replies[erase] = [[200, done('identity.erase', { identity_id: 'idn_1', records_erased: 1 })]];
  });

  it('is asked about first, by name, and done after a yes', async () => {
    const { code, err } = await idsync(['identities', 'erase', 'idn_1'], 'y\n');
    expect({ code, err }).toEqual({
      code: 0,
      err: 'Erase Ann Lee for good (records: 1, machines that stay: 1)? [y/N] ',
    });
    expect(calls().at(-1)).toEqual([erase, {}]);
  });

  it.each(['n\n', '\n', 'yesterday\n', ''])('is not done after the answer %j', async (typed) => {
    const { code, err } = await idsync(['identities', 'erase', 'idn_1'], typed);
    expect(code).toBe(1);
    expect(err).toContain('idsync: nothing was done\n');
    expect(calls()).toEqual([['GET /tenants/ten_1/identities/idn_1/explain']]);
  });

  it('needs --yes where nobody can be asked', async () => {
    expect((await idsync(['identities', 'erase', 'idn_1'])).err).toContain('give --yes');
    expect((await idsync(['jobs', 'undo', 'job_1'])).err).toContain('give --yes');
    expect((await idsync(['identities', 'erase', 'idn_1', '--yes', '--reason', 'request 17'])).code).toBe(0);
    expect(calls().at(-1)).toEqual([erase, { reason: 'request 17' }]);
  });

  it('is told beforehand for a job, without a question', async () => {
    const path = 'POST /tenants/ten_1/sync-jobs/job_1/undo';
    replies[path] = [
      [200, done('job.undo', { records_restored: 1, records_removed: 0, restored: ['7'], removed: [] })],
    ];
    const { out } = await idsync(['jobs', 'undo', 'job_1', '--preview']);
    expect(out).toContain('records_restored  1\n');
    expect((await idsync(['jobs', 'undo', 'job_1', '--reason', 'wrong file'], 'yes\n')).code).toBe(0);
    expect(calls()).toEqual([
      [path, { preview: true }],
      [path, { preview: false, reason: 'wrong file' }],
    ]);
  });
});

describe('rules and priorities', () => {
  const rules = {
    certain: ['employee_number', 'email'],
    weak: [
      {
        name: 'same name',
        comparisons: [{ field: 'full_name', match: 'exact', weight: 1 }],
        propose_at: 1,
        when_unique: 'propose',
      },
    ],
  };

  it('of matching are shown, tried out and set from a file', async () => {
    const path = '/tenants/ten_1/matching-rules';
    const joined = [{ from_identity_id: 'idn_2', into_identity_id: 'idn_1' }];
    replies[`GET ${path}`] = [[200, rules]];
    replies[`POST ${path}/preview`] = [[200, done('rules.change', { identities_joined: 1, joined, parted: [] })]];
    replies[`PUT ${path}`] = [[200, done('rules.change', { identities_joined: 1, joined, parted: [] })]];
    const shown = await idsync(['rules', 'show']);
    expect(shown.out).toContain('certain keys  employee_number, email\n');
    expect(shown.out).toContain('same name  1     propose    full_name  exact  1\n');
    await writeFile(join(service.cwd, 'rules.json'), (await idsync(['rules', 'show', '--json'])).out);
    const preview = await idsync(['rules', 'preview', '--file', 'rules.json']);
    expect(preview.out).toContain('joined:\nFROM_IDENTITY_ID  INTO_IDENTITY_ID\nidn_2             idn_1\n');
    expect((await idsync(['rules', 'set', '--file', 'rules.json'])).code).toBe(0);
    expect(calls().slice(2)).toEqual([
      [`POST ${path}/preview`, rules],
      [`PUT ${path}`, rules],
    ]);
  });

  it('of attributes are shown with the names of their sources, and set from a file', async () => {
    const path = '/tenants/ten_1/attribute-priorities';
    const priorities = { priorities: [{ field: 'phone', connector_id: 'con_1', priority: 1 }] };
    replies[`GET ${path}`] = [[200, priorities]];
    replies['GET /tenants/ten_1/connectors'] = [[200, { data: [{ id: 'con_1', name: 'HR' }], total: 1 }]];
    replies[`PUT ${path}`] = [[200, done('attributes.rank', { identities_changed: 4 })]];
    expect((await idsync(['priorities', 'show'])).out).toContain('phone  1         con_1      HR\n');
    await writeFile(join(service.cwd, 'own.json'), JSON.stringify(priorities));
    const set = await idsync(['priorities', 'set', '--file', 'own.json']);
    expect(set.out).toContain('identities_changed  4\n');
    expect(calls().at(-1)).toEqual([`PUT ${path}`, priorities]);
  });
});

describe('operations', () => {
  it('are listed, shown and taken back', async () => {
    const path = '/tenants/ten_1/operations';
    replies[`GET ${path}?limit=2&offset=0`] = [[200, { data: [done('identity.merge', {})], total: 1 }]];
    replies[`GET ${path}/opn_1`] = [[200, done('identity.merge', { identity_id: 'idn_1' })]];
    replies[`POST ${path}/opn_1/revert`] = [[200, done('operation.revert', { reverted_operation_id: 'opn_1' })]];
    expect((await idsync(['operations', 'list', '--limit', '2'])).out).toContain('opn_1  identity.merge  done');
    expect((await idsync(['operations', 'show', 'opn_1'])).out).toContain('identity_id   idn_1\n');
    expect((await idsync(['operations', 'revert', 'opn_1', '--reason', 'two people'])).code).toBe(0);
    expect(calls().at(-1)).toEqual([`POST ${path}/opn_1/revert`, { reason: 'two people' }]);
  });

  it('that the directory has not done yet end with 4 and say where to look', async () => {
    const queued = { operation_id: 'opn_1', type: 'identity.merge', status: 'queued', created_at: at };
    replies['POST /tenants/ten_1/identities/idn_1/merge'] = [[202, queued]];
    const { code, err } = await idsync(['identities', 'merge', 'idn_1', 'idn_2']);
    expect({ code, err }).toEqual({
      code: 4,
      err: 'not done yet; "idsync operations show opn_1" tells when it is\n',
    });
  });

  it('that were refused end with 1 and the reason', async () => {
    const error = 'the operation was taken back already';
    replies['POST /tenants/ten_1/operations/opn_1/revert'] = [[400, { error }]];
    expect(await idsync(['operations', 'revert', 'opn_1'])).toEqual({ code: 1, out: '', err: `idsync: ${error}\n` });
    replies['GET /tenants/ten_1/operations/opn_1'] = [
      [200, { operation_id: 'opn_1', type: 'operation.revert', status: 'refused', result: { error } }],
    ];
    expect((await idsync(['operations', 'show', 'opn_1'])).code).toBe(1);
  });
});

describe('the help of a command', () => {
  it.each([
    'cases list',
    'cases show',
    'cases resolve',
    'identities show',
    'identities explain',
    'identities merge',
    'identities split',
    'identities erase',
    'rules show',
    'rules preview',
    'rules set',
    'priorities show',
    'priorities set',
    'operations list',
    'operations show',
    'operations revert',
    'jobs undo',
  ])('of %s has an example', async (words) => {
    const { code, out } = await idsync([...words.split(' '), '--help']);
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining(`  $ idsync ${words}`) });
  });
});
