import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { type EventType, eventBody, eventTypes } from '@idsync/contracts';
import { createTestDatabase, DirectoryFixture, type TestDatabase, until } from '@idsync/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Answer, Client, createConnector, createTenant, sync, type Tenant } from './support/client.js';
import { Services } from './support/services.js';

interface Body {
  id: string;
  type: EventType;
  sequence: number;
  data: Record<string, unknown>;
}

describe('the events that webhooks receive', () => {
  let database: TestDatabase;
  let admin: DirectoryFixture;
  let sources: string;
  let services: Services;
  let tenant: Tenant;
  let receiver: Server;
  let webhook: string;
  const received = new Map<number, { id: string; body: Body }>();
  const sentToGone: EventType[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
    admin = DirectoryFixture.connect(database.url);
    sources = await mkdtemp(join(tmpdir(), 'idsync-events-'));
    services = await Services.start({ databaseUrl: database.url, sourcesDir: sources, allowedCidrs: '127.0.0.0/8' });
    tenant = await createTenant(Client.operator(services.url, services.adminToken), 'Webhooks');
    receiver = createServer(async (request, response) => {
      const body = (await json(request)) as Body;
      if (request.url === '/gone') {
        sentToGone.push(body.type);
        response.writeHead(410).end();
        return;
      }
      received.set(body.sequence, { id: String(request.headers['webhook-id']), body });
      response.writeHead(204).end();
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    webhook = await subscribe('/', ['*']);
  });

  afterAll(async () => {
    await services?.stop();
    receiver?.closeAllConnections();
    receiver?.close();
    await admin?.close();
    await database?.drop();
    if (sources) await rm(sources, { recursive: true });
  });

  const list = (name: string, lines: string) => writeFile(join(sources, name), lines);
  const connector = (name: string, records: string, fields: Record<string, string>) =>
    createConnector(tenant, {
      type: 'csv',
      name,
      records,
      priority: records === 'user' ? 10 : 20,
      config: { path: `${name}.csv`, external_id: 'id', fields: { display_name: 'name', status: 'status', ...fields } },
    });

  /** Creates a webhook that calls this path of the receiver. Returns its id. */
  async function subscribe(path: string, events: string[]): Promise<string> {
    const { port } = receiver.address() as AddressInfo;
    const callback_url = `http://127.0.0.1:${port}${path}`;
    const { status, body } = await tenant.client.post('/v1/webhooks', { callback_url, events });
    expect(status).toBe(201);
    return body.id;
  }

  async function operate(path: string, body: object = {}): Promise<Answer['body']> {
    const answer = await tenant.operator.post(`/admin/v1/tenants/${tenant.id}/${path}`, body);
    expect(answer).toMatchObject({ status: 200, body: { status: 'done' } });
    return answer.body;
  }

  const identity = async (name: string): Promise<Answer['body']> => {
    const { body } = await tenant.client.get('/v1/identities?limit=200');
    return body.data.find((each: Answer['body']) => each.display_name === name);
  };

  /** Polls the operator API until the condition holds. */
  const untilIn = (path: string, holds: (body: Answer['body']) => boolean): Promise<Answer['body']> =>
    until(async () => {
      const { body } = await tenant.operator.get(`/admin/v1/tenants/${tenant.id}/${path}`);
      return holds(body) && body;
    }, `${path}: ${holds}`);

  /** Pushes a group with a member, and another name of it when the group is known. */
  async function renameGroup(): Promise<void> {
    const pushed = await createConnector(tenant, { type: 'scim-push', name: 'pushed', config: {} });
    const path = `/admin/v1/tenants/${tenant.id}/connectors/${pushed}/tokens`;
    const { body: token } = await tenant.operator.post(path, { name: 'push' });
    const provider = new Client(`${services.url}${token.path}`, { authorization: `Bearer ${token.token}` });
    const core = 'urn:ietf:params:scim:schemas:core:2.0';
    const { body: eve } = await provider.post('/Users', {
      schemas: [`${core}:User`],
      userName: 'eve',
      displayName: 'Eve',
    });
    const staff = { schemas: [`${core}:Group`], displayName: 'Staff', members: [{ value: eve.id }] };
    const { body: group } = await provider.post('/Groups', staff);
    const named = (name: string) =>
      until(async () => {
        const { body } = await tenant.client.get(`/v1/groups?source=${pushed}`);
        return body.data[0]?.name === name && (body.data[0] as Answer['body']);
      }, `the group ${name}`);
    const before = await named('Staff');
    expect(before).toMatchObject({ external_id: group.id, members_total: 1 });
    await provider.call('PUT', `/Groups/${group.id}`, { ...staff, displayName: 'Crew' });
    expect((await named('Crew')).id).toBe(before.id);
  }

  const allDelivered = () =>
    until(async () => {
      const [events] = await admin.rows<{ last: number }>('select last::int from event_sequences');
      return received.size === events?.last;
    }, 'the delivery of all events');

  it('match the catalogue for every event type', async () => {
    const hr = await connector('hr', 'user', {
      email: 'mail',
      job_title: 'title',
      hire_date: 'hired',
      groups: 'title',
    });
    const ad = await connector('ad', 'account', { email: 'mail', job_title: 'title' });
    const bots = await connector('bots', 'machine_identity', { owned_by: 'owner', technical_inheritor: 'heir' });
    const people = 'id,name,mail,title,hired,status\n';
    const logins = 'id,name,mail,title,status\n';
    const machines = 'id,name,owner,heir,status\n';

    await list(
      'hr.csv',
      `${people}1,Ann,a@x.org,Dev,2020-02-03,\n2,Bob,b@x.org,,,\n3,Carl Black,c@x.org,,,\n4,Dan,d@x.org,,,\n`,
    );
    await list('ad.csv', `${logins}ann,Ann,a@x.org,Dev,\nbob,Bob,b@x.org,,\ncarl,Carl Black,,,\nnobody,No One,,,\n`);
    await list('bots.csv', `${machines}build,Build,a@x.org,b@x.org,\nnight,Night,d@x.org,,\nlone,Lone,,,\n`);
    for (const each of [hr, ad, bots]) expect(await sync(tenant, each)).toMatchObject({ status: 'completed' });

    const lone = 'findings?kind=machine_without_owner';
    await untilIn(lone, ({ data }) => data[0]?.state === 'open');

    // One account may be Carl's: the operator links it and reverts that.
    const { data: cases } = await untilIn('cases', ({ data }) => data.length > 0);
    const linked = await operate(`cases/${cases[0].id}/resolve`, {
      resolution: 'link',
      identity_id: cases[0].candidates[0].identity_id,
    });
    await operate(`operations/${linked.operation_id}/revert`);

    await list(
      'hr.csv',
      `${people}1,Ann,a@x.org,Dev,2020-02-03,inactive\n2,Bob,b@x.org,Lead,,\n4,Dan,d@x.org,,,suspended\n`,
    );
    await list('ad.csv', `${logins}ann,Ann,a@x.org,Dev,disabled\nbob,Bob,b@x.org,Lead,\ncarl,Carl Black,,,\n`);
    await list('bots.csv', `${machines}build,Builder,a@x.org,b@x.org,\nnight,Night,d@x.org,,\n`);
    for (const each of [hr, ad, bots]) expect(await sync(tenant, each)).toMatchObject({ status: 'completed' });

    await list('hr.csv', `${people}1,Ann,a@x.org,Dev,2020-02-03,\n2,Bob,b@x.org,Dev,,\n4,Dan,d@x.org,,,\n`);
    await list('bots.csv', `${machines}build,Builder,a@x.org,b@x.org,\n`);
    for (const each of [hr, bots]) expect(await sync(tenant, each)).toMatchObject({ status: 'completed' });

    await untilIn(lone, ({ data }) => data[0]?.state === 'resolved');

    const [ann, bob, dan] = [await identity('Ann'), await identity('Bob'), await identity('Dan')];
    await operate(`identities/${ann.id}/merge`, { from_ids: [bob.id] });
    await operate(`identities/${ann.id}/split`, { record_ids: [bob.users[0].id], reason: 'they are two' });
    await operate(`identities/${dan.id}/erase`);

    await renameGroup();
    expect(await sync(tenant, await connector('missing', 'user', {}))).toMatchObject({ status: 'failed' });
    await list('hr.csv', people);
    const { job_id: held } = (await tenant.client.post('/v1/sync/trigger', { connector_id: hr })).body;
    await untilIn(`sync-jobs/${held}`, ({ status }) => status === 'quarantined');
    const gone = await subscribe('/gone', ['sync.job.cancelled', 'webhook.*']);
    await tenant.operator.post(`/admin/v1/tenants/${tenant.id}/sync-jobs/${held}/cancel`, { reason: 'wrong file' });
    await untilIn(`sync-jobs/${held}`, ({ status }) => status === 'cancelled');
    await untilIn(`webhooks/${gone}`, ({ active }) => !active);

    const tested = await tenant.operator.post(`/admin/v1/tenants/${tenant.id}/webhooks/${webhook}/test`, {});
    expect(tested.status).toBe(202);

    await allDelivered();
    const delivered = [...received.values()].sort((a, b) => a.body.sequence - b.body.sequence);
    expect(delivered.map(({ body }) => body.sequence)).toEqual(delivered.map((_, at) => at + 1));
    const strangers = delivered.flatMap(({ id, body }) => {
      const { error } = eventBody(body.type).safeParse(body);
      return error || id !== body.id ? [{ body, issues: error?.issues }] : [];
    });
    expect(strangers).toEqual([]);
    const kinds = new Set(delivered.map(({ body }) => body.type));
    expect(eventTypes.filter((type) => !kinds.has(type))).toEqual([]);
    expect(delivered.filter(({ body }) => body.type === 'webhook.disabled').map(({ body }) => body.data)).toEqual([
      { webhook_id: gone, reason: 'gone', changed: [] },
    ]);
    expect(sentToGone).toEqual(['sync.job.cancelled']);
    const added = (type: EventType, field: string) =>
      delivered.some(({ body }) => body.type === type && field in body.data);
    expect(added('identity.deleted', 'erased')).toBe(true);
    expect(added('machine_identity.owner_changed', 'handed_over')).toBe(true);
    expect(added('account.unlinked', 'person_id')).toBe(false);
  });
});
