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
const calls = () => service.requests.map(({ call, body }) => (body === undefined ? [call] : [call, body]));

const at = '2026-01-31T12:00:00.000Z';
const done = (type: string, result: object) => ({
  operation_id: 'opn_1',
  type,
  status: 'done',
  created_at: at,
  ended_at: at,
  result,
});
const reviewCase = {
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
    {
      identity_id: 'idn_1',
      display_name: 'Robert Black',
      score: 1,
      evidence: ['full_name is the same'],
      compared: [
        { field: 'email', value: 'rblack@x.org', other: 'RBlack@x.org', agrees: true },
        { field: 'job_title', other: 'Clerk' },
      ],
    },
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
      because: 'priority 10 precedes 20',
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
  it('are listed with their candidates', async () => {
    replies['GET /tenants/ten_1/cases?status=open&limit=50&offset=0'] = [[200, { data: [reviewCase], total: 3 }]];
    const { out, err } = await idsync(['cases', 'list']);
    expect(out).toContain('cas_1  account uid=rblack  Robert Black  same name  Robert Black, idn_2  2026-');
    expect(err).toBe('1 of 3 shown\n');
  });

  it('are shown with scores and evidence', async () => {
    replies['GET /tenants/ten_1/cases/cas_1'] = [[200, reviewCase]];
    const { out, err } = await idsync(['cases', 'show', 'cas_1']);
    expect(out).toContain('record name          Robert Black\n');
    expect(out).toContain('idn_1      Robert Black  1      full_name is the same\n');
    expect(out).toContain('idn_2      -             0.65   full_name is 90 % similar\n');
    expect(out).toMatch(/^idn_1:\nFIELD +RECORD +CANDIDATE/m);
    expect(out).toMatch(/^email +rblack@x.org +RBlack@x.org +same$/m);
    expect(out).toMatch(/^job_title +- +Clerk +missing$/m);
    expect(err).toContain('"idsync cases resolve cas_1 new"');
    expect(JSON.parse((await idsync(['cases', 'show', 'cas_1', '--json'])).out)).toEqual(reviewCase);
  });

  it('of accounts are shown with the email that was compared', async () => {
    const { email: _email, ...document } = reviewCase.record.document as Record<string, unknown>;
    const ofAccount = { ...reviewCase, record: { ...reviewCase.record, kind: 'account', document } };
    replies['GET /tenants/ten_1/cases/cas_1'] = [[200, ofAccount]];
    expect((await idsync(['cases', 'show', 'cas_1'])).out).toMatch(/^record email +rblack@x.org$/m);
  });

  it.each([
    [
      ['link', '--identity', 'idn_1', '--reason', 'asked'],
      { resolution: 'link', identity_id: 'idn_1', reason: 'asked' },
    ],
    [['new'], { resolution: 'new' }],
    [['ignore'], { resolution: 'ignore' }],
  ])('are resolved with %j', async (words, body) => {
    const path = 'POST /tenants/ten_1/cases/cas_1/resolve';
    replies[path] = [[200, done('case.resolve', { case_id: 'cas_1', resolution: words[0] })]];
    const { code, out } = await idsync(['cases', 'resolve', 'cas_1', ...words]);
    expect({ code, calls: calls() }).toEqual({ code: 0, calls: [[path, body]] });
    expect(out).toContain(`resolution    ${words[0]}\n`);
  });

  it('that cannot be resolved exit with 1', async () => {
    const refused = { operation_id: 'opn_1', type: 'case.resolve', status: 'refused', result: { error: 'closed' } };
    replies['POST /tenants/ten_1/cases/cas_1/resolve'] = [[200, refused]];
    expect((await idsync(['cases', 'resolve', 'cas_1', 'new'])).code).toBe(1);
  });

  it.each([[['link']], [['new', '--identity', 'idn_1']]])(
    'are not sent to the service with the invalid arguments %j',
    async (words) => {
      const { code, err } = await idsync(['cases', 'resolve', 'cas_1', ...words]);
      expect({ code, err }).toEqual({
        code: 2,
        err: 'idsync: --identity is required with link and not allowed with new or ignore\n',
      });
      expect((await idsync(['cases', 'resolve', 'cas_1', 'join'])).err).toContain(
        'Allowed choices are link, new, ignore',
      );
      expect(calls()).toEqual([]);
    },
  );
});

