import { encodeId, newUuid } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { adminToken } from '../../test/gateway-config.js';
import { type Body, OperatedGateway } from '../../test/operated-gateway.js';

let gateway: OperatedGateway;
const tokens: Record<string, string> = {};

beforeAll(async () => {
  gateway = await OperatedGateway.start();
  for (const [name, role] of Object.entries({ eva: 'admin', bob: 'admin', olga: 'operator', vera: 'viewer' })) {
    tokens[name] = (await gateway.operator('POST', '/service-tokens', { name, role })).body.token;
  }
});

afterAll(() => gateway?.close());

const as = (name: string, method: string, path: string, body?: object) =>
  gateway.operatorAs(tokens[name] ?? adminToken, method, path, body);

interface Tenant {
  id: string;
  path: string;
}

/** A tenant with four eyes. */
async function tenant(policy: object = { four_eyes: true }): Promise<Tenant> {
  const id = await gateway.fixture.tenant();
  const path = `/tenants/${encodeId('tenant', id)}`;
  expect((await as('admin', 'PUT', `${path}/operator-policy`, policy)).status).toBe(200);
  return { id, path };
}

async function quarantinedJob({ id: tenantId, path }: Tenant) {
  const connectorId = await gateway.fixture.connector(tenantId);
  const id = newUuid();
  await gateway.fixture.rows(
    `insert into sync_jobs (id, tenant_id, connector_id, status) values ($1, $2, $3, 'quarantined')`,
    [id, tenantId, connectorId],
  );
  return { id, publicId: encodeId('job', id), path: `${path}/sync-jobs/${encodeId('job', id)}` };
}

/** The messages that ask the sync-worker to release a job of the tenant; the relay may have sent them. */
async function releases({ id }: Tenant): Promise<Body[]> {
  const rows = await gateway.fixture.rows<{ message: Body }>(
    `select message::jsonb as message from (select type, message from outbox union all select type, message from bus_messages) as sent
      where type = 'sync.job.release_requested' and message::jsonb ->> 'tenant_id' = $1`,
    [id],
  );
  return rows.map(({ message }) => message);
}

async function waiting(given: Tenant, by = 'olga') {
  const job = await quarantinedJob(given);
  const { status, body } = await as(by, 'POST', `${job.path}/release`, { reason: 'outsourced' });
  expect({ status, state: body.status }).toEqual({ status: 202, state: 'pending' });
  return { job, approval: body, path: `${given.path}/approvals/${body.approval_id}` };
}

