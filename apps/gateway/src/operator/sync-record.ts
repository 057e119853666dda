import { setTimeout as sleep } from 'node:timers/promises';
import { canReadOne } from '@idsync/connectors';
import { requests } from '@idsync/contracts';
import { type Database, enqueue, findConnector, findJob, insertRecordJob, type JobRow } from '@idsync/database';
import type { FastifyReply } from 'fastify';
import { badRequest, notFound } from '../api-error.js';
import { uuidOf } from '../directory.controller.js';
import { validate } from '../validate.js';
import { presentJobWithErrors } from './present-job.js';
import { inTenant } from './tenants.controller.js';

const patienceMs = 10_000;
const longestPauseMs = 250;

/** Has the sync-worker read one record now, and waits a while: 200 with what came of it, 202 if it is still at it. */
export async function syncRecord(
  database: Database,
  reply: FastifyReply,
  tenantId: string,
  connectorId: string,
  record: string,
): Promise<object> {
  const connector = uuidOf('connector', connectorId);
  const { external_id: externalId } = validate(requests.recordPath, { external_id: record });
  const tenant = uuidOf('tenant', tenantId);
  const id = await inTenant(database, tenantId, async (tx) => {
    const row = await findConnector(tx, tenant, connector);
    if (!row) throw notFound();
    if (!canReadOne(row.type, row.records)) throw badRequest('connectors of this kind cannot read one record alone');
    const jobId = await insertRecordJob(tx, tenant, { connectorId: connector, externalId });
    await enqueue(tx, { type: 'sync.job.requested', tenantId: tenant, data: { job_id: jobId } });
    return jobId;
  });
  const until = Date.now() + patienceMs;
  let job: JobRow | undefined;
  for (let pause = 20; isUnderWay(job) && Date.now() < until; pause = Math.min(2 * pause, longestPauseMs)) {
    await sleep(pause);
    job = await database.transaction(tenant, (tx) => findJob(tx, tenant, id));
  }
  reply.status(isUnderWay(job) ? 202 : 200);
  return presentJobWithErrors(database, tenant, id);
}

function isUnderWay(job: JobRow | undefined): boolean {
  return job === undefined || job.status === 'queued' || job.status === 'running';
}
