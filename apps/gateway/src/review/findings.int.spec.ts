import { encodeId, type FindingKind, newUuid } from '@idsync/contracts';
import { type DirectoryFixture, uuidAt } from '@idsync/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Body, OperatedGateway } from '../../test/operated-gateway.js';

let gateway: OperatedGateway;
let fixture: DirectoryFixture;
let tenant: string;

beforeAll(async () => {
  gateway = await OperatedGateway.start();
  fixture = gateway.fixture;
});

beforeEach(async () => {
  tenant = await fixture.tenant();
});

afterAll(() => gateway?.close());

interface Seed {
  kind?: FindingKind;
  state?: string;
  subject?: string;
  identity?: string;
  openedAt?: Date;
}

/** Inserts a finding and returns its id. */
async function finding(seed: Seed = {}): Promise<string> {
  const openedAt = seed.openedAt ?? new Date();
  const id = uuidAt(openedAt);
  await fixture.rows(
    `insert into findings (id, tenant_id, kind, state, subject_id, identity_id, evidence, opened_at)
     values ($1, $2, $3, $4, $5, $6, '{"account_status": "active"}', $7)`,
    [
      id,
      tenant,
      seed.kind ?? 'unmatched_account',
      seed.state ?? 'open',
      seed.subject ?? newUuid(),
      seed.identity ?? null,
      openedAt,
    ],
  );
  return encodeId('finding', id);
}

const call = (method: string, path: string, body?: object): Promise<{ status: number; body: Body }> =>
  gateway.operator(method, `/tenants/${encodeId('tenant', tenant)}${path}`, body);
const listed = async (query = '') => (await call('GET', `/findings${query}`)).body.data.map(({ id }: Body) => id);

describe('the list of findings', () => {
  it('has the newest first, in pages', async () => {
    const ids: string[] = [];
    for (const kind of ['stale_source', 'unmatched_account', 'stale_source'] as const)
      ids.push(await finding({ kind }));
    const [first, second, third] = ids;
    const page = (await call('GET', '/findings?limit=2')).body;
    expect(page).toMatchObject({ data: [{ id: third }, { id: second }], limit: 2, next_cursor: expect.any(String) });
    const rest = (await call('GET', `/findings?limit=2&cursor=${page.next_cursor}`)).body;
    expect(rest).toEqual({ data: [expect.objectContaining({ id: first })], limit: 2 });
  });

  it('can be limited to a kind, a state and a time', async () => {
    const old = await finding({ openedAt: new Date('2026-01-01T00:00:00Z') });
    const stale = await finding({ kind: 'stale_source', openedAt: new Date('2026-01-02T00:00:00Z') });
    const resolved = await finding({ state: 'resolved', openedAt: new Date('2026-01-03T00:00:00Z') });
    expect(await listed('?kind=unmatched_account')).toEqual([resolved, old]);
    expect(await listed('?state=open')).toEqual([stale, old]);
    expect(await listed('?kind=unmatched_account&state=open')).toEqual([old]);
    expect(await listed('?since=2026-01-02T00:00:00Z')).toEqual([resolved, stale]);
  });

  it('can be limited to a subject, or to an identity and everything that concerns it', async () => {
    const [account, identity] = [newUuid(), newUuid()];
    const ofAccount = await finding({ kind: 'leaver_with_account', subject: account, identity });
    const ofIdentity = await finding({ kind: 'manager_cycle', subject: identity, identity });
    await finding();
    expect(await listed(`?subject=${encodeId('account', account)}`)).toEqual([ofAccount]);
    expect(await listed(`?subject=${encodeId('identity', identity)}`)).toEqual([ofIdentity, ofAccount]);
  });

  it.each(['kind=x', 'state=closed', 'subject=nobody', 'since=yesterday', 'cursor=x', 'limit=0'])(
    'rejects %s with 400',
    async (query) => {
      expect((await call('GET', `/findings?${query}`)).status).toBe(400);
    },
  );
});