describe('with four eyes, a release', () => {
  it('waits for a second operator, whose approval releases the job', async () => {
    const acme = await tenant();
    const { job, approval, path } = await waiting(acme);
    expect(approval).toMatchObject({
      approval_id: expect.stringMatching(/^apr_/),
      action: 'releaseSyncJob',
      role: 'operator',
      resource: job.publicId,
      requested_by: 'olga',
      reason: 'outsourced',
    });
    expect(await releases(acme)).toEqual([]);
    const { status, body } = await as('bob', 'POST', `${path}/approve`, { reason: 'checked' });
    expect({ status, state: body.status, decision: body.decision }).toMatchObject({
      status: 200,
      state: 'approved',
      decision: { by: 'bob', reason: 'checked' },
    });
    expect(await releases(acme)).toMatchObject([
      { data: { job_id: job.id, by: 'olga, approved by bob', reason: 'outsourced' } },
    ]);
  });

  it('is performed once, however often and concurrently it is approved', async () => {
    const acme = await tenant();
    const { path } = await waiting(acme);
    // More than the database has connections: none may wait for a second one.
    const names = Array.from({ length: 24 }, (_, nth) => (nth % 2 === 0 ? 'bob' : 'eva'));
    const answers = await Promise.all(names.map((name) => as(name, 'POST', `${path}/approve`)));
    expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200));
    expect(await releases(acme)).toHaveLength(1);
    expect((await as('eva', 'POST', `${path}/reject`)).status).toBe(400);
  });

  it('cannot be approved by its requester, by another token of that name, or without the role', async () => {
    const acme = await tenant();
    const { path } = await waiting(acme);
    expect((await as('olga', 'POST', `${path}/approve`)).status).toBe(403);
    const again = (await gateway.operator('POST', '/service-tokens', { name: 'olga', role: 'admin' })).body.token;
    expect((await gateway.operatorAs(again, 'POST', `${path}/approve`)).status).toBe(403);
    expect((await as('vera', 'POST', `${path}/approve`)).status).toBe(403);
    expect(await releases(acme)).toEqual([]);
  });

  it('cannot be approved with the shared token, if that requested it or issued the token of the requester', async () => {
    const acme = await tenant();
    const shared = await waiting(acme, 'admin');
    expect((await as('admin', 'POST', `${shared.path}/approve`)).status).toBe(403);
    expect((await as('eva', 'POST', `${shared.path}/approve`)).status).toBe(403);
    const issued = await waiting(acme, 'eva');
    expect((await as('admin', 'POST', `${issued.path}/approve`)).status).toBe(403);
    expect((await as('bob', 'POST', `${issued.path}/approve`)).status).toBe(200);
  });

  it('is stale once the job is cancelled, and stays so', async () => {
    const acme = await tenant();
    const { job, path } = await waiting(acme);
    await gateway.fixture.rows(`update sync_jobs set status = 'cancelled' where id = $1`, [job.id]);
    const refused = await as('bob', 'POST', `${path}/approve`);
    expect(refused).toMatchObject({
      status: 400,
      body: { error: 'the approval is stale: the job is cancelled, not quarantined' },
    });
    await gateway.fixture.rows(`update sync_jobs set status = 'quarantined' where id = $1`, [job.id]);
    expect((await as('bob', 'POST', `${path}/approve`)).status).toBe(400);
    expect((await as('bob', 'GET', path)).body.status).toBe('stale');
    expect(await releases(acme)).toEqual([]);
  });

  it('is stale once the token of its requester is revoked, and can still be rejected', async () => {
    const acme = await tenant();
    const issued = (await gateway.operator('POST', '/service-tokens', { name: 'iris', role: 'operator' })).body;
    tokens.iris = issued.token;
    const [approved, rejected] = [await waiting(acme, 'iris'), await waiting(acme, 'iris')];
    await gateway.operator('DELETE', `/service-tokens/${issued.id}`);
    const answer = await as('bob', 'POST', `${approved.path}/approve`);
    expect(answer).toMatchObject({
      status: 400,
      body: { error: 'the approval is stale: the token of its requester has been revoked' },
    });
    expect((await as('bob', 'GET', approved.path)).body.status).toBe('stale');
    expect((await as('bob', 'POST', `${rejected.path}/reject`)).body.status).toBe('rejected');
    expect(await releases(acme)).toEqual([]);
  });

  it('expires', async () => {
    const acme = await tenant({ four_eyes: true, approval_hours: 1 });
    const { path, approval } = await waiting(acme);
    expect(Date.parse(approval.expires_at) - Date.parse(approval.requested_at)).toBe(3_600_000);
    await gateway.fixture.rows('update approvals set expires_at = now() where tenant_id = $1', [acme.id]);
    expect((await as('bob', 'POST', `${path}/approve`)).body).toEqual({ error: 'the approval is expired' });
    expect((await as('bob', 'GET', `${acme.path}/approvals?status=expired`)).body.total).toBe(1);
  });

  it('can be withdrawn by its requester', async () => {
    const acme = await tenant();
    const { path } = await waiting(acme);
    for (let time = 0; time < 2; time += 1) {
      const { status, body } = await as('olga', 'POST', `${path}/reject`, { reason: 'wrong job' });
      expect({ status, state: body.status }).toEqual({ status: 200, state: 'rejected' });
    }
    expect((await as('bob', 'POST', `${path}/approve`)).body).toEqual({ error: 'the approval is rejected' });
  });

  it('is the same pending approval if it is requested again', async () => {
    const acme = await tenant();
    const { job, approval } = await waiting(acme);
    const again = await as('olga', 'POST', `${job.path}/release`, { reason: 'outsourced' });
    expect(again.body.approval_id).toBe(approval.approval_id);
    expect((await as('olga', 'GET', `${acme.path}/approvals`)).body.total).toBe(1);
  });

  it('is in the audit log of its job: who requested it, who approved it', async () => {
    const acme = await tenant();
    const { job, approval, path } = await waiting(acme);
    await as('olga', 'POST', `${path}/approve`);
    await as('bob', 'POST', `${path}/approve`);
    const { body } = await gateway.operator('GET', `${acme.path}/audit?resource=${job.publicId}&order=asc`);
    expect(body.data).toMatchObject([
      { action: 'releaseSyncJob', actor: { name: 'olga' }, after: { approval_id: approval.approval_id } },
      { action: 'approveApproval', actor: { name: 'bob' }, after: { action: 'releaseSyncJob', requested_by: 'olga' } },
    ]);
    const refused = await gateway.operator('GET', `${acme.path}/audit?resource=${approval.approval_id}`);
    expect(refused.body.data).toMatchObject([{ actor: { name: 'olga' }, outcome: 'refused', status: 403 }]);
  });
});

