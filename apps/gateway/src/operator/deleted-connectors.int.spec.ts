import { decodeId, encodeId, newUuid } from '@idsync/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { OperatedGateway } from '../../test/operated-gateway.js';

let gateway: OperatedGateway;
let tenant: string;
let tenantId: string;

beforeAll(async () => {
  gateway = await OperatedGateway.start();
});

beforeEach(async () => {
  const { id } = (await operator('POST', '/tenants', { name: 'Test' })).body;
  tenant = `/tenants/${id}`;
  tenantId = decodeId('tenant', id) ?? '';
});

afterAll(() => gateway?.close());

const operator: OperatedGateway['operator'] = (...call) => gateway.operator(...call);

const uuid = (id: string) => decodeId('connector', id);

async function connector(name: string, records = 'user', count = 0): Promise<string> {
  const body = { type: 'csv', name, records, config: { path: 'a.csv', external_id: 'id', fields: { email: 'mail' } } };
  const { id } = (await operator('POST', `${tenant}/connectors`, body)).body;
  for (let n = 0; n < count; n += 1) {
    await gateway.fixture.rows(
      `insert into source_records (id, tenant_id, kind, connector_id, external_id, status, content_hash, fields, changed_at,
              created_at, updated_at, document, last_job_id, last_seq, status_since)
       values ($1, $2, 'user', $3, $4, $5, '', '{}', '{}', now(), now(), '{}', $1, 0, now())`,
      [newUuid(), tenantId, uuid(id), `p${n}`, n === 0 ? 'deleted' : 'active'],
    );
  }
  return id;
}

const jobsOf = (id: string) =>
  gateway.fixture.rows('select mode, retires, status from sync_jobs where connector_id = $1', [uuid(id)]);

const operationsOf = async () =>
  gateway.fixture.rows('select type, input from operations where tenant_id = $1', [tenantId]);

describe('the deletion of a connector', () => {
  it('keeps its records by default, and the connector is listed with their number', async () => {
    const id = await connector('HR', 'user', 4);
    expect((await operator('GET', `${tenant}/connectors/${id}/deletion`)).body).toEqual({
      connector_id: id,
      live_records: 3,
    });
    expect((await operator('DELETE', `${tenant}/connectors/${id}`)).status).toBe(204);
    expect(await jobsOf(id)).toEqual([]);
    const { body } = await operator('GET', `${tenant}/deleted-connectors`);
    expect(body).toMatchObject({ total: 1, data: [{ id, name: 'HR', records: 'user', live_records: 3 }] });
    expect((await operator('GET', `${tenant}/deleted-connectors/${id}`)).body).toEqual(body.data[0]);
    expect((await operator('GET', `${tenant}/connectors/${id}`)).status).toBe(404);
    expect((await operator('GET', `${tenant}/connectors/${id}/deletion`)).status).toBe(404);
  });

  it('queues one retirement, which a repeated request returns', async () => {
    const id = await connector('HR', 'user', 2);
    expect((await operator('DELETE', `${tenant}/connectors/${id}?records=retire`)).status).toBe(204);
    const again = await operator('POST', `${tenant}/deleted-connectors/${id}/retire`);
    expect(again).toMatchObject({ status: 202, body: { status: 'queued' } });
    expect(await jobsOf(id)).toEqual([{ mode: 'full', retires: true, status: 'queued' }]);
    expect((await operator('GET', `${tenant}/sync-jobs/${again.body.job_id}`)).body).toMatchObject({ retires: true });
  });

  it('requests the hand-over of its records in the same transaction', async () => {
    const [id, to] = [await connector('HR', 'user', 2), await connector('New')];
    expect((await operator('DELETE', `${tenant}/connectors/${id}?records=hand_over&to=${to}`)).status).toBe(204);
    expect(await operationsOf()).toEqual([
      { type: 'connector.hand_over', input: { from_id: uuid(id), to_id: uuid(to) } },
    ]);
  });

  it('deletes nothing if the hand-over is impossible', async () => {
    const id = await connector('HR', 'user', 2);
    const [accounts, busy] = [await connector('LDAP', 'account'), await connector('Busy')];
    await gateway.fixture.job(tenantId, uuid(busy) ?? '', 'running');
    const attempts: [string, number, string][] = [
      ['records=hand_over', 400, 'to is required with records=hand_over, and only then'],
      [`to=${busy}`, 400, 'to is required with records=hand_over, and only then'],
      ['records=shred', 400, 'records must be one of keep, retire, hand_over'],
      [`records=hand_over&to=${id}`, 404, 'not found'],
      ['records=hand_over&to=con_x', 404, 'not found'],
      [`records=hand_over&to=${accounts}`, 400, 'to must be a connector of user records, got one of account records'],
      [`records=hand_over&to=${busy}`, 400, 'a sync job of one of the connectors has not ended: nothing was deleted'],
    ];
    for (const [query, status, error] of attempts) {
      expect(await operator('DELETE', `${tenant}/connectors/${id}?${query}`)).toEqual({ status, body: { error } });
    }
    expect((await operator('GET', `${tenant}/connectors/${id}`)).status).toBe(200);
    expect(await operationsOf()).toEqual([]);
  });
});

describe('a deleted connector', () => {
  it('is marked where an identity is explained', async () => {
    const id = await connector('HR', 'user', 2);
    const identity = newUuid();
    const attribute = { field_name: 'email', field_value: 'a@x.org', source_id: id, priority: 1, updated_at: 'now' };
    await gateway.fixture.rows(
      `insert into identities (id, tenant_id, status, created_at, updated_at, document)
       values ($1, $2, 'active', now(), now(), $3)`,
      [identity, tenantId, JSON.stringify({ id: 'idn_1', attributes: [attribute] })],
    );
    await gateway.fixture.rows(
      `update source_records set identity_id = $1 where tenant_id = $2 and status = 'active'`,
      [identity, tenantId],
    );
    await operator('DELETE', `${tenant}/connectors/${id}`);
    const { body } = await operator('GET', `${tenant}/identities/${encodeId('identity', identity)}/explain`);
    const deletedAt = (await operator('GET', `${tenant}/deleted-connectors/${id}`)).body.deleted_at;
    expect(body.fields[0].winner).toMatchObject({ connector: 'HR', connector_deleted_at: deletedAt });
    expect(body.records[0]).toMatchObject({ connector_id: id, connector_deleted_at: deletedAt });
  });

  it('is the only kind of connector that can be retired or hand over its records', async () => {
    const [id, to] = [await connector('HR'), await connector('New')];
    expect((await operator('POST', `${tenant}/deleted-connectors/${id}/retire`)).status).toBe(404);
    expect((await operator('POST', `${tenant}/deleted-connectors/${id}/hand-over`, { to })).status).toBe(404);
    expect((await operator('GET', `${tenant}/deleted-connectors/${id}`)).status).toBe(404);
  });
});
