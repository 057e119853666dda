import { canReadOne, comparedText, encodeId, requests, type responses } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { enqueue } from '@idsync/database/bus';
import { findConnector, findJob, insertRecordJob, type JobRow } from '@idsync/database/gateway';
import { Injectable } from '@nestjs/common';
import { badRequest, orNotFound } from '../http/api-error.js';
import type { Progress } from '../http/may-take-longer.interceptor.js';
import { validate } from '../http/validate.js';
import { waitFor } from '../operations/wait-for.js';
import { TenantTransactions } from '../tenants/tenant-transactions.service.js';
import { presentJobWithErrors } from './present-job.js';

const waitMs = 10_000;

/** Requests jobs for a single record, which the sync-worker reads at once. */
@Injectable()
export class RecordJobs {
  constructor(
    private readonly database: Database,
    private readonly tenants: TenantTransactions,
  ) {}

  /** Requests a job for one record and waits up to 10 s for its end. */
  async request(tenantId: string, connectorId: string, recordId: string): Promise<Progress<responses.JobDetails>> {
    const { external_id: externalId } = validate(requests.recordPath, { external_id: comparedText(recordId) });
    const id = await this.tenants.act(tenantId, async (tx, describe) => {
      const { type, records } = orNotFound(await findConnector(tx, tenantId, connectorId));
      if (!canReadOne(type, records)) throw badRequest('this type of connector cannot read a single record');
      const jobId = await insertRecordJob(tx, tenantId, { connectorId, externalId });
      await enqueue(tx, { type: 'sync.job.requested', tenantId, data: { job_id: jobId } });
      describe({ created: { job_id: encodeId('job', jobId) } });
      return jobId;
    });
    const job = await waitFor(
      () => this.database.transaction(tenantId, (tx) => findJob(tx, tenantId, id)),
      isFinished,
      waitMs,
    );
    return { finished: isFinished(job), body: await presentJobWithErrors(this.database, tenantId, id) };
  }
}

function isFinished(job: JobRow | undefined): boolean {
  return job !== undefined && job.status !== 'queued' && job.status !== 'running';
}
