import { routes, scopes } from '@idsync/contracts';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { CheckedClient } from '../support/checked-client.js';
import { Client } from '../support/client.js';
import type { SpecDirectory } from '../support/spec-directory.js';

const keyed = routes.filter((route) => route.auth === 'key');
const unknownIdentity = 'idn_01h00000000000000000000000';
const webhookBody = { callback_url: 'https://example.com/hook', events: ['*'] };

/** Has keys and a job added to a filled directory, and a webhook to each of its tenants. */
export function walkAccess(given: () => SpecDirectory): void {
  let directory: SpecDirectory;
  let first: CheckedClient;
  let second: CheckedClient;

  beforeAll(() => {
    directory = given();
    first = directory.clientOf(directory.first);
    second = directory.clientOf(directory.second);
  });

  const issue = async (body: object) => {
    const answer = await directory.operator.post(`/admin/v1/tenants/${directory.first.id}/api-keys`, body);
    return answer.body as { id: string; key: string };
  };
  const withKey = (key: string) => new CheckedClient(new Client(directory.services.url, { 'x-api-key': key }));

  async function idsOf(client: CheckedClient, path: string): Promise<string[]> {
    const ids: string[] = [];
    for (const status of ['', '&status=deleted']) {
      for (let cursor: string | undefined = ''; cursor !== undefined; ) {
        const { body } = await client.get(path, { query: `?limit=200&cursor=${cursor}${status}` });
        ids.push(...body.data.map((each: { id: string }) => each.id));
        cursor = body.next_cursor;
      }
    }
    return ids;
  }

  describe('the API key', () => {
    it('is required on every endpoint except the health check', async () => {
      expect(keyed).toHaveLength(32);
      const wrong = ['', 'nonsense', `iss_${'0'.repeat(26)}_${'A'.repeat(43)}`, 'x'.repeat(5000)].map(withKey);
      for (const client of [directory.stranger(), ...wrong]) {
        for (const { method, path } of keyed) await client.call(method, path, 401, { id: unknownIdentity });
      }
    });

    it('is rejected with another secret, truncated, or in capitals', async () => {
      const { key } = await issue({ name: 'right' });
      await withKey(key).get('/v1/users');
      const last = key.endsWith('A') ? 'Q' : 'A';
      for (const text of [key.slice(0, -1) + last, key.slice(0, -1), `${key}A`, key.toUpperCase(), key.slice(4)]) {
        await withKey(text).call('GET', '/v1/users', 401);
      }
    });

    it('is accepted only in the X-API-Key header', async () => {
      const { key } = await issue({ name: 'elsewhere' });
      const bearer = new CheckedClient(new Client(directory.services.url, { authorization: `Bearer ${key}` }));
      await bearer.call('GET', '/v1/users', 401, { query: `?api_key=${key}&x-api-key=${key}` });
      const operatorToken = withKey(directory.services.adminToken);
      await operatorToken.call('GET', '/v1/users', 401);
    });

    it('receives 403 without the required scope and is accepted with it', async () => {
      for (const scope of scopes) {
        const client = withKey((await issue({ name: scope, scopes: [scope] })).key);
        for (const route of keyed.filter((each) => each.scope !== scope)) {
          const { body } = await client.call(route.method, route.path, 403, { id: unknownIdentity });
          expect(body.error).toContain(route.scope);
        }
        for (const route of keyed.filter((each) => each.scope === scope && each.method === 'GET')) {
          await client.call('GET', route.path, route.path.includes('{id}') ? 404 : 200, { id: unknownIdentity });
        }
      }
    });

    it('is rejected by the operator API', async () => {
      const { key } = await issue({ name: 'curious' });
      const client = new Client(directory.services.url, { 'x-api-key': key, authorization: `Bearer ${key}` });
      expect(await client.get('/admin/v1/tenants')).toMatchObject({
        status: 401,
        body: { error: 'missing or invalid operator token' },
      });
    });
  });

  describe('two tenants', () => {
    it.each([
      ['/v1/identities', ['/v1/identities/{id}', '/v1/identities/{id}/history']],
      ['/v1/users', ['/v1/users/{id}']],
    ])('share no resources in %s', async (list, paths) => {
      const mine = await idsOf(first, list);
      const theirs = await idsOf(second, list);
      expect(mine).toHaveLength(205);
      expect(theirs).toHaveLength(2);
      expect(mine.filter((id) => theirs.includes(id))).toEqual([]);
      for (const path of paths) {
        for (const id of mine) await second.call('GET', path, 404, { id });
        for (const id of theirs) await first.call('GET', path, 404, { id });
      }
    });

    it('can neither read the jobs nor trigger the connectors of each other', async () => {
      const triggered = await first.call('POST', '/v1/sync/trigger', 202, {
        body: { connector_id: directory.connectors.people, idempotency_key: 'mine' },
      });
      await second.call('GET', '/v1/sync/jobs/{id}', 404, { id: triggered.body.job_id });
      for (const connector_id of Object.values(directory.connectors)) {
        await second.call('POST', '/v1/sync/trigger', 404, { body: { connector_id } });
        await second.call('POST', '/v1/sync/trigger', 404, { body: { connector_id, idempotency_key: 'mine' } });
      }
    });

    it('can neither read nor change the webhooks of each other', async () => {
      const { body: mine } = await first.call('POST', '/v1/webhooks', 201, { body: webhookBody });
      const { body: theirs } = await second.call('POST', '/v1/webhooks', 201, { body: webhookBody });
      const { id } = mine;
      await second.call('PATCH', '/v1/webhooks/{id}', 404, { id, body: { active: false } });
      await second.call('DELETE', '/v1/webhooks/{id}', 404, { id });
      await second.call('POST', '/v1/webhooks/{id}/rotate-secret', 404, { id });
      const { signing_secret: _mine, ...shown } = mine;
      expect((await first.get('/v1/webhooks')).body).toEqual({ data: [shown], total: 1 });
      const { signing_secret: _theirs, ...shownToThem } = theirs;
      expect((await second.get('/v1/webhooks')).body).toEqual({ data: [shownToThem], total: 1 });
    });

    it('receive only their own resources with a cursor of the other tenant', async () => {
      const { body } = await first.get('/v1/identities', { query: '?limit=1&cursor=' });
      const own = new Set(await idsOf(second, '/v1/identities'));
      const page = await second.get('/v1/identities', { query: `?cursor=${body.next_cursor}` });
      expect(page.body.data.filter((each: { id: string }) => !own.has(each.id))).toEqual([]);
      expect(page.body.total).toBe(2);
    });
  });
}
