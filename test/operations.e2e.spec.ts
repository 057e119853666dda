import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { IdsyncClient, IdsyncError, verifyWebhook } from '@idsync/client';
import { decodeId } from '@idsync/contracts';
import {
  type BrokerVhost,
  createTestDatabase,
  DirectoryFixture,
  type TestDatabase,
  until,
  vhostIfAny,
} from '@idsync/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { Receiver } from '../apps/webhook-dispatcher/test/receiver.js';
import { type Answer, Client, createConnector, createTenant, sync, type Tenant } from './support/client.js';
import { commandLine } from './support/command-line.js';
import { midpointHr, midpointLdap } from './support/midpoint-sources.js';
import { Services } from './support/services.js';

type Body = Answer['body'];

// One path of each kind through the real processes. Integration specs of the services test the cases.
describe('an operation through all services', () => {
  let database: TestDatabase;
  let vhost: BrokerVhost | undefined;
  let fixture: DirectoryFixture;
  let folder: string;
  let services: Services;
  let operator: Client;
  let receiver: Receiver;
  let tenant: Tenant;

  beforeAll(async () => {
    database = await createTestDatabase();
    vhost = await vhostIfAny();
    fixture = DirectoryFixture.connect(database.url);
    folder = await mkdtemp(join(tmpdir(), 'idsync-operations-'));
    services = await Services.start({
      databaseUrl: database.url,
      amqpUrl: vhost?.url,
      sourcesDir: folder,
      allowedCidrs: '127.0.0.0/8',
    });
    operator = Client.operator(services.url, services.adminToken);
  });

  beforeEach(async () => {
    tenant = await createTenant(operator, 'Operated');
    receiver = await Receiver.start();
  });

  afterEach(() => receiver?.close());

  afterAll(async () => {
    await services?.stop();
    await vhost?.drop();
    await fixture?.close();
    await database?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  const { idsync, reply } = commandLine(() => ({ services, tenant, cwd: folder }));

  const write = (name: string, text: string) => writeFile(join(folder, name), text);
  const admin = (method: string, path: string, body?: object): Promise<Answer> =>
    tenant.operator.call(method, `/admin/v1/tenants/${tenant.id}/${path}`, body);

  /** Waits until a job has one of these statuses. */
  const job = (id: string, ...statuses: string[]): Promise<Body> =>
    until(
      async () => {
        const { body } = await admin('GET', `sync-jobs/${id}`);
        return statuses.includes(body.status) && body;
      },
      `a job that is ${statuses.join(' or ')}`,
    );

  /** Runs a job until it ends or is quarantined. */
  async function run(connector: string): Promise<Body> {
    const { body } = await admin('POST', 'sync-jobs', { connector_id: connector });
    return job(body.job_id, 'completed', 'completed_with_errors', 'failed', 'cancelled', 'quarantined');
  }

  const decide = (id: string, decision: 'cancel' | 'release', body: object) =>
    admin('POST', `sync-jobs/${id}/${decision}`, body);
  const people = async (status = ''): Promise<number> =>
    (await tenant.client.get(`/v1/identities?limit=1${status && `&status=${status}`}`)).body.total;

  it('quarantines each run that deletes too many people, and cancels or releases it as an operator decides', async () => {
    const connector = await createConnector(tenant, {
      type: 'csv',
      name: 'HR',
      config: {
        path: 'leavers.csv',
        external_id: 'id',
        fields: { employee_number: 'id', display_name: 'name', status: 'status' },
      },
    });
    const list = (count: number) =>
      write(
        'leavers.csv',
        `id,name,status\n${Array.from({ length: count }, (_, n) => `p${n},Person ${n},\n`).join('')}`,
      );
    await list(100);
    await run(connector);
    await list(75);
    const held = await run(connector);
    const note = 'quarantined: the run would delete 25 of 100 records, more than 10 % and more than 20';
    expect(held).toMatchObject({ status: 'quarantined', note });
    expect((await tenant.client.get(`/v1/sync/jobs/${held.job_id}`)).body).toMatchObject({
      status: 'quarantined',
      error_message: note,
    });
    expect(await people('active')).toBe(100);

    const plan = (await admin('GET', `sync-jobs/${held.job_id}/plan?limit=10&offset=20`)).body;
    expect(plan).toMatchObject({ state: 'held', known: 100, total: 25, counts: { delete: 25, disable: 0 } });
    expect(plan.data).toHaveLength(5);
    expect(plan.data[4]).toMatchObject({
      action: 'delete',
      record: { kind: 'user', external_id: expect.stringMatching(/^p\d+$/) },
      changes: [{ field: 'status', from: 'active', to: 'deleted' }],
      done: false,
    });

    expect((await decide(held.job_id, 'cancel', { reason: 'wrong file', by: 'eve' })).status).toBe(202);
    expect(await job(held.job_id, 'cancelled')).toMatchObject({
      decision: { action: 'cancelled', reason: 'wrong file', by: 'eve' },
      records_deleted: 0,
    });
    expect(await people('active')).toBe(100);

    const again = await run(connector);
    expect(again).toMatchObject({ status: 'quarantined' });
    expect((await decide(again.job_id, 'release', { reason: 'a department was sold', by: 'eve' })).status).toBe(202);
    expect(await job(again.job_id, 'completed')).toMatchObject({
      records_deleted: 25,
      progress_pct: 100,
      decision: { action: 'released', reason: 'a department was sold', by: 'eve' },
    });
    expect([await people('active'), await people('deleted')]).toEqual([75, 25]);

    await list(50);
    expect(await run(connector)).toMatchObject({ status: 'quarantined' });
    expect(await people('active')).toBe(75);
  });

  it('holds a priority by which people would lose access, and stores it when an operator confirms it', async () => {
    const source = async (name: string, priority: number, status: string) => {
      const rows = Array.from({ length: 8 }, (_, n) => `${n},E${n},Ann,Lee${n},${status}\n`).join('');
      await write(`${name}.csv`, `id,number,first,last,status\n${rows}`);
      const fields = { employee_number: 'number', first_name: 'first', last_name: 'last', status: 'status' };
      const config = { path: `${name}.csv`, external_id: 'id', fields };
      const connector = await createConnector(tenant, { type: 'csv', name, priority, config });
      await run(connector);
      return connector;
    };
    await source('Old', 10, 'active');
    const path = `connectors/${await source('New', 20, 'inactive')}`;
    const held = await admin('PATCH', path, { name: 'HR', priority: 5 });
    expect(held).toMatchObject({ status: 202, body: { name: 'HR', priority: 20 } });
    const operation = `operations/${held.body.operation_id}`;
    const { body } = await admin('GET', operation);
    expect(body).toMatchObject({ status: 'held', result: { access_changes_total: 8 } });
    expect(body.result.access_changes).toContainEqual(
      expect.objectContaining({ name: 'Ann Lee7', from: 'active', to: 'inactive' }),
    );
    const { body: page } = await admin('GET', `${operation}/items?list=access_changes&offset=6`);
    expect(page).toMatchObject({ total: 8, data: [{ from: 'active' }, { from: 'active' }] });
    expect(await people('active')).toBe(8);
    expect((await admin('POST', `${operation}/confirm`, {})).status).toBe(400);
    expect(await admin('POST', `${operation}/confirm`, { reason: 'they left' })).toMatchObject({ status: 200 });
    expect((await admin('GET', path)).body).toMatchObject({ priority: 5 });
    expect(await people('inactive')).toBe(8);
    expect(await admin('PATCH', path, { priority: 6 })).toMatchObject({ status: 200, body: { priority: 6 } });
    expect((await admin('POST', `${operation}/confirm`, { reason: 'again' })).body.error).toContain('not held');
    const { config } = (await admin('GET', path)).body;
    const dated = { ...config, delimiter: ',', fields: { ...config.fields, termination_date: 'status' } };
    expect(await admin('PATCH', path, { config: dated })).toMatchObject({ status: 200, body: { config: dated } });
  });

  it('holds a run whose column is shifted, and adds and changes people after the release', async () => {
    const connector = await createConnector(tenant, {
      type: 'csv',
      name: 'HR',
      config: { path: 'shifted.csv', external_id: 'id', fields: { employee_number: 'number', display_name: 'name' } },
    });
    const list = (count: number, name: string) =>
      write(
        'shifted.csv',
        `id,number,name\n${Array.from({ length: count }, (_, n) => `a${n},E${n},${name} ${n}\n`).join('')}`,
      );
    await list(30, 'Person');
    await run(connector);
    await list(60, 'Department');
    const held = await run(connector);
    expect((await admin('GET', `sync-jobs/${held.job_id}/plan?limit=1`)).body.reasons).toMatchObject([
      { rule: 'created', count: 30, of: 30, examples: ['a30', 'a31', 'a32', 'a33', 'a34'] },
      { rule: 'changed', field: 'display_name', count: 30, of: 30, examples: ['a0', 'a1', 'a2', 'a3', 'a4'] },
    ]);
    expect(await people()).toBe(30);
    await decide(held.job_id, 'release', { reason: 'it is right' });
    expect(await job(held.job_id, 'completed')).toMatchObject({ decision: { action: 'released' } });
    expect(await people()).toBe(60);
    const { body } = await tenant.client.get('/v1/users?limit=1');
    expect(body.data[0].display_name).toBe('Department 0');
  });

  it('matches an HR file with an LDAP file, opens cases for names, and reverts the link of a case', async () => {
    for (const { config } of [midpointHr, midpointLdap])
      await copyFile(fileURLToPath(new URL(`data/${config.path}`, import.meta.url)), join(folder, config.path));
    for (const body of [midpointLdap, midpointHr]) {
      expect(await sync(tenant, await createConnector(tenant, body))).toMatchObject({ status: 'completed' });
    }
    /** The uids of the accounts of each person, by the person's external id. */
    const accounts = async (): Promise<Record<string, string[]>> => {
      const { body } = await tenant.client.get('/v1/identities?limit=200');
      return Object.fromEntries(
        body.data.map((each: Body) => [
          each.users[0]?.external_id,
          each.accounts.map(({ identifier }: Body) => identifier),
        ]),
      );
    };
    const firstImport = { 1: ['jsmith1'], 2: ['jsmith2'], 3: [], 4: [], 5: [], 6: [] };
    expect(await accounts()).toEqual(firstImport);

    // Matching starts after the end of a job.
    const cases = await until(async () => {
      const { body } = await admin('GET', 'cases');
      return body.data.length === 2 && body.data;
    }, 'two cases');
    const shown = cases.map((each: Body) => [
      each.record.document.identifier,
      each.kind,
      each.candidates.map((candidate: Body) => `${candidate.display_name} ${candidate.score}`),
    ]);
    expect(shown.sort()).toEqual([
      ['agreen3', 'weak', ['Alice Green 1']],
      ['rblack', 'weak', ['Robert Black 1', 'Robert Black 1']],
    ]);

    const black = cases.find((each: Body) => each.record.document.identifier === 'rblack');
    const insider = await tenant.client.get(`/v1/identities/${black.candidates[0].identity_id}`);
    const resolved = await admin('POST', `cases/${black.id}/resolve`, {
      resolution: 'link',
      identity_id: insider.body.id,
      reason: 'only insiders know it',
    });
    expect(resolved).toMatchObject({ status: 200, body: { type: 'case.resolve', status: 'done' } });
    expect(await accounts()).toEqual({ ...firstImport, [insider.body.users[0].external_id]: ['rblack'] });
    expect((await admin('GET', `cases/${black.id}`)).body).toMatchObject({ status: 'linked' });

    const path = `operations/${resolved.body.operation_id}/revert`;
    expect(await admin('POST', path)).toMatchObject({ status: 200, body: { status: 'done' } });
    expect(await accounts()).toEqual(firstImport);
    expect(await admin('POST', path)).toMatchObject({
      status: 400,
      body: { error: 'the operation has already been reverted' },
    });
  });

  it('previews and undoes a job by the CLI', async () => {
    const listed = 'number,first,last\n1,John,Smith\n2,Alice,Green\n';
    await write('undone.csv', listed);
    const connector = await createConnector(tenant, {
      type: 'csv',
      name: 'HR',
      config: { path: 'undone.csv', external_id: 'number', fields: { first_name: 'first', last_name: 'last' } },
    });
    expect(await sync(tenant, connector)).toMatchObject({ status: 'completed' });
    await write('undone.csv', listed.replace('Alice', 'Alicia'));
    const { job_id: id } = await sync(tenant, connector);
    const preview = await idsync('jobs', 'undo', id, '--preview');
    expect(preview.out).toMatch(/records_restored +1\n/);
    expect(await idsync('jobs', 'undo', id)).toMatchObject({ code: 1, err: expect.stringContaining('--yes') });
    const undone = await reply('jobs', 'undo', id, '--yes', '--reason', 'wrong file');
    expect(undone.result).toMatchObject({ records_restored: 1, records_removed: 0 });
    const { body } = await tenant.client.get('/v1/users');
    expect(body.data.map(({ first_name }: Body) => first_name)).toEqual(['John', 'Alice']);
  });

  it('applies the configuration of a tenant from a file once, and its export to another tenant', async () => {
    await write('tenant.yaml', configuration);
    expect((await idsync('diff', '-f', 'tenant.yaml')).code).toBe(1);
    const applied = await idsync('apply', '-f', 'tenant.yaml', '--yes');
    expect(applied).toMatchObject({ code: 0, out: expect.stringContaining('create') });
    const again = await idsync('apply', '-f', 'tenant.yaml', '--yes', '--prune');
    expect(again).toMatchObject({ code: 0, err: '0 create, 0 update, 0 delete, 6 unchanged\n' });
    expect(await idsync('diff', '-f', 'tenant.yaml', '--prune')).toMatchObject({ code: 0 });
    await write('exported.yaml', (await idsync('export')).out);
    expect(await idsync('diff', '-f', 'exported.yaml', '--prune')).toMatchObject({ code: 0 });
    tenant = await createTenant(operator, 'Second');
    expect((await idsync('apply', '-f', 'exported.yaml', '--yes')).code).toBe(0);
    expect((await idsync('export')).out).toBe(await readFile(join(folder, 'exported.yaml'), 'utf8'));
  });

  it('shows dead deliveries in the CLI, requeues them after the receiver recovered, and sends one again', async () => {
    const subscription = { callback_url: receiver.url, events: ['sync.*'] };
    const { body: webhook } = await tenant.client.post('/v1/webhooks', subscription);
    const received = async (count: number) => {
      await until(() => receiver.received.length >= count, `${count} requests`);
      return receiver.received;
    };
    receiver.answer = (_, response) => response.writeHead(500).end('out of disk');
    await reply('webhooks', 'test', webhook.id, '--message', 'one');
    for (const message of ['two', 'three']) await admin('POST', `webhooks/${webhook.id}/test`, { message });
    await received(3);
    // The retry schedule takes days, so the test marks the deliveries as dead.
    await until(async () => {
      const rows = await fixture.rows(
        `update webhook_deliveries set status = 'dead', ended_at = now()
            where webhook_id = $1 and lease_until is null and (select count(*) from webhook_deliveries where webhook_id = $1 and tries > 0 and lease_until is null) = 3
           returning id`,
        [decodeId('webhook', webhook.id)],
      );
      return rows.length === 3;
    }, 'three ended attempts');
    const dead = await idsync('deliveries', 'list', '--status', 'dead');
    expect(dead.out.match(/webhook\.test +\S+ +dead +\d+ +rejected 500\n/g)).toHaveLength(3);
    const [first] = (await reply('deliveries', 'list', '--status', 'dead')).data;
    expect((await idsync('deliveries', 'show', first.id)).out).toMatch(/last response:\nout of disk\n$/);
    expect((await idsync('webhooks', 'list')).out).toMatch(/ yes +0 +3 +\S+ +\d+ +-\n/);

    receiver.status(204);
    const before = receiver.received.length;
    const watched = await idsync('webhooks', 'requeue', webhook.id, '--by', 'eve', '--watch');
    expect(watched).toMatchObject({ code: 0, err: expect.stringContaining('done 100 %') });
    expect(watched.out).toMatch(/requested_by +eve\n[\s\S]*made_due +3\n/);
    await received(before + 3);
    const delivered = async () => (await admin('GET', 'deliveries?status=delivered')).body.data.length;
    await until(async () => (await delivered()) === 3, 'three delivered deliveries');
    expect(new Set(receiver.ids()).size).toBe(3);
    expect(await reply('webhooks', 'show', webhook.id)).toMatchObject({
      dead: { count: 0, exact: true },
      pending: { count: 0, exact: true },
      breaker: { state: 'closed' },
      failures: 0,
      statistics: { outcomes: { delivered: 3, rejected: expect.any(Number) } },
    });

    await reply('deliveries', 'resend', first.id, '--watch');
    const again = await received(before + 4);
    expect(again.at(-1)?.headers['webhook-id']).toBe(first.event_id);
    const replays = await idsync('replays', 'list');
    expect(replays.out).toMatch(/resend +whk_\w+ +done +100 +1 +operator[\s\S]*requeue +whk_\w+ +done +100 +3 +eve/);
  });

  it('shows a subscriber, by its key alone, why a delivery failed, and sends it again after the correction', async () => {
    const clientOf = async ({ id }: Tenant) => {
      const body = { name: 'subscriber', scopes: ['webhooks:read', 'webhooks:write', 'events:read'] };
      const { key } = (await operator.post(`/admin/v1/tenants/${id}/api-keys`, body)).body;
      return new IdsyncClient({ baseUrl: services.url, apiKey: key });
    };
    const { webhooks } = await clientOf(tenant);
    const { webhooks: foreign } = await clientOf(await createTenant(operator, 'Stranger'));
    receiver.answer = (request, response) =>
      request.path === '/hook'
        ? response.writeHead(204).end()
        : response.writeHead(410, { 'x-reason': 'moved' }).end('the hook moved to /hook');
    const webhook = await webhooks.create({
      callback_url: new URL('/old', receiver.url).href,
      events: ['identity.*'],
    });
    const { public_key: publicKey } = await webhooks.createSigningKey(webhook.id);
    const { event_id } = await webhooks.test(webhook.id, { message: 'is it there?' });

    const broken = await until(async () => {
      const shown = await webhooks.get(webhook.id);
      return !shown.active && shown;
    }, 'an inactive webhook');
    expect(broken.inactive).toEqual({
      by: 'service',
      at: expect.any(String),
      reason: 'the receiver answered 410 Gone',
    });
    expect(broken.last_error).toMatchObject({ outcome: 'rejected', status_code: 410 });

    const deliveryId = broken.last_error?.delivery_id ?? '';
    const delivery = await webhooks.delivery(webhook.id, deliveryId);
    const [attempt] = delivery.attempts;
    expect(attempt).toMatchObject({
      status_code: 410,
      response_headers: { 'x-reason': 'moved' },
      response_body: 'the hook moved to /hook',
      duration_ms: expect.any(Number),
    });
    expect(attempt?.request?.url).toBe(webhook.callback_url);
    // The stored request is the one that was sent, to the byte: its signature is valid.
    const { body = '' } = delivery;
    const verified = new Webhook(webhook.signing_secret).verify(body, attempt?.request?.headers ?? {});
    expect(verified).toMatchObject({ id: event_id, data: { message: 'is it there?' } });
    expect(verifyWebhook({ body, headers: attempt?.request?.headers ?? {}, publicKey }).id).toBe(event_id);
    expect(body).toBe(receiver.received[0]?.body);
    expect(receiver.received[0]?.headers).toMatchObject(attempt?.request?.headers ?? {});

    await expect(webhooks.resend(webhook.id, deliveryId)).rejects.toThrow('the webhook is inactive');
    await webhooks.update(webhook.id, { callback_url: new URL('/hook', receiver.url).href, active: true });
    const replay = await webhooks.resend(webhook.id, deliveryId);
    const replayed = async () => (await webhooks.replay(webhook.id, replay.replay_id)).status === 'done';
    await until(replayed, 'the end of the replay');
    const mended = await until(async () => {
      const shown = await webhooks.delivery(webhook.id, deliveryId);
      return shown.status === 'delivered' && shown;
    }, 'a delivered delivery');
    expect(mended.attempts.map(({ status_code }) => status_code)).toEqual([410, 204]);
    expect(receiver.received.at(-1)?.headers['webhook-id']).toBe(event_id);
    const healthy = await webhooks.get(webhook.id);
    expect(healthy).toMatchObject({ active: true, failures: 0 });
    expect(healthy).not.toHaveProperty('inactive');
    const listed = [];
    for await (const { id } of webhooks.deliveries(webhook.id, { status: 'delivered' })) listed.push(id);
    expect(listed).toEqual([deliveryId]);
    for (const request of [
      () => foreign.get(webhook.id),
      () => foreign.delivery(webhook.id, deliveryId),
      () => foreign.resend(webhook.id, deliveryId),
    ]) {
      await expect(request()).rejects.toMatchObject({ name: IdsyncError.name, status: 404 });
    }
  });
});

const configuration = `version: 1
settings:
  time_zone: Europe/Berlin
  grace_days: 60
  log_reads: true
  connector_time_zones:
    - {connector: HR, time_zone: Europe/Paris}
  connector_employments:
    - {connector: HR, employments: true}
connectors:
  - name: HR
    type: csv
    priority: 10
    config: {path: hr.csv, external_id: ident, fields: {email: email}}
    schedule: {every: 1h}
  - name: IdP
    type: scim-push
    config: {}
    safeguard: {max_deleted_percent: 5}
attribute_priorities:
  - {field: "*", connector: IdP, priority: 5}
  - {field: email, connector: HR, priority: 1}
matching_rules:
  certain: [employee_number, email]
  weak: []
webhooks:
  - callback_url: https://receiver.example.com
    events: [user.*]
    filter: {field: data.status, equals: active}
`;
