import { tmpdir } from 'node:os';
import { type BrokerVhost, createTestDatabase, type TestDatabase, until, vhostIfAny } from '@idsync/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { Receiver } from '../apps/webhook-dispatcher/test/receiver.js';
import { type Answer, Client, createConnector, createTenant, type Tenant } from './support/client.js';
import { Services } from './support/services.js';

const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const core = 'urn:ietf:params:scim:schemas:core:2.0';

interface ReceivedEvent {
  type: string;
  data: Record<string, unknown>;
}

describe('provisioning by an identity provider', () => {
  let database: TestDatabase;
  let vhost: BrokerVhost | undefined;
  let services: Services;
  let receiver: Receiver;
  let tenant: Tenant;
  let secret: string;
  let connector: string;
  let provider: Client;

  beforeAll(async () => {
    database = await createTestDatabase();
    vhost = await vhostIfAny();
    receiver = await Receiver.start();
    services = await Services.start({
      databaseUrl: database.url,
      amqpUrl: vhost?.url,
      sourcesDir: tmpdir(),
      allowedCidrs: '127.0.0.0/8',
    });
  });

  beforeEach(async () => {
    tenant = await createTenant(Client.operator(services.url, services.adminToken), 'Pushed');
    connector = await createConnector(tenant, { type: 'scim-push', name: 'Okta', config: {} });
    const path = `/admin/v1/tenants/${tenant.id}/connectors/${connector}/tokens`;
    const { body } = await tenant.operator.post(path, { name: 'Okta' });
    provider = new Client(`${services.url}${body.path}`, { authorization: `Bearer ${body.token}` });
    receiver.status(204);
    receiver.received.length = 0;
    const webhook = { callback_url: receiver.url, events: ['identity.*', 'lifecycle.rejoiner'] };
    secret = (await tenant.client.post('/v1/webhooks', webhook)).body.signing_secret;
  });

  afterAll(async () => {
    await services?.stop();
    await receiver?.close();
    await vhost?.drop();
    await database?.drop();
  });

  /** Received events with a valid signature, once each. */
  const receivedEvents = (): ReceivedEvent[] => {
    const events = new Map<string, ReceivedEvent>();
    for (const { headers, body } of receiver.received) {
      if (!body.includes(tenant.id)) continue;
      const event = new Webhook(secret).verify(body, headers as Record<string, string>) as ReceivedEvent;
      events.set(String(headers['webhook-id']), event);
    }
    return [...events.values()];
  };
  const waitForEvent = (type: string, what: object = {}) =>
    until(
      () => receivedEvents().find((event) => event.type === type && matches(event.data, what)),
      `the event ${type}`,
    );
  const matches = (data: unknown, what: object) => {
    try {
      expect(data).toMatchObject(what);
      return true;
    } catch {
      return false;
    }
  };
  const person = (what: object) =>
    until(async () => {
      const { body } = await tenant.client.get('/v1/identities?limit=200');
      return body.data.find((each: object) => matches(each, what)) as Answer['body'] | undefined;
    });
  const patch = (path: string, ...Operations: object[]) =>
    provider.call('PATCH', path, { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations });

  it('the way Okta does creates people and emits their events', async () => {
    const found = await provider.get('/Users?filter=userName%20eq%20%22ada%40example.com%22&startIndex=1&count=100');
    expect(found.body).toMatchObject({ totalResults: 0, Resources: [] });
    const { status, body: ada } = await provider.post('/Users', {
      schemas: [`${core}:User`],
      userName: 'ada@example.com',
      name: { givenName: 'Ada', familyName: 'Byron' },
      emails: [{ primary: true, value: 'ada@example.com', type: 'work' }],
      displayName: 'Ada Byron',
      locale: 'en-US',
      externalId: '00ujl29u0le5T6Aj10h7',
      groups: [],
      password: '1mz050nq',
      active: true,
    });
    expect(status).toBe(201);
    const identity = await person({ display_name: 'Ada Byron', status: 'active' });
    expect(identity.users).toMatchObject([{ external_id: ada.id, email: 'ada@example.com' }]);
    await waitForEvent('identity.created', { id: identity.id });

    const { body: staff } = await provider.post('/Groups', {
      schemas: [`${core}:Group`],
      displayName: 'Staff',
      members: [],
    });
    await patch(`/Groups/${staff.id}`, {
      op: 'add',
      path: 'members',
      value: [{ value: ada.id, display: ada.userName }],
    });
    await person({ users: [{ groups: ['Staff'] }] });
    await patch(`/Groups/${staff.id}`, { op: 'replace', value: { id: staff.id, displayName: 'Everybody' } });
    await person({ users: [{ groups: ['Everybody'] }] });

    await provider.call('PUT', `/Users/${ada.id}`, { ...ada, displayName: 'Ada Lovelace' });
    await person({ id: identity.id, display_name: 'Ada Lovelace' });
    await patch(`/Users/${ada.id}`, { op: 'replace', value: { active: false } });
    await person({ id: identity.id, status: 'inactive' });
    await waitForEvent('identity.status_changed', { id: identity.id });
    await patch(`/Users/${ada.id}`, { op: 'replace', value: { active: true } });
    await person({ id: identity.id, status: 'active' });
  });

  it('the way Entra ID does creates people, and deletes them here when they are deleted there', async () => {
    // Entra ID tests the connection with an id that does not exist.
    const probe = await provider.get('/Users?filter=id%20eq%20%225171a35d-8264-4f3a-b6b4-0a1d2c3e4f50%22');
    expect(probe).toMatchObject({ status: 200, body: { totalResults: 0 } });
    const { body: bob } = await provider.post('/Users', {
      schemas: [`${core}:User`, enterprise],
      externalId: 'bob',
      userName: 'bob@contoso.example',
      active: true,
      displayName: 'Bob Black',
      meta: { resourceType: 'User' },
      name: { formatted: 'Bob Black', familyName: 'Black', givenName: 'Bob' },
      roles: [],
    });
    const identity = await person({ display_name: 'Bob Black' });
    await patch(
      `/Users/${bob.id}`,
      { op: 'Add', path: 'emails[type eq "work"].value', value: 'bob@contoso.example' },
      { op: 'Add', path: `${enterprise}:department`, value: 'Sales' },
      { op: 'Replace', path: 'displayName', value: 'Robert Black' },
      { op: 'Replace', path: 'active', value: 'False' },
    );
    const changed = await person({ display_name: 'Robert Black', status: 'inactive' });
    expect(changed).toMatchObject({
      id: identity.id,
      users: [{ email: 'bob@contoso.example', departments: ['Sales'] }],
    });
    expect((await provider.call('DELETE', `/Users/${bob.id}`)).status).toBe(204);
    await waitForEvent('identity.deleted', { id: identity.id });
    expect((await provider.get(`/Users/${bob.id}`)).status).toBe(404);
    const again = await provider.post('/Users', { schemas: [`${core}:User`], externalId: 'bob', userName: 'robert' });
    expect([again.status, again.body.id]).toEqual([201, bob.id]);
    await person({ id: identity.id, status: 'active', users: [{ user_principal_name: 'robert' }] });
    await waitForEvent('lifecycle.rejoiner', { id: identity.id });
  });

  it('is complete at the end, although services are killed', async () => {
    const names = Array.from({ length: 120 }, (_, index) => `person ${String(index).padStart(3, '0')}`);
    const pushed = new Map<string, string>();
    const push = async (userName: string) => {
      // Like an identity provider, looks for an unacknowledged user and sends it again.
      const id = await until(async () => {
        const filter = encodeURIComponent(`userName eq "${userName}"`);
        const there = await provider.get(`/Users?filter=${filter}`).catch(() => undefined);
        const known = there?.body?.Resources?.[0]?.id as string | undefined;
        if (known !== undefined) return known;
        const body = { schemas: [`${core}:User`], userName, displayName: userName };
        const made = await provider.post('/Users', body).catch(() => undefined);
        return made?.status === 201 && (made.body.id as string);
      });
      pushed.set(userName, id);
    };
    for (const [index, name] of names.entries()) {
      if (index === 30) await services.kill('sync-worker');
      if (index === 60) await services.kill('gateway');
      if (index === 61) services.launch('sync-worker');
      const done = push(name);
      if (index === 60) services.launch('gateway');
      await done;
    }
    const inDirectory = await until(async () => {
      const { body } = await tenant.client.get('/v1/identities?limit=200');
      return body.total === names.length && body.data;
    });
    const byName = new Map(
      inDirectory.map((each: { display_name: string; users: { external_id: string }[] }) => [
        each.display_name,
        each.users.map(({ external_id }) => external_id),
      ]),
    );
    expect(byName).toEqual(new Map([...pushed].map(([name, id]) => [name, [id]])));
  });

  it('by eight clients at once stores every answered push, although the gateway is killed', async () => {
    const names = Array.from({ length: 240 }, (_, index) => `person ${index}`);
    const acknowledged = new Map<string, string>();
    const rest = [...names];
    let kills = 0;
    const push = async (userName: string) => {
      const made = await provider.post('/Users', { schemas: [`${core}:User`], userName }).catch(() => undefined);
      if (made?.status === 201) acknowledged.set(userName, made.body.id);
    };
    const client = async () => {
      for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
        await push(name);
        if (acknowledged.size < 60 * (kills + 1) || kills === 2) continue;
        kills += 1;
        await services.kill('gateway');
        services.launch('gateway');
      }
    };
    await Promise.all(Array.from({ length: 8 }, client));
    expect(kills).toBeGreaterThan(0);
    const stored = await until(async () => {
      const pages = [1, 201].map((startIndex) => provider.get(`/Users?count=200&startIndex=${startIndex}`));
      const answers = await Promise.all(pages).catch(() => []);
      if (answers.length === 0 || answers.some(({ status }) => status !== 200)) return undefined;
      const found = answers.flatMap(({ body }) => body.Resources as { id: string; userName: string }[]);
      return new Map(found.map(({ id, userName }) => [userName, id]));
    });
    for (const [name, id] of acknowledged) expect([name, stored.get(name)]).toEqual([name, id]);
    for (const name of names) if (!stored.has(name)) await push(name);
    await until(async () => (await tenant.client.get('/v1/identities?limit=1')).body.total === names.length);
  });
});
