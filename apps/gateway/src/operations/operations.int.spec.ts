import { setTimeout } from 'node:timers/promises';
import { decodeId, encodeId, newUuid } from '@idsync/contracts';
import { until } from '@idsync/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { OperatedGateway } from '../../test/operated-gateway.js';

let gateway: OperatedGateway;

beforeAll(async () => {
  gateway = await OperatedGateway.start();
});

afterAll(() => gateway?.close());

describe('a change or preview of rules', () => {
  async function person(tenant: string, connector: string, name: string): Promise<{ identity: string; user: string }> {
    const [identity, user] = [newUuid(), newUuid()];
    await gateway.fixture.rows(
      `insert into identities (id, tenant_id, display_name, status, created_at, updated_at, document)
     values ($1, $2, $3, 'active', now(), now(), '{}')`,
      [identity, tenant, name],
    );
    const [first_name, last_name] = name.split(' ');
    await gateway.fixture.rows(
      `insert into source_records (id, tenant_id, kind, connector_id, external_id, identity_id, status, content_hash, fields,
       changed_at, created_at, updated_at, document, last_job_id, last_seq, status_since)
     values ($1, $2, 'user', $3, $4, $5, 'active', '', $6, '{}', now(), now(), '{}', $3, 0, now())`,
      [user, tenant, connector, name, identity, JSON.stringify({ first_name: [first_name], last_name: [last_name] })],
    );
    return { identity, user };
  }

  async function operation(tenant: string, result: object): Promise<string> {
    const id = newUuid();
    await gateway.fixture.rows(
      `insert into operations (id, tenant_id, type, input, status, result) values ($1, $2, 'rules.change', '{}', 'done', $3)`,
      [id, tenant, JSON.stringify(result)],
    );
    return `/tenants/${encodeId('tenant', tenant)}/operations/${encodeId('operation', id)}`;
  }

  it('names the people that it joins, with both values, as long as they are not erased', async () => {
    const { fixture } = gateway;
    const tenant = await fixture.tenant();
    const hr = await fixture.connector(tenant, {});
    const [ann, anne] = [await person(tenant, hr, 'Ann Lee'), await person(tenant, hr, 'Anne Lee')];
    const path = await operation(tenant, {
      joined: [
        {
          kind: 'fuzzy',
          rule: 'similar name or same phone',
          other: ann.user,
          score: 0.63,
          fields: ['full_name'],
          record: { id: anne.user, kind: 'user' },
          from_identity_id: anne.identity,
          into_identity_id: ann.identity,
        },
      ],
      cases: [
        {
          rule: 'same name',
          record: { id: anne.user, kind: 'user' },
          candidates: [{ other: ann.user, score: 1, identity_id: ann.identity }],
        },
      ],
      parted: [],
      records_moved: 1,
      identities_joined: 1,
      identities_parted: 0,
    });
    const { body } = await gateway.operator('GET', path);
    expect(body.result.joined).toEqual([
      {
        kind: 'fuzzy',
        rule: 'similar name or same phone',
        score: 0.63,
        record: encodeId('user', anne.user),
        other: encodeId('user', ann.user),
        from_identity_id: encodeId('identity', anne.identity),
        into_identity_id: encodeId('identity', ann.identity),
        from_name: 'Anne Lee',
        into_name: 'Ann Lee',
        record_name: 'Anne Lee',
        values: [{ field: 'full_name', value: 'Anne Lee', other: 'Ann Lee' }],
      },
    ]);
    expect(body.result.cases).toMatchObject([{ record_name: 'Anne Lee', candidates: [{ name: 'Ann Lee', score: 1 }] }]);

    await fixture.rows('delete from source_records where id = $1', [anne.user]);
    await fixture.rows('update identities set display_name = null where id = $1', [anne.identity]);
    expect(JSON.stringify((await gateway.operator('GET', path)).body)).not.toContain('Anne');
  });

  it('names those whose access it has changed, also if they are merged', async () => {
    const { fixture } = gateway;
    const tenant = await fixture.tenant();
    const ann = await person(tenant, await fixture.connector(tenant, {}), 'Ann Lee');
    const merged = newUuid();
    await fixture.rows(
      'insert into identity_redirects (tenant_id, id, into_id, created_at, merged_at) values ($1, $2, $3, now(), now())',
      [tenant, merged, ann.identity],
    );
    const changed = { identity_id: encodeId('identity', merged), from: 'active', to: 'inactive' };
    const path = await operation(tenant, { access_changes: [changed], access_changes_total: 1 });
    const { body } = await gateway.operator('GET', path);
    expect(body.result.access_changes).toEqual([{ ...changed, name: 'Ann Lee' }]);
    expect(Object.keys(body.result.access_changes[0])).toEqual(['identity_id', 'name', 'from', 'to']);
  });

  it('shows its number of records while it runs, and is cancelled by another operation', async () => {
    const tenant = await gateway.fixture.tenant();
    const path = await operation(tenant, {});
    const progress = { done: 500, total: 1200, step: 0, after: newUuid(), access: {} };
    await gateway.fixture.rows(`update operations set status = 'running', progress = $2 where tenant_id = $1`, [
      tenant,
      JSON.stringify(progress),
    ]);
    expect((await gateway.operator('GET', path)).body).toMatchObject({
      status: 'running',
      progress: { done: 500, total: 1200 },
    });
    const cancelled = gateway.operator('POST', `${path}/cancel`, { reason: 'wrong file' });
    const ended = `update operations set status = 'done', result = '{}'
      where tenant_id = $1 and type = 'operation.cancel' returning input`;
    let inputs: object[] = [];
    await until(async () => {
      inputs = await gateway.fixture.rows(ended, [tenant]);
      return inputs.length > 0;
    }, 'the operation that cancels');
    const operation_id = decodeId('operation', path.split('/').at(-1) ?? '');
    expect(inputs).toEqual([{ input: { operation_id, reason: 'wrong file' } }]);
    expect((await cancelled).status).toBe(200);
  });

  it('that is confirmed is answered with its own end, which comes after that of the confirmation', async () => {
    const { fixture } = gateway;
    const tenant = await fixture.tenant();
    const path = await operation(tenant, { held: 'remove the access of 8 people' });
    const held = path.split('/').at(-1) ?? '';
    const become = (status: string) =>
      fixture.rows(`update operations set status = $2 where tenant_id = $1 and type = 'rules.change'`, [
        tenant,
        status,
      ]);
    await become('held');
    const answer = gateway.operator('POST', `${path}/confirm`, { reason: 'they left' });
    await until(async () => {
      const found = await fixture.rows<{ id: string }>(
        `select id from operations where tenant_id = $1 and type = 'operation.confirm'`,
        [tenant],
      );
      if (found.length === 0) return false;
      await become('running');
      await fixture.rows(
        `update operations set status = 'done', result = jsonb_build_object('confirmed_operation_id', $2::text)
         where tenant_id = $1 and type = 'operation.confirm'`,
        [tenant, decodeId('operation', held)],
      );
      return true;
    }, 'the operation that confirms');
    const isAnswered = await Promise.race([answer.then(() => true), setTimeout(300, false)]);
    expect(isAnswered).toBe(false);
    await become('done');
    expect(await answer).toMatchObject({ status: 200, body: { operation_id: held, status: 'done' } });
  });

  it('never names people of another tenant', async () => {
    const { fixture } = gateway;
    const [tenant, other] = [await fixture.tenant(), await fixture.tenant()];
    const foreign = await person(other, await fixture.connector(other, {}), 'Eve Fox');
    const link = { record: { id: foreign.user, kind: 'user' }, from_identity_id: foreign.identity };
    const path = await operation(tenant, {
      joined: [],
      parted: [{ ...link, new_identity_id: newUuid() }],
      records_moved: 0,
      identities_joined: 0,
      identities_parted: 1,
    });
    const { status, body } = await gateway.operator('GET', path);
    expect([status, body.result.identities_parted]).toEqual([200, 1]);
    expect(JSON.stringify(body)).not.toContain('Eve');
  });

  it('shows the first 200 people of each list, and all of them in pages', async () => {
    const { fixture } = gateway;
    const tenant = await fixture.tenant();
    const ann = await person(tenant, await fixture.connector(tenant, {}), 'Ann Lee');
    const joined = Array.from({ length: 250 }, (_, at) => ({
      score: at,
      record: { id: ann.user, kind: 'user' },
      from_identity_id: newUuid(),
      into_identity_id: ann.identity,
    }));
    const path = await operation(tenant, {
      joined,
      parted: [],
      records_moved: 250,
      identities_joined: 250,
      identities_parted: 0,
    });
    const shown = (await gateway.operator('GET', path)).body.result;
    expect(shown.joined).toHaveLength(200);
    expect(shown).toMatchObject({ parted: [], identities_joined: 250 });
    const all = (await gateway.operator('GET', path.replace(/operations.*/, 'operations'))).body;
    expect(all.data[0].result.joined).toHaveLength(200);
    const { body } = await gateway.operator('GET', `${path}/items?offset=240&limit=50`);
    expect(body).toMatchObject({ total: 250, limit: 50, offset: 240 });
    expect(body.data.map(({ score }: { score: number }) => score)).toEqual(joined.slice(240).map(({ score }) => score));
    expect(body.data[0]).toMatchObject({ into_name: 'Ann Lee', record_name: 'Ann Lee' });
    expect(body.data[0].into_identity_id).toBe(encodeId('identity', ann.identity));
    expect((await gateway.operator('GET', `${path}/items?list=parted`)).body).toMatchObject({ data: [], total: 0 });
    expect((await gateway.operator('GET', `${path}/items?offset=999`)).body).toMatchObject({ data: [], total: 250 });
    expect((await gateway.operator('GET', `${path}/items?list=others`)).status).toBe(400);
  });
});