describe('identities', () => {
  it('are shown in their state at a given time', async () => {
    const identity = {
      id: 'idn_1',
      display_name: 'Ann Lee',
      status: 'active',
      created_at: at,
      updated_at: at,
      attributes: [{ field_name: 'email', field_value: 'ann@x.org', priority: 10, source_id: 'con_1' }],
      users: [{ id: 'usr_1', external_id: '1', first_name: 'Ann', last_name: 'Lee', status: 'active' }],
      accounts: [],
      machine_identities: [],
    };
    replies['GET /tenants/ten_1/identities/idn_1?at=2026-01-31'] = [[200, identity]];
    replies['GET /tenants/ten_1/connectors'] = [
      [200, { data: [{ id: 'con_1', name: 'HR' }], total: 1 }],
      [200, { data: [], total: 0 }],
    ];
    const { out } = await idsync(['identities', 'show', 'idn_1', '--at', '2026-01-31']);
    expect(out).toContain('email  ann@x.org  10        HR\n');
    replies['GET /tenants/ten_1/deleted-connectors'] = [[200, { data: [{ id: 'con_1', name: 'HR' }], total: 1 }]];
    const deleted = await idsync(['identities', 'show', 'idn_1', '--at', '2026-01-31']);
    expect(deleted.out).toContain('email  ann@x.org  10        HR (deleted)\n');
    expect(out).toContain('usr_1  user  1           Ann Lee  active\n');
  });

  it('are explained: the source of each field, the overridden values, the reason and the linked records', async () => {
    replies['GET /tenants/ten_1/identities/idn_1/explain'] = [[200, explanation]];
    const { out } = await idsync(['identities', 'explain', 'idn_1']);
    expect(out).toContain('email  ann@x.org  HR      al@x.org (AD)  priority 10 precedes 20\n');
    expect(out).toMatch(/usr_1 +user +HR +1 +active +keys +job_1\n/);
    const { connector, ...unnamed } = explanation.fields[0]?.winner ?? { connector: undefined };
    const fields = explanation.fields.map((each) => ({ ...each, winner: unnamed }));
    replies['GET /tenants/ten_1/identities/idn_1/explain'] = [[200, { ...explanation, fields }]];
    const again = await idsync(['identities', 'explain', 'idn_1']);
    expect(again.out).toContain('email  ann@x.org  con_1   al@x.org (AD)');
  });

  it('are explained with the evidence of each link, and why a value did not win', async () => {
    const [winner] = explanation.fields.map((each) => each.winner);
    const over = [{ ...winner, value: '', connector: 'HR2', because: 'empty: the source has no value' }];
    const evidence = {
      kind: 'fuzzy',
      actor: 'matching',
      at,
      rule: 'same name',
      score: 0.9,
      values: [{ field: 'full_name', value: 'Ann Lee', other: 'Anne Lee' }],
      record_id: 'usr_2',
    };
    const fields = explanation.fields.map((each) => ({ ...each, over }));
    const records = explanation.records.map((each) => ({ ...each, linked: 'fuzzy', evidence }));
    replies['GET /tenants/ten_1/identities/idn_1/explain'] = [[200, { ...explanation, fields, records }]];
    const { out } = await idsync(['identities', 'explain', 'idn_1']);
    expect(out).toContain('nothing (HR2): empty: the source has no value');
    expect(out).toMatch(/usr_1 +fuzzy same name \(score 0.9\) +Ann Lee = Anne Lee +usr_2 /);
  });

  it('are merged and split', async () => {
    const [merge, split] = ['merge', 'split'].map((act) => `POST /tenants/ten_1/identities/idn_1/${act}`);
    replies[`${merge}`] = [
      [200, done('identity.merge', { identity_id: 'idn_1', merged_identity_ids: ['idn_2', 'idn_3'] })],
    ];
    replies[`${split}`] = [[200, done('identity.split', { identity_id: 'idn_1', new_identity_id: 'idn_4' })]];
    const merged = await idsync(['identities', 'merge', 'idn_1', 'idn_2', 'idn_3', '--reason', 'one person']);
    expect(merged.out).toContain('merged_identity_ids  idn_2, idn_3\n');
    const splitOff = await idsync(['identities', 'split', 'idn_1', 'usr_2']);
    expect(splitOff.out).toContain('new_identity_id  idn_4\n');
    expect(calls()).toEqual([
      [merge, { from_ids: ['idn_2', 'idn_3'], reason: 'one person' }],
      [split, { record_ids: ['usr_2'] }],
    ]);
  });
});

