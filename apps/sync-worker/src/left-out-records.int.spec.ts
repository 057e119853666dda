import { randomBytes } from 'node:crypto';
import type { Connector, Page } from '@idsync/connectors';
import { newUuid, type RecordKind } from '@idsync/contracts';
import { encrypt, suppressionHashes } from '@idsync/database';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { SyncFixture, testKey } from '../test/sync-fixture.js';
import { claimJob } from './claim-job.js';
import { RunControl } from './run-control.js';
import { runJob } from './run-job.js';

const fixture = SyncFixture.ofFile();

describe('a record that looks like a machine', () => {
  const service = (external_id: string): Page['records'][number] => ({
    external_id,
    fields: {},
    looksLikeMachine: true,
  });

  let tenantId: string;
  let people: string;
  let logins: string;
  let machines: string;

  beforeEach(async () => {
    tenantId = await fixture.rows.tenant();
    const connector = async (records: RecordKind, type = 'ldap') => {
      const id = await fixture.rows.connector(tenantId, { records, name: records });
      await fixture.rows.rows('update connectors set type = $2 where id = $1', [id, type]);
      return id;
    };
    people = await connector('user');
    logins = await connector('account');
    machines = await connector('machine_identity');
  });

  /** Stores a known record; `gone` if its source no longer lists it. */
  async function know(connectorId: string, kind: RecordKind, externalId: string, gone = false): Promise<void> {
    const deleted = kind === 'machine_identity' ? 'decommissioned' : 'deleted';
    await fixture.rows.rows(
      `insert into source_records (id, tenant_id, kind, connector_id, external_id, status, content_hash, fields, changed_at,
                                   created_at, updated_at, document, last_job_id, last_seq, status_since)
       values ($1, $2, $3, $4, $5, $6, $7, '{}', '{}', now(), now(), '{}', $1, 0, now())`,
      [newUuid(), tenantId, kind, connectorId, externalId, gone ? deleted : 'active', Buffer.from(gone ? '' : 'x')],
    );
  }

  async function run(connectorId: string, records: Page['records'][number][]): Promise<string[]> {
    const source = {
      async *read() {
        yield { records, errors: [], cursor: {}, last: true };
      },
    } as never as Connector;
    const claimed = await claimJob(fixture.context(source), await fixture.queue(tenantId, connectorId));
    if (!claimed) throw new Error('not claimed');
    await runJob(fixture.context(source), claimed, new RunControl());
    for (const message of await fixture.announced()) await fixture.apply(message);
    return fixture.applied.splice(0);
  }

  it('is left out of people and accounts, and is a machine, if it is not known', async () => {
    const records = [service('new'), { external_id: 'ann', fields: {} }];
    expect(await run(people, records)).toEqual(['ann']);
    expect(await run(logins, records)).toEqual(['ann']);
    expect(await run(machines, [service('new')])).toEqual(['new']);
  });

  it('stays the known person or account, and is no machine beside it', async () => {
    await know(people, 'user', 'ann');
    await know(logins, 'account', 'bob');
    expect(await run(people, [service('ann')])).toEqual(['ann']);
    expect(await run(logins, [service('bob')])).toEqual(['bob']);
    expect(await run(machines, [service('ann'), service('bob'), service('new')])).toEqual(['new']);
  });

  it('stays a known machine, and is no person', async () => {
    await know(machines, 'machine_identity', 'svc');
    expect(await run(machines, [service('svc')])).toEqual(['svc']);
    expect(await run(people, [service('svc'), { external_id: 'ann', fields: {} }])).toEqual(['ann']);
  });

  it('is a machine if the person was deleted, or is known to another type of source only', async () => {
    await know(people, 'user', 'ann', true);
    const hr = await fixture.rows.connector(tenantId, { name: 'HR' });
    await know(hr, 'user', 'bob');
    expect(await run(people, [service('ann'), { external_id: 'cy', fields: {} }])).toEqual(['cy']);
    expect(await run(machines, [service('ann'), service('bob')])).toEqual(['ann', 'bob']);
  });
});