describe('with four eyes, a change of settings', () => {
  it('needs a second operator to turn four eyes off', async () => {
    const acme = await tenant();
    const off = await as('eva', 'PUT', `${acme.path}/operator-policy`, { log_reads: true });
    expect(off.status).toBe(202);
    expect((await as('eva', 'GET', `${acme.path}/operator-policy`)).body.four_eyes).toBe(true);
    const approve = `${acme.path}/approvals/${off.body.approval_id}/approve`;
    expect((await as('olga', 'POST', approve)).status).toBe(403);
    expect((await as('bob', 'POST', approve)).status).toBe(200);
    expect((await as('eva', 'GET', `${acme.path}/operator-policy`)).body).toMatchObject({
      four_eyes: false,
      log_reads: true,
    });
  });

  it('is requested for rules, priorities and dates, and becomes stale with another change of them', async () => {
    const acme = await tenant();
    const rules = (await as('eva', 'GET', `${acme.path}/matching-rules`)).body;
    const first = await as('eva', 'PUT', `${acme.path}/matching-rules`, { ...rules, certain: ['email'] });
    const second = await as('bob', 'PUT', `${acme.path}/matching-rules`, { ...rules, certain: [] });
    expect([first.status, second.status]).toEqual([202, 202]);
    const approve = (body: Body) => `${acme.path}/approvals/${body.approval_id}/approve`;
    const done = await as('bob', 'POST', approve(first.body));
    expect(done.body.operation_id).toMatch(/^opn_/);
    expect((await as('eva', 'POST', approve(second.body))).status).toBe(400);
    await gateway.fixture.rows(
      `insert into matching_rules (tenant_id, rules, updated_at) select tenant_id, input -> 'rules', now()
         from operations where tenant_id = $1 and type = 'rules.change'`,
      [acme.id],
    );
    await gateway.fixture.rows(`update operations set status = 'done' where tenant_id = $1`, [acme.id]);
    expect((await as('eva', 'POST', approve(second.body))).body.error).toContain('stale');
    for (const path of ['lifecycle-policy', 'attribute-priorities']) {
      const current = (await as('eva', 'GET', `${acme.path}/${path}`)).body;
      const asked = await as('eva', 'PUT', `${acme.path}/${path}`, current);
      expect(asked.status).toBe(202);
      expect((await as('bob', 'POST', approve(asked.body))).body.operation_id).toMatch(/^opn_/);
    }
  });

  it('is requested for the safeguard and the priority of a connector, which other fields must not accompany', async () => {
    const acme = await tenant();
    const made = (await as('eva', 'POST', `${acme.path}/connectors`, { type: 'scim-push', name: 'IdP', config: {} }))
      .body;
    const path = `${acme.path}/connectors/${made.id}`;
    expect((await as('eva', 'PATCH', path, { name: 'Okta', priority: made.priority })).status).toBe(200);
    expect((await as('eva', 'PATCH', path, { name: 'Entra', priority: 7 })).status).toBe(400);
    const safeguard = { ...made.safeguard, max_deleted_percent: 100 };
    const asked = await as('eva', 'PATCH', path, { safeguard });
    expect(asked).toMatchObject({ status: 202, body: { action: 'updateConnector', resource: made.id } });
    expect((await as('eva', 'GET', path)).body.safeguard).toEqual(made.safeguard);
    await as('bob', 'POST', `${acme.path}/approvals/${asked.body.approval_id}/approve`);
    expect((await as('eva', 'GET', path)).body).toMatchObject({ name: 'Okta', safeguard });
  });

  it('stays as approved if a change of other fields repeats what it was before', async () => {
    const acme = await tenant();
    const made = (await as('eva', 'POST', `${acme.path}/connectors`, { type: 'scim-push', name: 'IdP', config: {} }))
      .body;
    const path = `${acme.path}/connectors/${made.id}`;
    const safeguard = { ...made.safeguard, max_deleted_percent: 100 };
    const approve = `update connectors set safeguard = $2 where tenant_id = $1`;
    const approver = await Database.connect({ url: gateway.database.url, service: 'gateway' });
    const renamed = await approver.transaction(acme.id, async (tx) => {
      await tx.query(approve, [acme.id, JSON.stringify(safeguard)]);
      const changed = as('eva', 'PATCH', path, { name: 'Okta', safeguard: made.safeguard });
      await gateway.fixture.waitForBlockedLock();
      return { changed };
    });
    expect((await renamed.changed).status).toBe(200);
    await approver.close();
    expect((await as('eva', 'GET', path)).body).toMatchObject({ name: 'Okta', safeguard });
  });
});

