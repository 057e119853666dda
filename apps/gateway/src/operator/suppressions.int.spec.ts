import { decodeId, encodeId, newUuid } from '@idsync/contracts';
import { until } from '@idsync/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { OperatedGateway } from '../../test/operated-gateway.js';

let gateway: OperatedGateway;
let tenant: string;
let tenantId: string;
let identityId: string;

beforeAll(async () => {
  gateway = await OperatedGateway.start();
});

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

afterAll(() => gateway?.close());

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
