import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeService, token } from '../test/fake-service.js';

let service: FakeService;
let replies: FakeService['replies'];

const connector = {
  id: 'con_1',
  tenant_id: 'ten_1',
  name: 'HR',
  type: 'csv',
  records: 'user',
  priority: 10,
  config: { path: 'hr.csv', external_id: 'id', fields: { email: 'mail' } },
  safeguard: { max_deleted_percent: 10 },
  secrets: [],
  health: 'ok',
};
const settings = {
  time_zone: 'UTC',
  grace_days: 30,
  four_eyes: false,
  connector_time_zones: [{ connector_id: 'con_1', time_zone: 'Europe/Berlin' }],
  connector_employments: [],
  connector_stale_hours: [],
};
const rules = { certain: ['email'], weak: [], keys: [], stop_values: [], several_employments: 'primary' };
const hook = { id: 'whk_1', callback_url: 'https://receiver.example.com/', events: ['*'], active: true };
const of = (path: string) => `/tenants/ten_1/${path}`;

beforeEach(async () => {
  service = await FakeService.start();
  replies = service.replies;
  replies[`GET ${of('connectors?limit=200&offset=0')}`] = [[200, { data: [connector], total: 1 }]];
  replies[`GET ${of('webhooks')}`] = [[200, { data: [hook], total: 1 }]];
  replies[`GET ${of('settings')}`] = [[200, settings]];
  replies[`GET ${of('attribute-priorities')}`] = [
    [200, { priorities: [{ field: '*', connector_id: 'con_1', priority: 5 }] }],
  ];
  replies[`GET ${of('matching-rules')}`] = [[200, rules]];
});

afterEach(() => service.stop());

const write = (text: string) => writeFileSync(join(service.cwd, 'tenant.yaml'), text);
const env = () => ({
  IDSYNC_URL: service.url,
  ADMIN_TOKEN: token,
  IDSYNC_TENANT: 'ten_1',
  IDSYNC_API_KEY: `iss_${'0'.repeat(26)}_${'a'.repeat(43)}`,
});
const idsync = (words: string[], more: Record<string, string> = {}) =>
  service.idsync(words, { env: { ...env(), ...more } });
const writes = () => service.requests.filter(({ call }) => !call.startsWith('GET '));

describe('the configuration of a tenant', () => {
  it('names the variable of each secret after its connector', async () => {
    const data = [{ ...connector, name: 'AD 2', secrets: ['bind_password', 'ca'] }, connector];
    replies[`GET ${of('connectors?limit=200&offset=0')}`] = [[200, { data, total: 2 }]];
    const { connectors } = JSON.parse((await idsync(['export', '--json'])).out);
    expect(connectors[0].secrets).toEqual({ bind_password: `\${env:AD_2_BIND_PASSWORD}`, ca: `\${env:AD_2_CA}` });
    expect(connectors[1]).not.toHaveProperty('secrets');
  });

  it('is exported with names in place of ids, and without secrets', async () => {
    replies[`GET ${of('connectors?limit=200&offset=0')}`] = [
      [200, { data: [{ ...connector, name: '1 HR-System', secrets: ['password'] }], total: 1 }],
    ];
    const { out } = await idsync(['export']);
    expect(out).not.toMatch(/con_1|whk_1|ten_1/);
    expect(out).toContain('connector: 1 HR-System');
    expect(out).toContain(`password: \${env:_1_HR_SYSTEM_PASSWORD}`);
    expect(out).toContain('callback_url: https://receiver.example.com/');
  });

  it('has no difference from its export, and applying it changes nothing', async () => {
    // The service returns a safeguard with all its bounds.
    const { connectorBody } = await import('@idsync/contracts');
    const { safeguard, config } = connectorBody.parse({ ...pick(connector), secrets: {} });
    replies[`GET ${of('connectors?limit=200&offset=0')}`] = [
      [200, { data: [{ ...connector, safeguard, config }], total: 1 }],
    ];
    const filter = { field: 'data.status', equals: 'active' };
    replies[`GET ${of('webhooks')}`] = [[200, { data: [{ ...hook, payload: 'thin', filter }], total: 1 }]];
    const { out } = await idsync(['export']);
    expect(out).toContain('payload: thin');
    write(out);
    expect(await idsync(['diff', '-f', 'tenant.yaml'])).toMatchObject({
      code: 0,
      err: '0 create, 0 update, 0 delete, 5 unchanged\n',
    });
    expect((await idsync(['apply', '-f', 'tenant.yaml', '--yes', '--prune'])).code).toBe(0);
    expect(writes()).toEqual([]);
  });
});

