import { findClaimableJobs, findClaimableRecordJobs, findDueConnectors, lockLeasedJob } from '@idsync/database/sync';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { listSource } from '../test/list-source.js';
import { SyncFixture } from '../test/sync-fixture.js';
import { claimJob } from './claim-job.js';
import { RunControl } from './run-control.js';
import { runJob } from './run-job.js';

let fixture: SyncFixture;

beforeAll(async () => {
  fixture = await SyncFixture.create();
});

afterAll(async () => {
  await fixture?.close();
});

const suspend = (tenantId: string, at: string | null = '2026-11-23') =>
  fixture.rows.rows('update tenants set suspended_at = $2 where id = $1', [tenantId, at]);

const claimable = async () => (await findClaimableJobs(fixture.database, 1_000)).map(({ id }) => id);

describe('a suspended tenant', () => {
  it('begins no job until it is resumed', async () => {
    const job = await fixture.queueAlone();
    await suspend(job.tenantId);
    expect(await claimable()).not.toContain(job.id);
    await suspend(job.tenantId, null);
    expect(await claimable()).toContain(job.id);
  });

  it('begins no job of one record until it is resumed', async () => {
    const job = await fixture.queueAlone();
    await fixture.rows.rows(`update sync_jobs set mode = 'record', external_id = '7' where id = $1`, [job.id]);
    const found = async () => (await findClaimableRecordJobs(fixture.database, 1_000)).map(({ id }) => id);
    await suspend(job.tenantId);
    expect(await found()).not.toContain(job.id);
    await suspend(job.tenantId, null);
    expect(await found()).toContain(job.id);
  });

  it('plans no scheduled run until it is resumed', async () => {
    const { tenantId, connectorId } = await fixture.queueAlone();
    await fixture.rows.rows(
      `insert into connector_states (connector_id, tenant_id, due_at, next_run_at) values ($1, $2, now(), now())`,
      [connectorId, tenantId],
    );
    const due = async () =>
      (await fixture.database.acrossTenants((tx) => findDueConnectors(tx, 1_000))).map(({ id }) => id);
    await suspend(tenantId);
    expect(await due()).not.toContain(connectorId);
    await suspend(tenantId, null);
    expect(await due()).toContain(connectorId);
  });

  it('stops a running job, which continues after its last page when the tenant is resumed', async () => {
    const job = await fixture.queueAlone();
    const context = fixture.context(listSource(25));
    const claimed = await claimJob(context, job);
    if (!claimed) throw new Error('not claimed');
    const lease = { jobId: job.id, tenantId: job.tenantId, token: claimed.leaseToken };
    await suspend(job.tenantId);
    const held = () => fixture.database.transaction(job.tenantId, (tx) => lockLeasedJob(tx, lease));
    expect(await held()).toBeUndefined();
    await runJob(context, claimed, new RunControl());
    expect(await fixture.job(job.id)).toMatchObject({ status: 'running', records_read: 0 });
    await fixture.expireLease(job.id);
    expect(await claimable()).not.toContain(job.id);
    await suspend(job.tenantId, null);
    expect(await claimable()).toContain(job.id);
    const again = await claimJob(context, job);
    if (!again) throw new Error('not claimed');
    await runJob(context, again, new RunControl());
    await fixture.applyAll();
    expect(await fixture.job(job.id)).toMatchObject({ status: 'completed', records_read: 25 });
  });
});