describe('an irreversible command', () => {
  const erase = 'POST /tenants/ten_1/identities/idn_1/erase';

  beforeEach(() => {
    replies['GET /tenants/ten_1/identities/idn_1/explain'] = [[200, explanation]];
    replies[erase] = [[200, done('identity.erase', { identity_id: 'idn_1', records_erased: 1 })]];
  });

  it('asks for confirmation with the name and proceeds after a yes', async () => {
    const { code, err } = await idsync(['identities', 'erase', 'idn_1'], 'y\n');
    expect({ code, err }).toEqual({
      code: 0,
      err: 'Permanently erase Ann Lee (records: 1, machine identities that remain: 1)? [y/N] ',
    });
    expect(calls().at(-1)).toEqual([erase, {}]);
  });

  it('asks for confirmation with the id of an identity without a name', async () => {
    const { display_name, ...unnamed } = explanation;
    replies['GET /tenants/ten_1/identities/idn_1/explain'] = [[200, unnamed]];
    const { err } = await idsync(['identities', 'erase', 'idn_1'], 'n\n');
    expect(err).toContain('Permanently erase idn_1 (');
  });

  it('asks for confirmation without a count of machine identities if there are none', async () => {
    const records = explanation.records.filter(({ kind }) => kind === 'user');
    replies['GET /tenants/ten_1/identities/idn_1/explain'] = [[200, { ...explanation, records }]];
    const { err } = await idsync(['identities', 'erase', 'idn_1'], 'n\n');
    expect(err).toContain('Permanently erase Ann Lee (records: 1)? ');
  });

  it('asks for confirmation without terminal control characters', async () => {
    const named = { ...explanation, display_name: 'Ann\u001b[2J\u202eLee' };
    replies['GET /tenants/ten_1/identities/idn_1/explain'] = [[200, named]];
    const { err } = await idsync(['identities', 'erase', 'idn_1'], 'n\n');
    expect(err).toContain('Permanently erase Ann\u{fffd}[2J\u{fffd}Lee (');
  });

  it.each(['n\n', '\n', 'yesterday\n', ''])('changes nothing after the answer %j', async (typed) => {
    const { code, err } = await idsync(['identities', 'erase', 'idn_1'], typed);
    expect(code).toBe(1);
    expect(err).toContain('idsync: cancelled: nothing was changed\n');
    expect(calls()).toEqual([['GET /tenants/ten_1/identities/idn_1/explain']]);
  });

  it('requires --yes when standard input is not a terminal', async () => {
    expect((await idsync(['identities', 'erase', 'idn_1'])).err).toContain('pass --yes');
    expect((await idsync(['jobs', 'undo', 'job_1'])).err).toContain('pass --yes');
    expect((await idsync(['identities', 'erase', 'idn_1', '--yes', '--reason', 'request 17'])).code).toBe(0);
    expect(calls().at(-1)).toEqual([erase, { reason: 'request 17' }]);
  });

  it('previews undoing a job without a confirmation', async () => {
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
    keys: [],
    stop_values: [],
    several_employments: 'primary',
  };

  it('of matching are shown with the settings of their keys and the number of stop values', async () => {
    const own = {
      ...rules,
      certain: ['employee_number', 'attributes.badge'],
      keys: [
        { field: 'employee_number', normaliser: 'number_without_zeros' },
        { field: 'attributes.badge', normaliser: 'digits', strength: 'permanent' },
      ],
      stop_values: [{ field: 'email', values: ['team', '@x.org'] }],
    };
    replies['GET /tenants/ten_1/matching-rules'] = [[200, own]];
    const { out } = await idsync(['rules', 'show']);
    expect(out).toMatch(/^match keys +employee_number, attributes.badge\n.*\nstop values +email \(2\)\n/);
    expect(out).toMatch(
      /KEY +NORMALISER +STRENGTH\nemployee_number +number_without_zeros +permanent\nattributes.badge +digits +permanent\n/,
    );
  });

  it('of matching are shown, previewed and set from a file', async () => {
    const path = '/tenants/ten_1/matching-rules';
    const joined = [{ from_identity_id: 'idn_2', into_identity_id: 'idn_1' }];
    replies[`GET ${path}`] = [[200, rules]];
    replies[`POST ${path}/preview`] = [[200, done('rules.change', { identities_joined: 1, joined, splitOff: [] })]];
    replies[`PUT ${path}`] = [[200, done('rules.change', { identities_joined: 1, joined, splitOff: [] })]];
    const shown = await idsync(['rules', 'show']);
    expect(shown.out).toMatch(/^match keys +employee_number, email\nseveral employments +primary\n/);
    expect(shown.out).toContain('same name   1           propose      full_name  exact  1\n');
    await writeFile(join(service.cwd, 'rules.json'), (await idsync(['rules', 'show', '--json'])).out);
    const preview = await idsync(['rules', 'preview', '--file', 'rules.json']);
    expect(preview.out).toContain('joined:\nFROM_IDENTITY_ID  INTO_IDENTITY_ID\nidn_2             idn_1\n');
    expect(preview.code).toBe(0);
    expect((await idsync(['rules', 'set', '--file', 'rules.json'])).code).toBe(0);
    expect(calls().slice(2)).toEqual([
      [`POST ${path}/preview`, rules],
      [`PUT ${path}`, rules],
    ]);
  });

  it.each(['preview', 'set'])('of matching exit with 4 while the operation of %s is queued', async (command) => {
    const path = '/tenants/ten_1/matching-rules';
    const queued = { operation_id: 'opn_1', type: 'rules.change', status: 'queued', created_at: at };
    replies[`POST ${path}/preview`] = [[202, queued]];
    replies[`PUT ${path}`] = [[202, queued]];
    await writeFile(join(service.cwd, 'rules.json'), JSON.stringify(rules));
    expect((await idsync(['rules', command, '--file', 'rules.json'])).code).toBe(4);
  });

  it('of attributes are shown with connector names and set from a file', async () => {
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

  it('for dates and leavers are shown with the settings of connectors and set from a file', async () => {
    const path = '/tenants/ten_1/lifecycle-policy';
    const connector_time_zones = [{ connector_id: 'con_1', time_zone: 'America/New_York' }];
    const connector_employments = [{ connector_id: 'con_2', employments: false }];
    const policy = { time_zone: 'Europe/Oslo', connector_time_zones, connector_employments, grace_days: 60 };
    replies[`GET ${path}`] = [[200, policy]];
    replies[`PUT ${path}`] = [[200, done('lifecycle.change', { identities_changed: 4 })]];
    const { out } = await idsync(['lifecycle', 'show']);
    expect(out).toContain('time_zone   Europe/Oslo\n');
    expect(out).toContain('con_1      America/New_York\n');
    expect(out).toMatch(/^con_2 +false$/m);
    await writeFile(join(service.cwd, 'lifecycle.json'), (await idsync(['lifecycle', 'show', '--json'])).out);
    expect((await idsync(['lifecycle', 'set', '--file', 'lifecycle.json'])).code).toBe(0);
    expect(calls().at(-1)).toEqual([`PUT ${path}`, policy]);
  });
});

describe('operations', () => {
  it('that are held show who would lose access, and are confirmed with a reason', async () => {
    const path = '/tenants/ten_1';
    const access_changes = [{ identity_id: 'idn_1', name: 'Ann Lee', from: 'active', to: 'inactive' }];
    const result = { held: 'take access from 40 of 60 people', access_changes, access_changes_total: 40 };
    const held = { ...done('attributes.rank', result), status: 'held' };
    replies[`PUT ${path}/attribute-priorities`] = [[202, held]];
    replies[`GET ${path}/operations/opn_1`] = [[200, held]];
    replies[`PATCH ${path}/connectors/con_1`] = [[202, { id: 'con_1', priority: 10, operation_id: 'opn_1' }]];
    replies['GET /tenants/ten_1/connectors'] = [[200, { data: [{ id: 'con_1', name: 'HR' }], total: 1 }]];
    await writeFile(join(service.cwd, 'own.json'), '{"priorities": []}');
    const set = await idsync(['priorities', 'set', '--file', 'own.json']);
    expect(set).toMatchObject({ code: 4, out: expect.stringMatching(/^idn_1 +Ann Lee +active +inactive/m) });
    expect(set.err).toContain('1 of 40 shown: continue with "idsync operations items opn_1 --list access_changes');
    await writeFile(join(service.cwd, 'hr.json'), '{"priority": 5}');
    const update = await idsync(['connectors', 'update', 'HR', '--file', 'hr.json']);
    for (const { code, err } of [set, update]) {
      expect(code).toBe(4);
      expect(err).toContain('confirm it with "idsync operations confirm opn_1 --reason …"');
    }
    replies[`POST ${path}/operations/opn_1/confirm`] = [[200, done('operation.confirm', {})]];
    expect((await idsync(['operations', 'confirm', 'opn_1'])).code).toBe(2);
    expect((await idsync(['operations', 'confirm', 'opn_1', '--reason', 'they left'])).code).toBe(0);
    expect(calls().at(-1)).toEqual([`POST ${path}/operations/opn_1/confirm`, { reason: 'they left' }]);
  });

  it('are listed, shown and reverted', async () => {
    const path = '/tenants/ten_1/operations';
    replies[`GET ${path}?limit=2&offset=0`] = [[200, { data: [done('identity.merge', {})], total: 1 }]];
    replies[`GET ${path}/opn_1`] = [[200, done('identity.merge', { identity_id: 'idn_1' })]];
    replies[`POST ${path}/opn_1/revert`] = [[200, done('operation.revert', { reverted_operation_id: 'opn_1' })]];
    expect((await idsync(['operations', 'list', '--limit', '2'])).out).toContain('opn_1  identity.merge  done');
    expect((await idsync(['operations', 'show', 'opn_1'])).out).toContain('identity_id   idn_1\n');
    expect(JSON.parse((await idsync(['operations', 'show', 'opn_1', '--json'])).out)).toEqual(
      done('identity.merge', { identity_id: 'idn_1' }),
    );
    const joined = [{ record: 'usr_1', from_name: 'Ann' }];
    replies['GET /tenants/ten_1/operations/opn_1/items'] = [[200, { data: joined, total: 300 }]];
    const items = await idsync(['operations', 'items', 'opn_1', '--offset', '200']);
    expect(items).toMatchObject({ code: 0, out: expect.stringMatching(/^usr_1 +Ann/m) });
    expect(items.err).toContain('201 of 300 shown: continue with --offset 201');
    expect(service.requests.at(-1)?.call).toContain('/items?list=joined&limit=50&offset=200');
    const itemsAs = async (format: string) => (await idsync(['operations', 'items', 'opn_1', '-o', format])).out;
    expect(JSON.parse(await itemsAs('json'))).toEqual({ data: joined, total: 300 });
    expect(await itemsAs('jsonl')).toBe('{"record":"usr_1","from_name":"Ann"}\n');
    expect(await itemsAs('csv')).toBe('record,from_name\nusr_1,Ann\n');
    const result = { joined, identities_joined: 300 };
    replies['GET /tenants/ten_1/operations/opn_1'] = [[200, done('rules.change', result)]];
    expect((await idsync(['operations', 'show', 'opn_1'])).err).toContain('1 of 300 shown: continue with');
    const all = { joined, identities_joined: 1 };
    replies['GET /tenants/ten_1/operations/opn_1'] = [[200, done('rules.change', all)]];
    expect((await idsync(['operations', 'show', 'opn_1'])).err).toBe('');
    expect((await idsync(['operations', 'revert', 'opn_1', '--reason', 'two people'])).code).toBe(0);
    expect(calls().at(-1)).toEqual([`POST ${path}/opn_1/revert`, { reason: 'two people' }]);
  });

  it('that are still queued exit with 4 and name the command to check them', async () => {
    const queued = { operation_id: 'opn_1', type: 'identity.merge', status: 'queued', created_at: at };
    replies['POST /tenants/ten_1/identities/idn_1/merge'] = [[202, queued]];
    const { code, err } = await idsync(['identities', 'merge', 'idn_1', 'idn_2']);
    expect({ code, err }).toEqual({
      code: 4,
      err: 'not done yet: check with "idsync operations show opn_1"\n',
    });
  });

  it('that run in parts exit with 4 and show the number of records, and are cancelled', async () => {
    const progress = { done: 500, total: 1200 };
    const running = { operation_id: 'opn_1', type: 'rules.change', status: 'running', created_at: at, progress };
    replies['GET /tenants/ten_1/operations/opn_1'] = [[200, running]];
    const { code, out } = await idsync(['operations', 'show', 'opn_1']);
    expect(code).toBe(4);
    expect(out).toContain('500 of 1200');
    replies['POST /tenants/ten_1/operations/opn_1/cancel'] = [[200, done('operation.cancel', {})]];
    expect((await idsync(['operations', 'cancel', 'opn_1', '--reason', 'wrong file'])).code).toBe(0);
    replies['GET /tenants/ten_1/operations/opn_1'] = [[200, { ...running, status: 'cancelled' }]];
    expect((await idsync(['operations', 'show', 'opn_1'])).code).toBe(1);
  });

  it('that were refused exit with 1 and the reason', async () => {
    const error = 'the operation has already been reverted';
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
    'connectors hand-over',
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
    'operations cancel',
    'operations revert',
    'jobs undo',
  ])('of %s has an example', async (words) => {
    const { code, out } = await idsync([...words.split(' '), '--help']);
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining(`  $ idsync ${words}`) });
  });
});