const pick = ({ name, type, records, priority, config }: typeof connector) => ({
  name,
  type,
  records,
  priority,
  config,
});

describe('what does not count as a difference', () => {
  it.each([
    [
      'the order of precedence entries and of their fields',
      'attribute_priorities: [{priority: 4, connector: HR, field: email}, {priority: 5, field: "*", connector: HR}]',
    ],
    [
      'an absent field that the file sets to null',
      'connectors: [{name: HR, type: csv, config: {path: hr.csv, external_id: id, fields: {email: mail}}, schedule: null}]',
    ],
    [
      'a default of a webhook that the file leaves out',
      'webhooks: [{callback_url: "https://receiver.example.com", events: ["*"]}]',
    ],
  ])('is %s', async (_, section) => {
    const priorities = [
      { field: '*', connector_id: 'con_1', priority: 5 },
      { field: 'email', connector_id: 'con_1', priority: 4 },
    ];
    replies[`GET ${of('attribute-priorities')}`] = [[200, { priorities }]];
    const { connectorBody } = await import('@idsync/contracts');
    const { config } = connectorBody.parse({ ...pick(connector), secrets: {} });
    replies[`GET ${of('connectors?limit=200&offset=0')}`] = [[200, { data: [{ ...connector, config }], total: 1 }]];
    write(`version: 1\n${section}\n`);
    expect(await idsync(['diff', '-f', 'tenant.yaml'])).toMatchObject({
      code: 0,
      err: '0 create, 0 update, 0 delete, 1 unchanged\n',
    });
  });
});

