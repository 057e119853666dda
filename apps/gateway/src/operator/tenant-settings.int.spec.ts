import { encodeId } from '@idsync/contracts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OperatedGateway } from '../../test/operated-gateway.js';

let gateway: OperatedGateway;

beforeAll(async () => {
  gateway = await OperatedGateway.start();
});

afterAll(() => gateway?.close());

async function tenant() {
  const id = await gateway.fixture.tenant();
  const path = `/tenants/${encodeId('tenant', id)}`;
  return { id, path, settings: `${path}/settings` };
}

describe('the settings of a tenant', () => {
  it('are all settings that its routes for parts have, with their defaults', async () => {
    const { path, settings } = await tenant();
    const part = async (name: string) => (await gateway.operator('GET', `${path}/${name}`)).body;
    expect((await gateway.operator('GET', settings)).body).toEqual({
      ...(await part('lifecycle-policy')),
      ...(await part('finding-policy')),
      ...(await part('operator-policy')),
    });
  });

  it('are changed one by one, and recorded with the state before', async () => {
    const { path, settings } = await tenant();
    const changed = await gateway.operator('PATCH', settings, { log_reads: true, stale_source_hours: 48 });
    expect(changed).toMatchObject({ status: 200, body: { log_reads: true, stale_source_hours: 48, time_zone: 'UTC' } });
    expect((await gateway.operator('GET', `${path}/operator-policy`)).body.log_reads).toBe(true);
    expect((await gateway.operator('GET', `${path}/finding-policy`)).body.stale_source_hours).toBe(48);
    const { data } = (await gateway.operator('GET', `${path}/audit?action=updateSettings`)).body;
    expect(data).toMatchObject([{ before: { log_reads: false }, after: { log_reads: true, stale_source_hours: 48 } }]);
  });

  it('request an operation only if rules for dates change', async () => {
    const { id, settings } = await tenant();
    await gateway.operator('PATCH', settings, { grace_days: 30, log_reads: true });
    const operations = () =>
      gateway.fixture.rows<{ input: object }>('select input from operations where tenant_id = $1', [id]);
    expect(await operations()).toEqual([]);
    const { status, body } = await gateway.operator('PATCH', settings, { grace_days: 60, time_zone: 'Europe/Berlin' });
    expect({ status, operation: body.operation_id }).toEqual({
      status: 202,
      operation: expect.stringMatching(/^opn_/),
    });
    expect(await operations()).toMatchObject([
      { input: { policy: { grace_days: 60, time_zone: 'Europe/Berlin', retention_days: 30 } } },
    ]);
  }, 30_000);

  it('wait for a second operator if the tenant has four eyes, unless only findings are concerned', async () => {
    const { path, settings } = await tenant();
    await gateway.operator('PATCH', settings, { four_eyes: true });
    expect((await gateway.operator('PATCH', settings, { stale_source_hours: 48 })).status).toBe(200);
    const off = await gateway.operator('PATCH', settings, { four_eyes: false });
    expect(off).toMatchObject({ status: 202, body: { action: 'updateSettings', status: 'pending' } });
    for (const name of ['eva', 'bob']) {
      const { token } = (await gateway.operator('POST', '/service-tokens', { name, role: 'admin' })).body;
      if (name === 'eva') {
        const asked = await gateway.operatorAs(token, 'PATCH', settings, { four_eyes: false });
        expect(asked.status).toBe(202);
        off.body.approval_id = asked.body.approval_id;
      } else {
        const approve = `${path}/approvals/${off.body.approval_id}/approve`;
        expect((await gateway.operatorAs(token, 'POST', approve)).status).toBe(200);
      }
    }
    expect((await gateway.operator('GET', settings)).body.four_eyes).toBe(false);
  });

  it.each([
    { grace_days: -1 },
    { time_zone: 'Mars' },
    { seats: 1 },
    { connector_time_zones: [{ connector_id: 'x', time_zone: 'UTC' }] },
  ])('are refused with 400: %j', async (patch) => {
    const { settings } = await tenant();
    expect((await gateway.operator('PATCH', settings, patch)).status).toBe(400);
  });
});
