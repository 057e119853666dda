import { adminRoutes, clientRoutes, encodeId } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { enqueue } from '@idsync/database/bus';
import { findIdentityNames, findJob, findJobPlan, type JobRow, listJobs } from '@idsync/database/gateway';
import { Controller, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Approvals } from '../approvals/approvals.service.js';
import { actorName } from '../audit/request-context.js';
import { badRequest, orNotFound } from '../http/api-error.js';
import { Handles, type Input } from '../http/handles.decorator.js';
import { optionalUuid, uuidOf } from '../http/ids.js';
import { Operations } from '../operations/operations.service.js';
import { TenantTransactions } from '../tenants/tenant-transactions.service.js';
import { presentJob, presentJobWithErrors, presentOperatorJob, presentPlan } from './present-job.js';
import { trigger } from './trigger.js';

const unfinished = new Set<JobRow['status']>(['queued', 'running', 'quarantined']);

@Controller()
export class SyncJobsController {
  constructor(
    private readonly database: Database,
    private readonly tenants: TenantTransactions,
    private readonly operations: Operations,
    private readonly approvals: Approvals,
  ) {}

  @Handles(clientRoutes.triggerSync)
  async trigger(
    { tenantId, body }: Input<typeof clientRoutes.triggerSync>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const connectorId = uuidOf('connector', body.connector_id);
    const { body: job, replayed } = await this.tenants.act(tenantId, (tx) =>
      trigger(tx, { connectorId, idempotencyKey: body.idempotency_key }),
    );
    if (replayed) void reply.header('Idempotent-Replayed', 'true');
    return job;
  }

  @Handles(adminRoutes.createSyncJob)
  create({ tenantId, body }: Input<typeof adminRoutes.createSyncJob>) {
    const { connector_id, dry_run: dryRun, mode } = body;
    return this.tenants.act(tenantId, async (tx, describe) => {
      const connectorId = uuidOf('connector', connector_id);
      const { body: job } = await trigger(tx, { connectorId, dryRun, mode });
      describe({ resource: job.job_id, after: body });
      return job;
    });
  }

  @Handles(adminRoutes.listSyncJobs)
  list({ tenantId, query: { limit, offset, status, connector_id } }: Input<typeof adminRoutes.listSyncJobs>) {
    const connectorId = optionalUuid('connector', connector_id);
    return this.tenants.page(tenantId, { limit, offset }, presentOperatorJob, (tx) =>
      listJobs(tx, { limit, offset, connectorId, status }),
    );
  }

  @Handles(clientRoutes.getSyncJob)
  async get({ tenantId, jobId: id }: Input<typeof clientRoutes.getSyncJob>) {
    return presentJob(orNotFound(await this.tenants.run(tenantId, (tx) => findJob(tx, id))));
  }

  @Handles(adminRoutes.getSyncJob)
  getDetails({ tenantId, jobId: id }: Input<typeof adminRoutes.getSyncJob>) {
    return presentJobWithErrors(this.database, tenantId, id);
  }

  @Handles(adminRoutes.applySyncJob)
  async apply({ tenantId, jobId: id, body: { reason } }: Input<typeof adminRoutes.applySyncJob>) {
    orNotFound(await this.tenants.run(tenantId, (tx) => findJob(tx, id)));
    return this.approvals.operate(tenantId, 'applySyncJob', { job_id: encodeId('job', id), reason });
  }

  @Handles(adminRoutes.undoSyncJob)
  async undo({ tenantId, jobId: id, body: { preview, reason } }: Input<typeof adminRoutes.undoSyncJob>) {
    orNotFound(await this.tenants.run(tenantId, (tx) => findJob(tx, id)));
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
      const job = orNotFound(await findJob(tx, id));
      const plan = await findJobPlan(tx, id, page, { action, externalId: external_id });
      const people = plan.entries.map(({ identityId }) => identityId);
      const names = await findIdentityNames(tx, people);
      return { ...presentPlan(job, plan, names), total: plan.total, ...page };
    });
  }

  @Handles(adminRoutes.releaseSyncJob)
  async release({ tenantId, jobId: id, body: { reason, by } }: Input<typeof adminRoutes.releaseSyncJob>) {
    const job = { job_id: encodeId('job', id), status: 'quarantined' as const };
    const given = { job_id: job.job_id, reason };
    const { waiting } = await this.approvals.perform(tenantId, 'releaseSyncJob', given, { by: actorName(by) });
    return waiting ?? job;
  }

  /** Responds with 202, because the sync-worker owns jobs and cancels this one asynchronously. */
  @Handles(adminRoutes.cancelSyncJob)
  async cancel({ tenantId, jobId: id, body: { reason, by } }: Input<typeof adminRoutes.cancelSyncJob>) {
    return this.tenants.act(tenantId, async (tx) => {
      const { status } = orNotFound(await findJob(tx, id));
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
