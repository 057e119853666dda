import { beforeAll, describe, expect, it } from '@jest/globals';
import type { CheckedClient } from '../support/checked-client.js';
import type { SpecDirectory } from '../support/spec-directory.js';
import { peopleCount } from '../support/spec-sources.js';
import { fieldsOf, specTables } from '../support/spec-tables.js';

interface Item {
  id: string;
  status: string;
  display_name: string;
  created_at: string;
}

const unknownId = (prefix: string) => `${prefix}_01h00000000000000000000000`;
const deletedPerson = `Person ${peopleCount - 1}`;
const listed = peopleCount - 1;

/** Reads a filled directory, and changes nothing. */
export function walkReads(given: () => SpecDirectory): void {
  let directory: SpecDirectory;
  let client: CheckedClient;
  let full: Item;
  let deletedIdentity: Item;

  beforeAll(async () => {
    directory = given();
    client = directory.clientOf(directory.first);
    const { body } = await client.get('/v1/identities', { query: '?limit=200' });
    full = body.data.find((each: Item) => each.display_name === 'Person 0');
    deletedIdentity = (await client.get('/v1/identities', { query: '?status=deleted' })).body.data[0];
  });

  describe('GET /v1/health', () => {
    it('responds without an API key', async () => {
      const { body } = await directory.stranger().get('/v1/health');
      expect(body).toEqual({ status: 'ok' });
    });
  });

  describe('GET /v1/identities/{id}', () => {
    it('returns every field of the specification, including nested arrays', async () => {
      const { body } = await client.get('/v1/identities/{id}', { id: full.id });
      expect(fieldsOf(body)).toEqual(specTables.Identity);
      expect(body.attributes.length).toBeGreaterThan(0);
      for (const attribute of body.attributes) {
        expect(fieldsOf(attribute)).toEqual(specTables.Attribute);
        expect(attribute.identity_id).toBe(full.id);
      }
      expect(body.users.map(fieldsOf)).toEqual([specTables.User]);
      expect(body.accounts.map(fieldsOf)).toEqual([specTables.Account]);
      expect(body.machine_identities.map(fieldsOf)).toEqual([specTables.MachineIdentity]);
      expect(body).toMatchObject({
        status: 'active',
        users: [
          {
            external_id: '1000',
            tenant_id: directory.first.id,
            hire_date: '2020-02-03T00:00:00.000Z',
            roles: ['admin', 'auditor'],
            groups: ['staff', 'vpn'],
            departments: ['Research'],
          },
        ],
        accounts: [{ identifier: 'person0', person_id: full.id, source_system_id: 'crm' }],
        machine_identities: [
          {
            classification: 'ci_cd',
            status: 'active',
            owned_by: 'person0',
            risk_score: 42,
            risk_factors: ['stated_by_source'],
          },
        ],
      });
    });

    it('returns every nested array even if empty', async () => {
      const { body } = await directory.clientOf(directory.second).get('/v1/identities');
      for (const each of body.data) {
        expect(each).toMatchObject({ attributes: expect.any(Array), accounts: [], machine_identities: [] });
        expect(each.users[0]).toMatchObject({ roles: [], groups: [], departments: [] });
      }
    });

    it('returns a deleted identity', async () => {
      const { body } = await client.get('/v1/identities/{id}', { id: deletedIdentity.id });
      expect(body).toMatchObject({ id: deletedIdentity.id, display_name: deletedPerson, status: 'deleted' });
    });

    it.each(['nonsense', unknownId('idn'), unknownId('usr'), 'idn_', '%00', 'x'.repeat(300), '%2e%2e', 'idn_é'])(
      'returns 404 for %s',
      async (id) => {
        await client.call('GET', '/v1/identities/{id}', 404, { id });
        await client.call('GET', '/v1/identities/{id}/history', 404, { id });
        await client.call('GET', '/v1/users/{id}', 404, { id });
        await client.call('GET', '/v1/sync/jobs/{id}', 404, { id });
        await client.call('PATCH', '/v1/webhooks/{id}', 404, { id, body: { active: true } });
        await client.call('DELETE', '/v1/webhooks/{id}', 404, { id });
        await client.call('POST', '/v1/webhooks/{id}/rotate-secret', 404, { id });
      },
    );
  });

  describe.each(['/v1/identities', '/v1/users'])('GET %s', (path) => {
    const statuses = { suspended: 1, inactive: 1, pending: 1, deleted: 1, active: peopleCount - 4 };

    it('returns an envelope of data, total, limit and offset, with the defaults 50 and 0', async () => {
      const { body } = await client.get(path);
      expect(fieldsOf(body)).toEqual(specTables.Page);
      expect(body).toMatchObject({ total: listed, limit: 50, offset: 0 });
      expect(body.data).toHaveLength(50);
      const item = path === '/v1/users' ? specTables.User : specTables.Identity;
      for (const each of body.data) expect(fieldsOf(each)).toEqual(item);
    });

    it('returns the same objects as the request for a single one', async () => {
      const { body } = await client.get(path, { query: '?limit=5' });
      for (const item of body.data) expect((await client.get(`${path}/{id}`, { id: item.id })).body).toEqual(item);
    });

    it('caps limit at 200 and skips offset items', async () => {
      const { body } = await client.get(path, { query: '?limit=1000' });
      expect(body).toMatchObject({ limit: 200, offset: 0, total: listed });
      expect(body.data).toHaveLength(200);
      const { body: rest } = await client.get(path, { query: `?limit=200&offset=${listed - 3}` });
      expect(rest).toMatchObject({ offset: listed - 3, total: listed });
      expect(rest.data).toHaveLength(3);
      const { body: beyond } = await client.get(path, { query: '?offset=100000' });
      expect(beyond).toEqual({ data: [], total: listed, limit: 50, offset: 100_000 });
    });

    it('returns every item once in order of creation, by offset and by cursor', async () => {
      const byOffset: Item[] = [];
      for (let offset = 0; offset < listed; offset += 50) {
        byOffset.push(...(await client.get(path, { query: `?offset=${offset}` })).body.data);
      }
      expect(new Set(byOffset.map((each) => each.id)).size).toBe(listed);
      const positions = byOffset.map((each) => `${each.created_at} ${each.id}`);
      expect(positions).toEqual([...positions].sort());

      const byCursor: Item[] = [];
      for (let cursor: string | undefined = ''; cursor !== undefined; ) {
        const { body } = await client.get(path, { query: `?limit=37&cursor=${cursor}` });
        byCursor.push(...body.data);
        cursor = body.next_cursor;
      }
      expect(byCursor.map((each) => each.id)).toEqual(byOffset.map((each) => each.id));
    });

    it.each(Object.entries(statuses))('filters by status=%s with a total of %i', async (status, count) => {
      const { body } = await client.get(path, { query: `?status=${status}&limit=200` });
      expect(body.total).toBe(count);
      expect(body.data.every((each: Item) => each.status === status)).toBe(true);
      expect(body.data).toHaveLength(Math.min(count, 200));
    });

    it('omits deleted items unless requested', async () => {
      const { body } = await client.get(path, { query: '?limit=200&offset=100' });
      expect(body.data.map((each: Item) => each.display_name)).not.toContain(deletedPerson);
      const { body: deleted } = await client.get(path, { query: '?status=deleted' });
      expect(deleted.data.map((each: Item) => each.display_name)).toEqual([deletedPerson]);
    });

    it('filters and counts by updated_since', async () => {
      const { body: none } = await client.get(path, { query: '?updated_since=2100-01-01T00:00:00Z' });
      expect(none).toEqual({ data: [], total: 0, limit: 50, offset: 0 });
      const { body: all } = await client.get(path, { query: '?updated_since=2000-01-01T00:00:00%2B02:00' });
      expect(all.total).toBe(listed);
    });

    it.each([
      ...['limit=0', 'limit=-1', 'limit=1.5', 'limit=abc', 'limit=', 'limit=1e2', 'limit=5&limit=6', 'limit=%00'],
      ...['offset=-1', 'offset=x', 'offset=', 'offset=99999999999999999999', 'offset=1&offset=2'],
      ...['status=nonsense', 'status=', 'status=ACTIVE', 'status=active&status=deleted', 'status=locked'],
      ...['updated_since=yesterday', 'updated_since=', 'updated_since=2026-02-30T00:00:00Z'],
      ...[
        'cursor=nonsense',
        'cursor=%00',
        `cursor=${'A'.repeat(300)}`,
        'cursor=a&cursor=b',
        'cursor[]=x&cursor[]=y&limit=0',
      ],
    ])('returns 400 for %s', async (query) => {
      const { body } = await client.call('GET', path, 400, { query: `?${query}` });
      expect(body.error).toMatch(/^(limit|offset|status|updated_since|cursor)\b/);
    });
  });

  describe('GET /v1/identities/{id}/history', () => {
    const path = '/v1/identities/{id}/history';

    it('returns the envelope with events of the identity and of its linked records', async () => {
      const { body } = await client.get(path, { id: full.id });
      expect(fieldsOf(body)).toEqual(specTables.Page);
      expect(body).toMatchObject({ limit: 50, offset: 0, total: body.data.length });
      for (const event of body.data) expect(fieldsOf(event)).toEqual(specTables.LifecycleEvent);
      const types = body.data.map((event: { event_type: string }) => event.event_type);
      expect(types).toEqual(
        expect.arrayContaining(['identity.created', 'user.created', 'account.created', 'machine_identity.created']),
      );
      const times = body.data.map((event: { occurred_at: string }) => event.occurred_at);
      expect(times).toEqual([...times].sort());
    });

    it('returns the changes of a deletion', async () => {
      const { body } = await client.get(path, { id: deletedIdentity.id });
      const types = body.data.map((event: { event_type: string }) => event.event_type);
      expect(types).toEqual(expect.arrayContaining(['user.deleted', 'identity.deleted']));
      const deleted = body.data.find((event: { event_type: string }) => event.event_type === 'identity.deleted');
      expect(deleted.details).toMatchObject({
        job_id: directory.peopleJob,
        changes: expect.arrayContaining([expect.objectContaining({ field: 'status', from: 'active', to: 'deleted' })]),
      });
    });

    it('pages by limit and offset, and by cursor', async () => {
      const { body: all } = await client.get(path, { id: full.id });
      const { body: second } = await client.get(path, { id: full.id, query: '?limit=1&offset=1' });
      expect(second).toEqual({ data: [all.data[1]], total: all.total, limit: 1, offset: 1 });
      expect((await client.get(path, { id: full.id, query: '?limit=999' })).body.limit).toBe(200);
      const walked: unknown[] = [];
      for (let cursor: string | undefined = ''; cursor !== undefined; ) {
        const { body } = await client.get(path, { id: full.id, query: `?limit=1&cursor=${cursor}` });
        walked.push(...body.data);
        cursor = body.next_cursor;
      }
      expect(walked).toEqual(all.data);
    });

    it.each(['limit=0', 'limit=x', 'offset=-1', 'cursor=nonsense'])('returns 400 for %s', async (query) => {
      await client.call('GET', path, 400, { id: full.id, query: `?${query}` });
    });
  });

  describe('GET /v1/events', () => {
    const event = {
      id: 'string',
      type: 'string',
      timestamp: 'string',
      tenant_id: 'string',
      sequence: 'integer',
      data: 'object',
    };

    it('returns all events of the tenant in pages, without gaps in the sequence', async () => {
      const seen: { sequence: number; type: string; tenant_id: string }[] = [];
      for (let after = 0, more = true; more; ) {
        const { body } = await client.get('/v1/events', { query: `?after=${after}&limit=200` });
        expect(fieldsOf(body)).toEqual({
          data: 'list',
          next_after: 'integer',
          has_more: 'boolean',
          limit: 'integer',
        });
        seen.push(...body.data);
        [after, more] = [body.next_after, body.has_more];
      }
      for (const each of seen) expect(fieldsOf(each)).toEqual(event);
      expect(seen.map(({ sequence }) => sequence)).toEqual(seen.map((_, index) => index + 1));
      expect(new Set(seen.map(({ tenant_id }) => tenant_id))).toEqual(new Set([directory.first.id]));
      const types = new Set(seen.map(({ type }) => type));
      expect([...types]).toEqual(expect.arrayContaining(['identity.created', 'user.deleted', 'sync.job.completed']));
    });

    it('contains the subject of an event as the API returns it for the time of the event', async () => {
      const { body } = await client.get('/v1/events', { query: '?types=identity.created&limit=200' });
      const found = body.data.find((each: { data: Item }) => each.data.id === full.id);
      const query = `?at=${found.timestamp}`;
      const { body: identity } = await client.get('/v1/identities/{id}', { id: full.id, query });
      expect(found.data).toEqual({ ...identity, job_id: expect.stringMatching(/^job_/), changed: expect.any(Array) });
    });

    it.each(['after=-1', 'after=x', 'limit=0', 'limit=x', 'types=', 'types=identity*'])(
      'returns 400 for %s',
      async (query) => {
        await client.call('GET', '/v1/events', 400, { query: `?${query}` });
      },
    );
  });

  describe('GET /admin/v1/tenants/{id}/machine-identities/{id}', () => {
    const path = (tenant: string, id: string) => `/admin/v1/tenants/${tenant}/machine-identities/${id}`;

    it('returns the people of a machine identity and the factors of its risk score', async () => {
      const { body: person } = await client.get('/v1/identities/{id}', { id: full.id });
      const { id } = person.machine_identities[0];
      const { status, body } = await directory.operator.get(path(directory.first.id, id));
      expect(status).toBe(200);
      expect(body).toEqual({
        id,
        identity_id: full.id,
        connector_id: directory.connectors.machines,
        external_id: 'bot-1',
        display_name: 'Deploy bot',
        status: 'active',
        classification: 'ci_cd',
        handed_over: false,
        people: [
          { role: 'owned_by', named: 'person0', identity_id: full.id, name: full.display_name },
          { role: 'manager_id', named: 'person1' },
          { role: 'technical_inheritor', named: 'person4' },
        ],
        risk_score: 42,
        risk_factors: [{ factor: 'stated_by_source', points: 42 }],
        values: expect.objectContaining({
          display_name: ['Deploy bot'],
          classification: ['ci_cd'],
          owned_by: ['person0'],
        }),
        created_at: expect.any(String),
        updated_at: expect.any(String),
      });
      for (const [tenant, machine] of [
        [directory.second.id, id],
        [directory.first.id, unknownId('mid')],
        [directory.first.id, full.id],
      ]) {
        expect(await directory.operator.get(path(tenant, machine))).toMatchObject({ status: 404 });
      }
    });
  });

  describe('GET /admin/v1/tenants/{id}/accounts/{id}', () => {
    const path = (tenant: string, id: string) => `/admin/v1/tenants/${tenant}/accounts/${id}`;

    it('returns an account with its identity and the values of its source', async () => {
      const { body: person } = await client.get('/v1/identities/{id}', { id: full.id });
      const [account] = person.accounts;
      const { status, body } = await directory.operator.get(path(directory.first.id, account.id));
      expect(status).toBe(200);
      expect(body).toEqual({
        id: account.id,
        identity_id: full.id,
        identity_name: full.display_name,
        connector_id: directory.connectors.accounts,
        external_id: account.external_id,
        identifier: account.identifier,
        display_name: account.display_name,
        status: account.status,
        values: expect.objectContaining({ identifier: [account.identifier] }),
        created_at: expect.any(String),
        updated_at: expect.any(String),
      });
      for (const [tenant, id] of [
        [directory.second.id, account.id],
        [directory.first.id, unknownId('acc')],
        [directory.first.id, full.id],
      ]) {
        expect(await directory.operator.get(path(tenant, id))).toMatchObject({ status: 404 });
      }
    });
  });
}