describe('a difference', () => {
  it('is printed with its fields, and diff exits with 1', async () => {
    write(
      'version: 1\nsettings:\n  grace_days: 60\nconnectors:\n  - {name: HR, type: csv, config: {path: new.csv, external_id: id, fields: {email: mail}}}\n',
    );
    const { code, out } = await idsync(['diff', '-f', 'tenant.yaml']);
    expect(code).toBe(1);
    expect(out).toMatch(/update +connector +HR +config/);
    expect(out).toMatch(/update +settings +- +grace_days/);
  });

  it('is applied after a confirmation', async () => {
    write('version: 1\nsettings: {grace_days: 60}\n');
    replies[`PATCH ${of('settings')}`] = [[200, settings]];
    const asked = await service.idsync(['apply', '-f', 'tenant.yaml'], { env: env(), typed: 'n\n' });
    expect([asked.code, writes()]).toEqual([1, []]);
    const dry = await idsync(['apply', '-f', 'tenant.yaml', '--dry-run']);
    expect([dry.code, dry.out]).toEqual([0, expect.stringMatching(/update +settings +- +grace_days/)]);
    expect(writes()).toEqual([]);
    expect((await service.idsync(['apply', '-f', 'tenant.yaml'], { env: env(), typed: 'y\n' })).code).toBe(0);
    expect(writes()).toMatchObject([{ call: `PATCH ${of('settings')}`, body: { grace_days: 60 } }]);
  });

  it('is not applied if the configuration has changed since the plan', async () => {
    write('version: 1\nsettings: {grace_days: 60}\n');
    replies[`GET ${of('settings')}`] = [
      [200, settings],
      [200, { ...settings, time_zone: 'Europe/Paris' }],
    ];
    const { code, err } = await idsync(['apply', '-f', 'tenant.yaml', '--yes']);
    expect([code, err]).toEqual([1, expect.stringContaining('nothing was applied')]);
    expect(writes()).toEqual([]);
  });

  it('that the service refuses is named with its part of the configuration', async () => {
    write('version: 1\nsettings: {grace_days: 60}\n');
    replies[`PATCH ${of('settings')}`] = [[409, { error: 'the tenant is suspended' }]];
    expect(await idsync(['apply', '-f', 'tenant.yaml', '--yes'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('idsync: settings: the tenant is suspended\n'),
    });
  });

  it('that needs a second operator is reported with its approval, and the others are applied', async () => {
    write('version: 1\nsettings: {grace_days: 60}\nmatching_rules: {certain: [], weak: []}\n');
    replies[`PATCH ${of('settings')}`] = [[202, { approval_id: 'apr_1', expires_at: '2026-01-31T12:00:00.000Z' }]];
    replies[`PUT ${of('matching-rules')}`] = [[200, { operation_id: 'opn_1', status: 'done' }]];
    const { code, err } = await idsync(['apply', '-f', 'tenant.yaml', '--yes']);
    expect(code).toBe(4);
    expect(err).toContain('settings: not done yet: another operator has to run "idsync approvals approve apr_1"');
    expect(writes().map(({ call }) => call)).toEqual([`PATCH ${of('settings')}`, `PUT ${of('matching-rules')}`]);
  });
});

describe('a change by which people would lose access', () => {
  it('is reported with the operation that waits, and the others are applied', async () => {
    write('version: 1\nsettings: {grace_days: 60}\nmatching_rules: {certain: [], weak: []}\n');
    replies[`PATCH ${of('settings')}`] = [[202, { ...settings, operation_id: 'opn_1' }]];
    const result = { held: 'take access from 40 of 60 people, more than 25 % and more than 5' };
    replies[`GET ${of('operations/opn_1')}`] = [[200, { operation_id: 'opn_1', status: 'held', result }]];
    replies[`PUT ${of('matching-rules')}`] = [[200, { operation_id: 'opn_2', status: 'done' }]];
    const { code, err } = await idsync(['apply', '-f', 'tenant.yaml', '--yes']);
    expect(code).toBe(4);
    expect(err).toContain('settings: held, because it would take access from 40 of 60 people');
    expect(err).toContain('confirm it with "idsync operations confirm opn_1 --reason …"');
    expect(writes().map(({ call }) => call)).toEqual([`PATCH ${of('settings')}`, `PUT ${of('matching-rules')}`]);
  });
});

describe('a connector of the file', () => {
  const ldap = `version: 1
connectors:
  - name: AD
    type: ldap
    config: {url: "ldaps://ad.example.com", bind_dn: "cn=idsync", base_dn: "dc=example"}
    secrets: {bind_password: "\${env:AD_PASSWORD}"}
attribute_priorities:
  - {field: "*", connector: AD, priority: 1}
`;

  it('is created with secrets of the environment, and named by later sections', async () => {
    write(ldap);
    replies[`POST ${of('connectors')}`] = [[201, { ...connector, id: 'con_2', name: 'AD' }]];
    replies[`PUT ${of('attribute-priorities')}`] = [[200, { operation_id: 'opn_1', status: 'done' }]];
    const { code, out, err } = await idsync(['apply', '-f', 'tenant.yaml', '--yes'], { AD_PASSWORD: 'S3cret!' });
    expect({ code, err }).toMatchObject({ code: 0 });
    expect(`${out}${err}`).not.toContain('S3cret!');
    expect(writes()).toMatchObject([
      { call: `POST ${of('connectors')}`, body: { name: 'AD', secrets: { bind_password: 'S3cret!' } } },
      { body: { priorities: [{ field: '*', connector_id: 'con_2', priority: 1 }] } },
    ]);
  });

  it('is not created without its secrets, and nothing else is changed', async () => {
    write(ldap);
    const { code, err } = await idsync(['apply', '-f', 'tenant.yaml', '--yes']);
    expect([code, err]).toEqual([2, expect.stringContaining('set the variable AD_PASSWORD')]);
    expect(writes()).toEqual([]);
  });

  describe('with a secret', () => {
    const body = { url: 'ldaps://ad.example.com', bind_dn: 'cn=idsync', base_dn: 'dc=example' };
    const secret = { AD_PASSWORD: 'S3cret!' };
    const file = (value: string, { url = body.url, more = '' } = {}) =>
      write(
        `version: 1\nconnectors: [{name: AD, type: ldap, config: {url: "${url}", bind_dn: "cn=idsync", base_dn: "dc=example"}, secrets: {bind_password: "${value}"}${more}}]\n`,
      );
    const apply = (more: string[] = [], variables = {}) =>
      idsync(['apply', '-f', 'tenant.yaml', '--yes', ...more], variables);
    /** The bodies of the changes that are sent. */
    const sent = async (...given: Parameters<typeof apply>) => {
      service.requests.length = 0;
      expect((await apply(...given)).code).toBe(0);
      return writes().map((each) => each.body);
    };
    const variable = `\${env:AD_PASSWORD}`;
    const moved = { url: 'ldaps://new.example.com' };

    beforeEach(async () => {
      const { connectorBody } = await import('@idsync/contracts');
      const { config } = connectorBody.parse({
        name: 'AD',
        type: 'ldap',
        config: body,
        secrets: { bind_password: 'placeholder' },
      });
      const stored = { ...connector, id: 'con_3', name: 'AD', type: 'ldap', config, secrets: ['bind_password'] };
      replies[`GET ${of('connectors?limit=200&offset=0')}`] = [[200, { data: [stored], total: 1 }]];
      replies[`PATCH ${of('connectors/con_3')}`] = [[200, stored]];
    });

    it('sends no value for a secret that the file calls unchanged, even if all are set or the address is changed', async () => {
      file('unchanged');
      expect(await apply(['--set-secrets'])).toMatchObject({ err: '0 create, 0 update, 0 delete, 1 unchanged\n' });
      expect(writes()).toEqual([]);
      file('unchanged', moved);
      expect(await sent(['--set-secrets'])).toEqual([{ config: expect.objectContaining(moved) }]);
    });

    it('is created without the secrets that the file calls unchanged', async () => {
      replies[`GET ${of('connectors?limit=200&offset=0')}`] = [[200, { data: [], total: 0 }]];
      replies[`POST ${of('connectors')}`] = [[201, connector]];
      file('unchanged');
      expect(await sent()).toMatchObject([{ name: 'AD', secrets: {} }]);
    });

    it('sends the value of a variable only if all secrets are set, or if the address is changed', async () => {
      file(variable);
      expect(await sent([], secret)).toEqual([]);
      expect(await sent(['--set-secrets'], secret)).toEqual([{ secrets: { bind_password: 'S3cret!' } }]);
      file(variable, { more: ', priority: 3' });
      expect(await sent([], secret)).toEqual([{ priority: 3 }]);
      file(variable, moved);
      const config = expect.objectContaining(moved);
      expect(await sent([], secret)).toEqual([{ config, secrets: { bind_password: 'S3cret!' } }]);
      for (const variables of [{}, { AD_PASSWORD: '' }]) expect(await sent([], variables)).toEqual([{ config }]);
    });

    it('is not changed if all secrets are to be set and a variable is not', async () => {
      file(variable);
      for (const variables of [{}, { AD_PASSWORD: '' }])
        expect(await apply(['--set-secrets'], variables)).toMatchObject({
          code: 2,
          err: expect.stringContaining('set the variable AD_PASSWORD'),
        });
      expect(writes()).toEqual([]);
    });
  });

  it('changes its safeguard and priority apart from other fields, as four eyes require', async () => {
    write(
      'version: 1\nconnectors:\n  - {name: HR, type: csv, priority: 3, config: {path: b.csv, external_id: id, fields: {email: mail}}}\n',
    );
    replies[`PATCH ${of('connectors/con_1')}`] = [[200, connector]];
    await idsync(['apply', '-f', 'tenant.yaml', '--yes']);
    const [first, second] = writes();
    expect(Object.keys(first?.body as object)).toEqual(['config']);
    expect(second?.body).toEqual({ priority: 3 });
  });

  it('that does not exist is named when another section refers to it', async () => {
    write('version: 1\nattribute_priorities: [{field: "*", connector: Payroll, priority: 1}]\n');
    const { err } = await idsync(['apply', '-f', 'tenant.yaml', '--yes']);
    expect(err).toContain('there is no connector "Payroll"');
    expect(writes()).toEqual([]);
  });

  it('is deleted only with --prune, last', async () => {
    write('version: 1\nsettings: {grace_days: 60}\nconnectors: []\n');
    replies[`PATCH ${of('settings')}`] = [[200, settings]];
    replies[`DELETE ${of('connectors/con_1')}`] = [[204]];
    await idsync(['apply', '-f', 'tenant.yaml', '--yes']);
    expect(writes().map(({ call }) => call)).toEqual([`PATCH ${of('settings')}`]);
    await idsync(['apply', '-f', 'tenant.yaml', '--yes', '--prune']);
    expect(writes().at(-1)?.call).toBe(`DELETE ${of('connectors/con_1')}`);
  });
});

describe('a file', () => {
  it.each([
    ['version: 2', 'version must be 1, got 2'],
    ['- a', 'must contain one mapping'],
    ['version: 1\nrules: {}', 'unknown section "rules"'],
    ['version: 1\nconnectors: {}', 'connectors must be a list of mappings'],
    ['version: 1\nsettings: []', 'settings must be a mapping'],
    ['version: 1\nconnectors: [{type: csv}]', 'each item needs name'],
    ['version: 1\nconnectors: [{name: a, id: con_1}]', 'unknown field "id" of "a"'],
    ['version: 1\nwebhooks: [{callback_url: "https://a.b"}, {callback_url: "https://a.b/"}]', 'occurs twice'],
    ['version: 1\nsettings: {seats: 1}', 'settings:'],
    ['version: 1\nconnectors: [{name: a, type: csv, config: {}}]', 'connector "a": config'],
    ['a: [', 'is not valid YAML'],
  ])('is refused before a request is sent: %j', async (text, problem) => {
    write(text);
    expect(await idsync(['diff', '-f', 'tenant.yaml'])).toMatchObject({
      code: 2,
      err: expect.stringContaining(problem),
    });
    expect(service.requests).toEqual([]);
  });

  it('is refused if it contains a secret, without printing it', async () => {
    const variable = `\${env:A}`;
    for (const secret of ['', 'unchanged', variable].flatMap((form) => [`hunter2${form}`, `${form}hunter2`])) {
      write(`version: 1\nconnectors: [{name: a, type: csv, config: {}, secrets: {password: "${secret}"}}]`);
      const { code, err } = await idsync(['diff', '-f', 'tenant.yaml']);
      expect([code, err]).toEqual([2, expect.stringContaining('secrets do not belong in the file')]);
      expect(err).not.toContain('hunter2');
    }
  });
});

describe('a webhook of the file', () => {
  it('is created, changed and deleted with the API key, and its secret is not printed', async () => {
    write('version: 1\nwebhooks: [{callback_url: "https://new.example.com", events: ["user.*"], active: false}]');
    const created = { ...hook, id: 'whk_2', signing_secret: 'whsec_shown_once' };
    replies['POST /v1/webhooks'] = [[201, created]];
    replies['PATCH /v1/webhooks/whk_2'] = [[200, created]];
    replies['DELETE /v1/webhooks/whk_1'] = [[204]];
    const { code, out, err } = await idsync(['apply', '-f', 'tenant.yaml', '--yes', '--prune']);
    expect(code).toBe(0);
    expect(writes().map(({ call }) => call)).toEqual([
      'POST /v1/webhooks',
      'PATCH /v1/webhooks/whk_2',
      'DELETE /v1/webhooks/whk_1',
    ]);
    expect(writes()[1]?.body).toEqual({ active: false });
    expect(`${out}${err}`).not.toContain('whsec_');
    expect(err).toContain('idsync webhooks rotate-secret whk_2');
  });

  it('that exists is changed in the fields that differ', async () => {
    write('version: 1\nwebhooks: [{callback_url: "https://receiver.example.com/", events: ["user.*"], active: true}]');
    replies['PATCH /v1/webhooks/whk_1'] = [[200, hook]];
    expect((await idsync(['apply', '-f', 'tenant.yaml', '--yes'])).code).toBe(0);
    expect(writes()).toMatchObject([{ call: 'PATCH /v1/webhooks/whk_1', body: { events: ['user.*'] } }]);
    expect(writes()[0]?.body).not.toHaveProperty('active');
  });

  it('is not changed if another one has the same URL', async () => {
    replies[`GET ${of('webhooks')}`] = [[200, { data: [hook, { ...hook, id: 'whk_2' }], total: 2 }]];
    write('version: 1\nwebhooks: [{callback_url: "https://receiver.example.com/", events: ["user.*"]}]');
    const { code, err } = await idsync(['apply', '-f', 'tenant.yaml', '--yes']);
    expect([code, err]).toEqual([2, expect.stringContaining('several webhooks have the URL https://receiver')]);
    expect(writes()).toEqual([]);
  });

  it('needs no API key if it stays as it is', async () => {
    write(
      'version: 1\nsettings: {grace_days: 60}\nwebhooks: [{callback_url: "https://receiver.example.com/", events: ["*"]}]',
    );
    replies[`PATCH ${of('settings')}`] = [[200, settings]];
    const { IDSYNC_API_KEY: _, ...without } = env();
    expect((await service.idsync(['apply', '-f', 'tenant.yaml', '--yes'], { env: without })).code).toBe(0);
  });

  it('needs an API key', async () => {
    write('version: 1\nwebhooks: []');
    const { IDSYNC_API_KEY: _, ...without } = env();
    const { code, err } = await service.idsync(['apply', '-f', 'tenant.yaml', '--yes', '--prune'], { env: without });
    expect([code, err]).toEqual([2, expect.stringContaining('set IDSYNC_API_KEY')]);
  });
});