describe('with four eyes, a second operator', () => {
  const approve = (acme: Tenant, body: Body, by = 'bob') =>
    as(by, 'POST', `${acme.path}/approvals/${body.approval_id}/approve`);

  async function deletedConnector(acme: Tenant) {
    const made = await as('eva', 'POST', `${acme.path}/connectors`, { type: 'scim-push', name: newUuid(), config: {} });
    const { id } = made.body;
    const path = `${acme.path}/connectors/${id}`;
    for (const records of ['retire', `hand_over&to=${id}`]) {
      const { status, body } = await as('eva', 'DELETE', `${path}?records=${records}`);
      expect({ status, error: body.error }).toEqual({
        status: 400,
        error: expect.stringContaining('needs a second operator: delete the connector with records=keep'),
      });
    }
    expect((await as('eva', 'DELETE', path)).status).toBe(204);
    return { id, path: `${acme.path}/deleted-connectors/${id}` };
  }

  it('approves that a job is undone, which its requester previews alone', async () => {
    const acme = await tenant();
    const job = await quarantinedJob(acme);
    await gateway.fixture.rows(`update sync_jobs set status = 'completed' where id = $1`, [job.id]);
    const undone = () =>
      gateway.fixture.rows<{ id: string; input: Body }>(
        `select id, input from operations where tenant_id = $1 and type = 'job.undo' and status = 'queued'`,
        [acme.id],
      );
    const asked = await as('olga', 'POST', `${job.path}/undo`, { reason: 'wrong file' });
    expect(asked).toMatchObject({ status: 202, body: { action: 'undoSyncJob', resource: job.publicId } });
    expect(await undone()).toEqual([]);
    expect((await approve(acme, asked.body, 'olga')).status).toBe(403);
    expect((await approve(acme, asked.body)).body.operation_id).toMatch(/^opn_/);
    const [queued] = await undone();
    expect(queued?.input).toMatchObject({ job_id: job.id, preview: false, reason: 'wrong file' });
    const preview = as('olga', 'POST', `${job.path}/undo`, { preview: true });
    // The directory does not run here.
    const end = `update operations set status = 'done', result = '{}' where tenant_id = $1 and input ->> 'preview' = 'true' returning id`;
    for (let ended: object[] = []; ended.length === 0; ) ended = await gateway.fixture.rows(end, [acme.id]);
    expect(await preview).toMatchObject({ status: 200, body: { type: 'job.undo' } });
  });

  it('approves that the records of a deleted connector are retired', async () => {
    const acme = await tenant();
    const { id, path } = await deletedConnector(acme);
    const asked = await as('eva', 'POST', `${path}/retire`);
    expect(asked).toMatchObject({ status: 202, body: { action: 'retireDeletedConnector', resource: id } });
    const jobs = () => gateway.fixture.rows('select from sync_jobs where tenant_id = $1 and retires', [acme.id]);
    expect(await jobs()).toHaveLength(0);
    expect((await approve(acme, asked.body, 'eva')).status).toBe(403);
    expect((await approve(acme, asked.body)).body.status).toBe('approved');
    expect(await jobs()).toHaveLength(1);
  });

  it('approves that they are handed over, unless the heir has been deleted', async () => {
    const acme = await tenant();
    const { id, path } = await deletedConnector(acme);
    const heir = (await as('eva', 'POST', `${acme.path}/connectors`, { type: 'scim-push', name: 'New', config: {} }))
      .body;
    const request = { to: heir.id, reason: 'moved' };
    const [first, second] = [await as('eva', 'POST', `${path}/hand-over`, request), await deletedConnector(acme)];
    const late = await as('eva', 'POST', `${second.path}/hand-over`, request);
    expect(first).toMatchObject({ status: 202, body: { action: 'handDeletedConnectorOver', resource: id, request } });
    expect((await approve(acme, first.body)).body.operation_id).toMatch(/^opn_/);
    await as('eva', 'DELETE', `${acme.path}/connectors/${heir.id}`);
    expect((await approve(acme, late.body)).body.error).toContain('stale');
  });

  it('approves the deletion of the tenant, with a token for all tenants', async () => {
    const acme = await tenant();
    const { name } = (await as('eva', 'GET', acme.path)).body;
    expect((await as('eva', 'POST', `${acme.path}/deletion`, { name: `${name}x` })).status).toBe(400);
    const asked = await as('eva', 'POST', `${acme.path}/deletion`, { name });
    const resource = encodeId('tenant', acme.id);
    expect(asked).toMatchObject({ status: 202, body: { action: 'deleteTenant', resource } });
    expect((await as('eva', 'GET', acme.path)).body).not.toHaveProperty('deletion_requested_at');
    const own = { name: 'tom', role: 'admin', tenants: [resource] };
    tokens.tom = (await gateway.operator('POST', '/service-tokens', own)).body.token;
    expect(await approve(acme, asked.body, 'tom')).toMatchObject({
      status: 403,
      body: { error: 'this needs a token for all tenants' },
    });
    const { key } = (await as('eva', 'POST', `${acme.path}/api-keys`, { name: 'client' })).body;
    const read = () => fetch(`${gateway.url}/v1/users`, { headers: { 'x-api-key': key } });
    expect((await read()).status).toBe(200);
    expect((await approve(acme, asked.body)).body.status).toBe('approved');
    expect((await read()).status).toBe(401);
    expect((await as('eva', 'GET', acme.path)).body).toHaveProperty('deletion_requested_at');
    // A repetition shows the progress.
    expect((await as('eva', 'POST', `${acme.path}/deletion`, { name })).body).toHaveProperty('rows_deleted');
    const entries = (await as('admin', 'GET', `/audit?resource=${resource}`)).body.data;
    expect(entries).toContainEqual(
      expect.objectContaining({
        actor: expect.objectContaining({ name: 'bob' }),
        after: { action: 'deleteTenant', name, by: 'eva, approved by bob' },
      }),
    );
  });
});