describe('a record of an erased person', () => {
  type Read = Parameters<typeof suppressionHashes>[2];

  const person = (
    external_id: string,
    values: Record<string, string>,
  ): Read & { fields: Record<string, string[]> } => ({
    external_id,
    fields: Object.fromEntries(Object.entries(values).map(([field, value]) => [field, [value]])),
  });

  const ann = person('7', { employee_number: 'E7', email: 'ann@x.org', first_name: 'Ann', last_name: 'Green' });
  const bob = person('8', { employee_number: 'E8', email: 'bob@x.org', first_name: 'Bob', last_name: 'Black' });

  let tenantId: string;
  let connectorId: string;

  beforeEach(async () => {
    tenantId = await fixture.rows.tenant();
    connectorId = await fixture.rows.connector(tenantId);
  });

  /** Stores what the erasure of Ann leaves. */
  async function suppress(by = testKey): Promise<string> {
    const [key, id] = [randomBytes(32), newUuid()];
    await fixture.rows.rows('insert into suppression_keys (tenant_id, ciphertext) values ($1, $2)', [
      tenantId,
      encrypt(key.toString('base64'), by, tenantId),
    ]);
    for (const { hash } of suppressionHashes(key, connectorId, ann)) {
      await fixture.rows.rows('insert into suppression_hashes (tenant_id, hash, suppression_id) values ($1, $2, $3)', [
        tenantId,
        hash,
        id,
      ]);
    }
    return id;
  }

  async function run(records: Read[], errors: { external_id?: string; message: string }[] = []) {
    const source: Connector = {
      async *read() {
        yield { records: records as never, errors, cursor: {}, last: true };
      },
    } as never;
    const context = fixture.context(source);
    const claimed = await claimJob(context, await fixture.queue(tenantId, connectorId));
    if (!claimed) throw new Error('not claimed');
    await runJob(context, claimed, new RunControl());
    const ready = await fixture.announced();
    for (const message of ready) await fixture.apply(message);
    const [job] = await fixture.rows.rows<Record<string, unknown>>(
      `select records_read::int, records_failed::int, records_suppressed::int, status, error_message from sync_jobs where id = $1`,
      [claimed.id],
    );
    await fixture.rows.rows(`update sync_jobs set status = 'completed' where id = $1 and status = 'running'`, [
      claimed.id,
    ]);
    return { id: claimed.id, job, listed: fixture.applied.splice(0) };
  }

  it.each([
    ['the same record', ann],
    ['a record with another id and the same number and name', { ...ann, external_id: 'new' }],
    ['an account with the same address and name', person('ann', { email: 'ANN@x.org', display_name: 'Ann Green' })],
  ])('is left out and counted: %s', async (_what, listed) => {
    await suppress();
    expect(await run([listed, bob])).toMatchObject({
      job: { records_read: 1, records_suppressed: 1, records_failed: 0 },
      listed: ['8'],
    });
  });

  it('is left out with its errors, so that nothing of it is stored', async () => {
    await suppress();
    const { id, job } = await run([bob], [{ external_id: '7', message: 'ann@x.org is no date' }]);
    expect(job).toMatchObject({ records_suppressed: 1, records_failed: 0 });
    expect(await fixture.recordErrors(id)).toEqual([]);
    expect(await fixture.rows.rows('select from failing_records where tenant_id = $1', [tenantId])).toEqual([]);
  });

  it('is left out beside the errors of others, and counted for its job only', async () => {
    const earlier = await run([bob]);
    await suppress();
    const errors = [
      { external_id: '7', message: 'no date' },
      { external_id: '8', message: 'no email' },
      { message: 'bad line' },
    ];
    const { id, job, listed } = await run([ann, bob], errors);
    expect(job).toMatchObject({ records_suppressed: 2, records_failed: 2 });
    expect(listed).toEqual(['8']);
    expect((await fixture.recordErrors(id)).map(({ message }) => message)).toEqual(['no email', 'bad line']);
    const counts = 'select records_suppressed::int as count from sync_jobs where id = $1';
    expect(await fixture.rows.rows(counts, [earlier.id])).toEqual([{ count: 0 }]);
  });

  it('is refused with the reason if it is read alone', async () => {
    await suppress();
    const id = newUuid();
    await fixture.rows.rows(
      `insert into sync_jobs (id, tenant_id, connector_id, keyed, mode, external_id) values ($1, $2, $3, true, 'record', '7')`,
      [id, tenantId, connectorId],
    );
    const source = { readOne: async () => ({ record: ann }) } as unknown as Connector;
    const context = fixture.context(source);
    const claimed = await claimJob(context, { id, tenantId });
    if (!claimed) throw new Error('not claimed');
    await runJob(context, claimed, new RunControl());
    expect(await fixture.rows.rows('select outcome, records_failed::int from sync_jobs where id = $1', [id])).toEqual([
      { outcome: 'refused', records_failed: 0 },
    ]);
    expect(await fixture.recordErrors(id)).toMatchObject([
      { message: expect.stringContaining('a suppression leaves this record out') },
    ]);
  });

  it('is not confused with the next holder of the address', async () => {
    await suppress();
    const next = person('9', { email: 'ann@x.org', first_name: 'Zoe', last_name: 'White' });
    expect(await run([next])).toMatchObject({ job: { records_suppressed: 0 }, listed: ['9'] });
  });

  it('is read again after the suppression is lifted', async () => {
    const id = await suppress();
    await fixture.rows.rows('delete from suppression_hashes where suppression_id = $1', [id]);
    expect(await run([ann])).toMatchObject({ job: { records_suppressed: 0 }, listed: ['7'] });
  });

  it('fails the job if no encryption key decrypts the key of the hashes', async () => {
    await suppress(Buffer.alloc(32, 9));
    expect(await run([ann])).toMatchObject({
      job: {
        status: 'failed',
        error_message: 'no encryption key decrypts the key of the suppressions: add it to ENCRYPTION_KEYS_PREVIOUS',
      },
      listed: [],
    });
  });

  it('does not affect another tenant', async () => {
    await suppress();
    tenantId = await fixture.rows.tenant();
    connectorId = await fixture.rows.connector(tenantId);
    expect(await run([ann])).toMatchObject({ job: { records_suppressed: 0 }, listed: ['7'] });
  });
});
