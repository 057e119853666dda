import { encodeId, requests } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { enqueue } from '@idsync/database/bus';
import { findJob, findJobPlan, findNames, type JobRow, listJobs } from '@idsync/database/gateway';
import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import type { z } from 'zod';
import { Approvals } from '../approvals/approvals.service.js';
import { OperatorAccess } from '../audit/operator-access.decorator.js';
import { actorName } from '../audit/request-context.js';
import { badRequest, orNotFound } from '../http/api-error.js';
import { MayTakeLonger, type Progress } from '../http/may-take-longer.interceptor.js';
import { PublicId, QueryId, TenantParam } from '../http/public-id.pipe.js';
import { ZodBody, ZodQuery } from '../http/zod.pipe.js';
import { presentOperatorJob, presentPlan } from '../present.js';
import { triggerIn } from '../shared/trigger.js';
import { Operations } from './operations.service.js';
import { presentJobWithErrors } from './present-job.js';
import { releaseJob } from './release-job.js';
import { TenantTransactions } from './tenant-transactions.service.js';

const unfinished = new Set<JobRow['status']>(['queued', 'running', 'quarantined']);

@Controller('admin/v1/tenants/:tenantId/sync-jobs')
@OperatorAccess()
export class SyncJobsController {
  constructor(
    private readonly database: Database,
    private readonly tenants: TenantTransactions,
    private readonly operations: Operations,
    private readonly approvals: Approvals,
  ) {}

  @Post()
  @HttpCode(202)
  async trigger(
    @TenantParam() tenantId: string,
    @ZodBody(requests.operatorTriggerBody) body: z.infer<typeof requests.operatorTriggerBody>,
  ): Promise<object> {
    const { connector_id, dry_run: dryRun, mode } = body;
    return this.tenants.act(tenantId, async (tx, describe) => {
      const { body: job } = await triggerIn(tx, tenantId, connector_id, { dryRun, mode });
      describe({ resource: job.job_id, after: body });
      return job;
    });
  }

  @Get()
  list(
    @TenantParam() tenantId: string,
    @QueryId('connector', 'connector_id') connectorId: string | undefined,
    @ZodQuery(requests.operatorJobQuery) { limit, offset, status }: z.infer<typeof requests.operatorJobQuery>,
  ): Promise<object> {
    return this.tenants.page(tenantId, { limit, offset }, presentOperatorJob, (tx) =>
      listJobs(tx, tenantId, { limit, offset, connectorId, status }),
    );
  }

  @Get(':jobId')
  get(@TenantParam() tenantId: string, @PublicId('job', 'jobId') id: string): Promise<object> {
    return presentJobWithErrors(this.database, tenantId, id);
  }

  @Post(':jobId/apply')
  @MayTakeLonger()
  async apply(
    @TenantParam() tenantId: string,
    @PublicId('job', 'jobId') id: string,
    @ZodBody(requests.reasonBody) { reason }: z.infer<typeof requests.reasonBody>,
  ): Promise<Progress> {
    orNotFound(await this.tenants.run(tenantId, (tx) => findJob(tx, tenantId, id)));
    const given = { ...(reason !== undefined && { reason }) };
    const waiting = await this.approvals.request(tenantId, 'applySyncJob', { job_id: encodeId('job', id), ...given });
    if (waiting) return { finished: false, body: waiting };
    return this.operations.request(tenantId, 'plan.apply', { job_id: id, ...given });
  }

  @Post(':jobId/undo')
  @MayTakeLonger()
  async undo(
    @TenantParam() tenantId: string,
    @PublicId('job', 'jobId') id: string,
    @ZodBody(requests.undoBody) { preview, reason }: z.infer<typeof requests.undoBody>,
  ): Promise<Progress> {
    orNotFound(await this.tenants.run(tenantId, (tx) => findJob(tx, tenantId, id)));
    const given = { ...(reason !== undefined && { reason }) };
    // Records that the job created are deleted, and no safeguard bounds their number.
    const job = { job_id: encodeId('job', id), ...given };
    const waiting = preview ? undefined : await this.approvals.request(tenantId, 'undoSyncJob', job);
    if (waiting) return { finished: false, body: waiting };
    return this.operations.request(tenantId, 'job.undo', { job_id: id, preview, ...given });
  }

  @Get(':jobId/plan')
  async plan(
    @TenantParam() tenantId: string,
    @PublicId('job', 'jobId') id: string,
    @ZodQuery(requests.planQuery) { action, external_id, ...page }: z.infer<typeof requests.planQuery>,
  ): Promise<object> {
    return this.tenants.run(tenantId, async (tx) => {
      const job = orNotFound(await findJob(tx, tenantId, id));
      const plan = await findJobPlan(tx, tenantId, id, page, { action, externalId: external_id });
      const identityIds = plan.entries.flatMap(({ identityId }) => identityId ?? []);
      const { identities } = await findNames(tx, tenantId, { identityIds, recordIds: [], fields: [] });
      return { ...presentPlan(job, plan, identities), total: plan.total, ...page };
    });
  }

  @Post(':jobId/release')
  @HttpCode(202)
  async release(
    @TenantParam() tenantId: string,
    @PublicId('job', 'jobId') id: string,
    @ZodBody(requests.releaseBody) { reason, by }: z.infer<typeof requests.releaseBody>,
  ): Promise<object> {
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
  @Post(':jobId/cancel')
  @HttpCode(202)
  async cancel(
    @TenantParam() tenantId: string,
    @PublicId('job', 'jobId') id: string,
    @ZodBody(requests.cancelBody) { reason, by }: z.infer<typeof requests.cancelBody>,
  ): Promise<object> {
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
