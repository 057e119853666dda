import type { Connector, FoundRecord } from '@idsync/connectors';
import { newUuid } from '@idsync/contracts';
import { findUnfinishedJob } from '@idsync/database/sync';
import { until } from '@idsync/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { listSource } from '../test/list-source.js';
import { SyncFixture } from '../test/sync-fixture.js';
import { claimJob } from './claim-job.js';
import { readOvertakenRecords } from './job-messages.js';
import { JobScheduler } from './job-scheduler.service.js';
import { RunControl } from './run-control.js';
import { runJob } from './run-job.js';

const fixture = SyncFixture.ofFile();
const schedulers: JobScheduler[] = [];

beforeEach(() => {
  fixture.applied.length = 0;
});

afterEach(async () => {
  await Promise.all(schedulers.splice(0).map((scheduler) => scheduler.stop()));
  // Removes jobs that the next test would claim.
  await fixture.rows.rows('delete from sync_jobs');
  await fixture.announced();
});

describe('a single-record job', () => {
  async function queueRecord(of: { tenantId: string; connectorId: string }, externalId = 'r1') {
    const id = newUuid();
    await fixture.rows.rows(
      `insert into sync_jobs (id, tenant_id, connector_id, keyed, mode, external_id) values ($1, $2, $3, true, 'record', $4)`,
      [id, of.tenantId, of.connectorId, externalId],
    );
    return { id, tenantId: of.tenantId };
  }

  async function newConnector() {
    const tenantId = await fixture.rows.tenant();
    return { tenantId, connectorId: await fixture.rows.connector(tenantId) };
  }

  const asked: string[] = [];
  /** A source whose full read never ends and whose single-record read returns `answer`. */
  function source(answer: (externalId: string) => Promise<FoundRecord>): Connector {
    return {
      ...listSource(30, { beforePage: () => new Promise(() => undefined) }),
      readOne(externalId) {
        asked.push(externalId);
        return answer(externalId);
      },
    };
  }
  const present = source(async (external_id) => ({ record: { external_id, fields: {} } }));

  function start(from: Connector): void {
    const scheduler = new JobScheduler(
      fixture.context(from, { pollMs: 20, stopMs: 20, concurrency: 1, recordConcurrency: 2 }),
    );
    scheduler.start();
    schedulers.push(scheduler);
  }

  async function completed(id: string): Promise<boolean> {
    await fixture.applyAll();
    return (await fixture.job(id)).status === 'completed';
  }

  it('waits neither for a run of its connector nor for runs that use the whole capacity', async () => {
    const of = await newConnector();
    const run = await fixture.queue(of.tenantId, of.connectorId);
    const behind = await fixture.queue(of.tenantId, of.connectorId);
    start(present);
    await until(async () => (await fixture.job(run.id)).status === 'running');
    const one = await queueRecord(of);
    await until(() => completed(one.id));
    expect((await fixture.job(run.id)).status).toBe('running');
    expect((await fixture.job(behind.id)).status).toBe('queued');
  });

  it('does not block a run or a schedule of its connector', async () => {
    const of = await newConnector();
    const one = await queueRecord(of);
    const context = fixture.context(present);
    expect(await claimJob(context, one)).toMatchObject({ mode: 'record', externalId: 'r1' });
    expect(
      await fixture.database.transaction(of.tenantId, (tx) => findUnfinishedJob(tx, of.connectorId)),
    ).toBeUndefined();
    expect(await claimJob(context, await fixture.queue(of.tenantId, of.connectorId))).toBeDefined();
  });

  it('runs after jobs of the same record and concurrently with jobs of other records', async () => {
    const of = await newConnector();
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    asked.length = 0;
    start(
      source(async (external_id) => {
        if (external_id === 'r1') await gate;
        return { record: { external_id, fields: {} } };
      }),
    );
    const first = await queueRecord(of);
    const second = await queueRecord(of);
    const other = await queueRecord(of, 'r2');
    await until(() => completed(other.id));
    expect(asked.sort()).toEqual(['r1', 'r2']);
    expect((await fixture.job(second.id)).status).toBe('queued');
    open();
    await until(() => completed(second.id));
    expect((await fixture.job(first.id)).status).toBe('completed');
  });

  it('is taken over when its worker is killed, and applied once', async () => {
    const of = await newConnector();
    const one = await queueRecord(of);
    const dead = await claimJob(fixture.context(present), one);
    await fixture.expireLease(one.id);
    start(present);
    await until(() => completed(one.id));
    // The first worker continues after its lease has expired.
    if (dead) await runJob(fixture.context(present), dead, new RunControl());
    expect(await fixture.announced()).toEqual([]);
    expect(await fixture.job(one.id)).toMatchObject({ status: 'completed', batches_written: 1, lease_token: 2 });
  });

  it('fails if its connector cannot read single records', async () => {
    const one = await queueRecord(await newConnector());
    start(listSource(3));
    await until(async () => (await fixture.job(one.id)).status === 'failed');
    expect((await fixture.job(one.id)).error_message).toBe('this type of connector cannot read a single record');
  });

  it('is created for each record that two jobs have read concurrently', async () => {
    const of = await newConnector();
    const run = await fixture.queue(of.tenantId, of.connectorId);
    const data = { job_id: run.id, external_ids: ['r1', 'CN=a/b'] };
    await readOvertakenRecords(fixture.database, { id: newUuid(), tenant_id: of.tenantId, data });
    const made = await fixture.rows.rows(
      `select external_id, status, connector_id from sync_jobs where mode = 'record' order by id`,
    );
    expect(made).toEqual(
      data.external_ids.map((external_id) => ({ external_id, status: 'queued', connector_id: of.connectorId })),
    );
  });
});