describe('the erasure of people:', () => {
  let tenant: string;
  let tenantId: string;
  let identityId: string;

  beforeEach(async () => {
    const { id } = (await operator('POST', '/tenants', { name: 'Test' })).body;
    tenant = `/tenants/${id}`;
    tenantId = decodeId('tenant', id) ?? '';
    identityId = newUuid();
    const connector = await gateway.fixture.connector(tenantId);
    await gateway.fixture.rows(
      `insert into identities (id, tenant_id, status, created_at, updated_at, document)
     values ($1, $2, 'active', now(), now(), '{}')`,
      [identityId, tenantId],
    );
    await gateway.fixture.rows(
      `insert into source_records (id, tenant_id, kind, connector_id, external_id, identity_id, status, content_hash, fields,
            changed_at, created_at, updated_at, document, last_job_id, last_seq, status_since)
     values ($1, $2, 'user', $3, 'wulio', $4, 'active', '', '{"email":["wulio@x.org"]}', '{}', now(), now(), '{}', $1, 0, now())`,
      [newUuid(), tenantId, connector, identityId],
    );
  });

  const operator: OperatedGateway['operator'] = (...call) => gateway.operator(...call);

  /** Requests an erasure, which no directory runs. Returns the input of its operation. */
  async function erasure(body?: object): Promise<{ suppress?: { kind: string; hash: string }[] }> {
    const path = `${tenant}/identities/${encodeId('identity', identityId)}/erase`;
    void operator('POST', path, body).catch(() => undefined);
    const sql = 'select input from operations where tenant_id = $1 order by id desc limit 1';
    return (await until(async () => (await gateway.fixture.rows<{ input: object }>(sql, [tenantId]))[0])).input;
  }

  describe('an erasure', () => {
    it('passes keyed hashes of the anchor and the match keys, and no personal data', async () => {
      const input = await erasure({ reason: 'asked' });
      expect(input.suppress?.map(({ kind }) => kind)).toEqual(['anchor', 'email']);
      expect(JSON.stringify(input)).not.toContain('wulio');
      const [key] = await gateway.fixture.rows<{ ciphertext: Buffer }>(
        'select ciphertext from suppression_keys where tenant_id = $1',
        [tenantId],
      );
      expect(key?.ciphertext.length).toBeGreaterThan(32);
    });

    it('suppresses nothing with keep_out false', async () => {
      expect(await erasure({ keep_out: false })).not.toHaveProperty('suppress');
    });
  });

  describe('a suppression', () => {
    it('is listed with ids and times only, and lifted with all its hashes', async () => {
      const [suppression, operation] = [newUuid(), newUuid()];
      await gateway.fixture.rows(
        'insert into suppressions (id, tenant_id, identity_id, operation_id) values ($1, $2, $3, $4)',
        [suppression, tenantId, identityId, operation],
      );
      await gateway.fixture.rows(
        `insert into suppression_hashes (tenant_id, hash, suppression_id) values ($1, 'a', $2), ($1, 'b', $2)`,
        [tenantId, suppression],
      );
      const { body } = await operator('GET', `${tenant}/suppressions`);
      expect(body).toEqual({
        data: [
          {
            id: encodeId('suppression', suppression),
            identity_id: encodeId('identity', identityId),
            operation_id: encodeId('operation', operation),
            created_at: expect.any(String),
          },
        ],
        total: 1,
        limit: 50,
        offset: 0,
      });
      const path = `${tenant}/suppressions/${encodeId('suppression', suppression)}`;
      expect((await operator('GET', path)).body).toEqual(body.data[0]);
      expect((await operator('DELETE', path)).status).toBe(204);
      expect((await operator('DELETE', path)).status).toBe(404);
      expect(await gateway.fixture.rows('select from suppression_hashes where tenant_id = $1', [tenantId])).toEqual([]);
    });
  });
});
