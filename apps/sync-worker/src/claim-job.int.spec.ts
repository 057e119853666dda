import { encodeId } from '@idsync/contracts';
import { findClaimableJobs, releaseLease } from '@idsync/database/sync';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { listSource } from '../test/list-source.js';
import { SyncFixture } from '../test/sync-fixture.js';
import { claimJob } from './claim-job.js';
import type { SyncContext } from './sync-context.js';

let fixture: SyncFixture;
let context: SyncContext;

beforeAll(async () => {
  fixture = await SyncFixture.create();
  context = fixture.context(listSource(0));
});

afterAll(async () => {
  await fixture?.close();
});

const claimable = async () => (await findClaimableJobs(fixture.database, 100)).map((job) => job.id);

describe('claiming a job', () => {
  it('starts a queued job with one event, and takes a lease with the next token', async () => {
    const job = await fixture.queueAlone();
    expect(await claimable()).toContain(job.id);
    const claimed = await claimJob(context, job);
    expect(claimed).toMatchObject({ id: job.id, status: 'running', leaseToken: 1, started: true, cursor: null });
    expect(await fixture.job(job.id)).toMatchObject({ lease_owner: context.owner, attempts: 1 });
    expect(await claimable()).not.toContain(job.id);
    expect(await claimJob(context, job)).toBeUndefined();
    expect(await fixture.events(job.id)).toEqual([
      {
        type: 'sync.job.started',
        details: { job_id: encodeId('job', job.id), connector_id: encodeId('connector', job.connectorId) },
      },
    ]);
  });

  it('takes over a job with an expired lease, with a higher token and the original start time', async () => {
    const job = await fixture.queueAlone();
    await claimJob(context, job);
    const { started_at } = await fixture.job(job.id);
    await fixture.expireLease(job.id);
    expect(await claimable()).toContain(job.id);
    expect(await claimJob(context, job)).toMatchObject({ leaseToken: 2, started: false });
    expect(await fixture.job(job.id)).toMatchObject({ started_at });
    expect(await fixture.events(job.id)).toHaveLength(1);
  });

  it('finds the waiting job of each of several connectors', async () => {
    const jobs = [await fixture.queueAlone(), await fixture.queueAlone(), await fixture.queueAlone()];
    expect(await claimable()).toEqual(expect.arrayContaining(jobs.map(({ id }) => id)));
  });

  it('finds no single-record job, which is claimed separately', async () => {
    const job = await fixture.queueAlone();
    await claimJob(context, job);
    await fixture.expireLease(job.id);
    expect(await claimable()).toContain(job.id);
    await fixture.rows.rows(`update sync_jobs set mode = 'record', external_id = 'x' where id = $1`, [job.id]);
    expect(await claimable()).not.toContain(job.id);
  });

  it('releases the lease of this job only, and only of the present claim', async () => {
    const job = await fixture.queueAlone();
    const beside = await fixture.queue(job.tenantId, await fixture.rows.connector(job.tenantId));
    const claimed = await claimJob(context, job);
    await claimJob(context, beside);
    const release = (token: number) =>
      fixture.database.transaction(job.tenantId, (tx) =>
        releaseLease(tx, { jobId: job.id, tenantId: job.tenantId, token }, { delayMs: 0, asIfNeverClaimed: true }),
      );
    const owners = async () => [(await fixture.job(job.id)).lease_owner, (await fixture.job(beside.id)).lease_owner];
    const token = claimed?.leaseToken ?? 0;
    await release(token + 1);
    expect(await owners()).toEqual([context.owner, context.owner]);
    await release(token);
    expect(await owners()).toEqual([null, context.owner]);
  });

  it('skips a job whose tenant is locked, instead of waiting', async () => {
    const job = await fixture.queueAlone();
    await fixture.database.transaction(job.tenantId, async (tx) => {
      await tx.query('select last from event_sequences where tenant_id = $1 for update', [job.tenantId]);
      expect(await claimJob(context, job)).toBeUndefined();
    });
    expect(await fixture.job(job.id)).toMatchObject({ status: 'queued', lease_token: 0 });
    expect(await claimJob(context, job)).toMatchObject({ id: job.id });
  });

  it('finds the oldest queued job of a connector, and none while another one runs', async () => {
    const first = await fixture.queueAlone();
    const second = await fixture.queue(first.tenantId, first.connectorId);
    expect(await claimable()).toContain(first.id);
    expect(await claimable()).not.toContain(second.id);
    await fixture.rows.rows(`update sync_jobs set status = 'running' where id = $1`, [first.id]);
    expect(await claimable()).not.toContain(second.id);
    expect(await claimJob(context, second)).toBeUndefined();
    await fixture.rows.rows(`update sync_jobs set status = 'completed' where id = $1`, [first.id]);
    expect(await claimable()).toContain(second.id);
  });

  it('finds a queued job while another one of the connector is quarantined, but not once that one is released', async () => {
    const first = await fixture.queueAlone();
    const second = await fixture.queue(first.tenantId, first.connectorId);
    await fixture.rows.rows(`update sync_jobs set status = 'quarantined' where id = $1`, [first.id]);
    expect(await claimable()).toContain(second.id);
    const decide = (action: string | null) =>
      fixture.rows.rows(`update sync_jobs set decision = $2::jsonb where id = $1`, [
        first.id,
        action && JSON.stringify({ action }),
      ]);
    await decide('released');
    expect(await claimable()).not.toContain(second.id);
    await decide(null);
    expect(await claimJob(context, second)).toMatchObject({ id: second.id });
  });

  it('starts one of two jobs of a connector when both are claimed concurrently', async () => {
    const first = await fixture.queueAlone();
    const second = await fixture.queue(first.tenantId, first.connectorId);
    const claims = await Promise.all([first, second, first, second].map((job) => claimJob(context, job)));
    expect(claims.filter((claim) => claim !== undefined)).toHaveLength(1);
    const statuses = [(await fixture.job(first.id)).status, (await fixture.job(second.id)).status];
    expect(statuses.sort()).toEqual(['queued', 'running']);
  });

  it('does not find a running job that only waits for its batches', async () => {
    const job = await fixture.queueAlone();
    await claimJob(context, job);
    await fixture.rows.rows('update sync_jobs set batches_total = 3, lease_until = null where id = $1', [job.id]);
    expect(await claimable()).not.toContain(job.id);
    expect(await claimJob(context, job)).toBeUndefined();
  });

  it('fails a job whose workers are killed repeatedly without a page in between', async () => {
    const job = await fixture.queueAlone();
    const context = fixture.context(listSource(0), { claimsAllowed: 3 });
    for (let claim = 1; claim <= 3; claim += 1) {
      expect(await claimJob(context, job)).toBeDefined();
      await fixture.expireLease(job.id);
    }
    expect(await claimJob(context, job)).toBeUndefined();
    expect(await fixture.job(job.id)).toMatchObject({
      status: 'failed',
      error_message: 'internal error: no progress in 3 attempts',
    });
    expect((await fixture.events(job.id)).map((event) => event.type)).toEqual(['sync.job.started', 'sync.job.failed']);
  });
});