describe('with four eyes, an erasure', () => {
  it('is requested by its approval, with the records of that moment; a merge makes it stale', async () => {
    const acme = await tenant();
    const connector = await gateway.fixture.connector(acme.id);
    const identity = newUuid();
    await gateway.fixture.rows(
      `insert into identities (id, tenant_id, display_name, status, created_at, updated_at, document)
       values ($1, $2, 'Ann Lee', 'active', now(), now(), '{}')`,
      [identity, acme.id],
    );
    const record = (name: string) =>
      gateway.fixture.rows(
        `insert into source_records (id, tenant_id, kind, connector_id, external_id, identity_id, status, content_hash,
           fields, changed_at, created_at, updated_at, document, last_job_id, last_seq, status_since)
         values ($1, $2, 'user', $3, $4, $5, 'active', '', '{}', '{}', now(), now(), '{}', $3, 0, now())`,
        [newUuid(), acme.id, connector, name, identity],
      );
    await record('E1');
    const path = `${acme.path}/identities/${encodeId('identity', identity)}/erase`;
    const approve = (body: Body) => as('bob', 'POST', `${acme.path}/approvals/${body.approval_id}/approve`);
    const first = (await as('eva', 'POST', path, { reason: 'requested by the person' })).body;
    await record('E2');
    expect((await approve(first)).body.error).toContain('stale');
    const second = (await as('eva', 'POST', path, { reason: 'requested by the person' })).body;
    expect((await approve(second)).body.operation_id).toMatch(/^opn_/);
    const [stored] = await gateway.fixture.rows<{ input: Body }>('select input from operations where tenant_id = $1', [
      acme.id,
    ]);
    expect(stored?.input).toMatchObject({ identity_id: identity, reason: 'requested by the person' });
    expect(new Set(stored?.input.suppress.map((each: Body) => each.record_id)).size).toBe(2);
  });
});

describe('pending approvals', () => {
  it('are at most a hundred', async () => {
    const acme = await tenant();
    const { job } = await waiting(acme);
    await gateway.fixture.rows(
      `insert into approvals (id, tenant_id, action, input, requested_by, expires_at)
       select gen_random_uuid(), $1, 'releaseSyncJob', '{}', '{"name": "olga"}', now() + interval '1 hour'
         from generate_series(1, 99)`,
      [acme.id],
    );
    expect((await as('eva', 'POST', `${job.path}/release`, { reason: 'another' })).status).toBe(429);
    expect((await as('olga', 'POST', `${job.path}/release`, { reason: 'outsourced' })).status).toBe(202);
  });
});
