import { adminRoutes, encodeId } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { enqueue } from '@idsync/database/bus';
import { findJob, findJobPlan, findNames, type JobRow, listJobs } from '@idsync/database/gateway';
import { Controller } from '@nestjs/common';
import { Approvals } from '../approvals/approvals.service.js';
import { actorName } from '../audit/request-context.js';
import { badRequest, orNotFound } from '../http/api-error.js';
import { Handles, type Input } from '../http/handles.decorator.js';
import { optionalUuid } from '../http/ids.js';
import { Operations } from '../operations/operations.service.js';
import { presentOperatorJob, presentPlan } from '../present.js';
import { TenantTransactions } from '../tenants/tenant-transactions.service.js';
import { presentJobWithErrors } from './present-job.js';
import { releaseJob } from './release-job.js';
import { triggerIn } from './trigger.js';

const unfinished = new Set<JobRow['status']>(['queued', 'running', 'quarantined']);

@Controller()
export class SyncJobsController {
  constructor(
    private readonly database: Database,
    private readonly tenants: TenantTransactions,
    private readonly operations: Operations,
    private readonly approvals: Approvals,
  ) {}

  @Handles(adminRoutes.createSyncJob)
  async trigger({ tenantId, body }: Input<typeof adminRoutes.createSyncJob>) {
    const { connector_id, dry_run: dryRun, mode } = body;
    return this.tenants.act(tenantId, async (tx, describe) => {
      const { body: job } = await triggerIn(tx, tenantId, connector_id, { dryRun, mode });
      describe({ resource: job.job_id, after: body });
      return job;
    });
  }

  @Handles(adminRoutes.listSyncJobs)
  list({ tenantId, query: { limit, offset, status, connector_id } }: Input<typeof adminRoutes.listSyncJobs>) {
    const connectorId = optionalUuid('connector', connector_id);
    return this.tenants.page(tenantId, { limit, offset }, presentOperatorJob, (tx) =>
      listJobs(tx, tenantId, { limit, offset, connectorId, status }),
    );
  }

  @Handles(adminRoutes.getSyncJob)
  get({ tenantId, jobId: id }: Input<typeof adminRoutes.getSyncJob>) {
    return presentJobWithErrors(this.database, tenantId, id);
  }

  @Handles(adminRoutes.applySyncJob)
  async apply({ tenantId, jobId: id, body: { reason } }: Input<typeof adminRoutes.applySyncJob>) {
    orNotFound(await this.tenants.run(tenantId, (tx) => findJob(tx, tenantId, id)));
    return this.approvals.operate(tenantId, 'applySyncJob', { job_id: encodeId('job', id), reason });
  }

  @Handles(adminRoutes.undoSyncJob)
  async undo({ tenantId, jobId: id, body: { preview, reason } }: Input<typeof adminRoutes.undoSyncJob>) {
    orNotFound(await this.tenants.run(tenantId, (tx) => findJob(tx, tenantId, id)));
    if (preview) return this.operations.request(tenantId, 'job.undo', { job_id: id, preview, reason });
    // Records that the job created are deleted, and no safeguard bounds their number.
    return this.approvals.operate(tenantId, 'undoSyncJob', { job_id: encodeId('job', id), reason });
  }

  @Handles(adminRoutes.getSyncJobPlan)
  async plan({
    tenantId,
    jobId: id,
    query: { action, external_id, ...page },
  }: Input<typeof adminRoutes.getSyncJobPlan>) {
    return this.tenants.run(tenantId, async (tx) => {
      const job = orNotFound(await findJob(tx, tenantId, id));
      const plan = await findJobPlan(tx, tenantId, id, page, { action, externalId: external_id });
      const identityIds = plan.entries.flatMap(({ identityId }) => identityId ?? []);
      const { identities } = await findNames(tx, tenantId, { identityIds, recordIds: [], fields: [] });
      return { ...presentPlan(job, plan, identities), total: plan.total, ...page };
    });
  }

  @Handles(adminRoutes.releaseSyncJob)
  async release({ tenantId, jobId: id, body: { reason, by } }: Input<typeof adminRoutes.releaseSyncJob>) {
    const waiting = await this.approvals.request(tenantId, 'releaseSyncJob', { job_id: encodeId('job', id), reason });
    if (waiting) return waiting;
    return this.tenants.act(tenantId, async (tx) => {
      const { status } = orNotFound(await findJob(tx, tenantId, id));
      if (status !== 'quarantined') throw badRequest(`the job is ${status}, not quarantined`);
      await releaseJob(tx, tenantId, { jobId: id, reason, by: actorName(by) });
      return { job_id: encodeId('job', id), status };
    });
  }

  /** Responds with 202, because the sync-worker owns jobs and cancels this one asynchronously. */
  @Handles(adminRoutes.cancelSyncJob)
  async cancel({ tenantId, jobId: id, body: { reason, by } }: Input<typeof adminRoutes.cancelSyncJob>) {
    return this.tenants.act(tenantId, async (tx) => {
      const { status } = orNotFound(await findJob(tx, tenantId, id));
      if (!unfinished.has(status)) throw badRequest(`the job is already ${status}`);
      if (status === 'quarantined' && reason === undefined) throw badRequest('reason is required');
      await enqueue(tx, {
        type: 'sync.job.cancel_requested',
        tenantId,
        data: { job_id: id, reason, by: actorName(by) },
      });
      return { job_id: encodeId('job', id), status };
    });
  }
}