describe('a finding', () => {
  it.each([
    [{ display_name: ['Ann Lee'], last_name: ['Leeds'] }, 'Ann Lee'],
    [{ first_name: ['Ann'], last_name: ['Lee'] }, 'Ann Lee'],
    [{ last_name: ['Lee'] }, 'Lee'],
    [{}, 'r1'],
  ])('about a record with %j has the name %s', async (fields, name) => {
    const connectorId = await fixture.connector(tenant);
    const subject = newUuid();
    await fixture.rows(
      `insert into source_records (id, tenant_id, kind, connector_id, external_id, status, content_hash, fields, changed_at,
                                   created_at, updated_at, status_since, document, last_job_id, last_seq)
       values ($1, $2, 'account', $3, 'r1', 'active', '\\x01', $4, '{}', now(), now(), now(), '{}', $1, 0)`,
      [subject, tenant, connectorId, JSON.stringify(fields)],
    );
    expect((await call('GET', `/findings/${await finding({ subject })}`)).body.name).toBe(name);
  });

  it('shows its subject with its name, its evidence and its acceptance', async () => {
    const connector = await fixture.connector(tenant, { name: 'HR' });
    const id = await finding({ kind: 'stale_source', subject: connector });
    await fixture.rows(
      `update findings set state = 'accepted', accepted_by = 'Eva', accepted_reason = 'weekly', accepted_at = '2026-01-01',
              accepted_until = '2027-01-01' where tenant_id = $1`,
      [tenant],
    );
    expect((await call('GET', `/findings/${id}`)).body).toEqual({
      id,
      kind: 'stale_source',
      state: 'accepted',
      subject_id: encodeId('connector', connector),
      connector_id: encodeId('connector', connector),
      name: 'HR',
      evidence: { account_status: 'active' },
      opened_at: expect.any(String),
      accepted: { by: 'Eva', reason: 'weekly', at: '2026-01-01T00:00:00.000Z', until: '2027-01-01T00:00:00.000Z' },
    });
  });

  it.each([{}, { reason: ' ' }, { reason: 'x', until: '2020-01-01T00:00:00Z' }, { reason: 'x', till: 'tomorrow' }])(
    'is not accepted with %j',
    async (body) => {
      expect((await call('POST', `/findings/${await finding()}/accept`, body)).status).toBe(400);
    },
  );

  it('that does not exist is 404', async () => {
    const path = `/findings/${encodeId('finding', newUuid())}`;
    expect((await call('GET', path)).status).toBe(404);
    expect((await call('POST', `${path}/accept`, { reason: 'x' })).status).toBe(404);
    expect((await call('POST', `${path}/reopen`)).status).toBe(404);
  });
});

describe('the settings for findings', () => {
  const defaults = { unmatched_account_hours: 24, stale_source_hours: 36, connector_stale_hours: [] };

  it('have defaults, and a field that is absent from a replacement gets its default', async () => {
    expect((await call('GET', '/finding-policy')).body).toEqual(defaults);
    const connector_stale_hours = [
      { connector_id: encodeId('connector', await fixture.connector(tenant)), hours: 180 },
    ];
    expect((await call('PUT', '/finding-policy', { connector_stale_hours })).status).toBe(200);
    expect((await call('GET', '/finding-policy')).body).toEqual({ ...defaults, connector_stale_hours });
    await call('PUT', '/finding-policy', { unmatched_account_hours: 0 });
    expect((await call('GET', '/finding-policy')).body).toEqual({ ...defaults, unmatched_account_hours: 0 });
  });

  it('are rejected with 400 if they name another connector or an age out of range', async () => {
    const unknown = { connector_stale_hours: [{ connector_id: encodeId('connector', newUuid()), hours: 1 }] };
    for (const body of [unknown, { stale_source_hours: 0 }, { unmatched_account_hours: -1 }, { other: 1 }])
      expect((await call('PUT', '/finding-policy', body)).status).toBe(400);
    expect((await call('GET', '/finding-policy')).body).toEqual(defaults);
  });
});
