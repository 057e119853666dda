import { encodeId, requests } from '@idsync/contracts';
import { Database, enqueue, findJob, findJobPlan, type JobRow, listJobs } from '@idsync/database';
import { Body, Controller, Get, HttpCode, Inject, Param, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { badRequest, notFound } from '../api-error.js';
import { uuidOf } from '../directory.controller.js';
import { operate } from '../operate.js';
import { presentOperatorJob, presentPlan } from '../present.js';
import { trigger } from '../trigger.js';
import { validate } from '../validate.js';
import { presentJobWithErrors } from './present-job.js';
import { inTenant } from './tenants.controller.js';

const unfinished = new Set<JobRow['status']>(['queued', 'running', 'quarantined']);

@Controller('admin/v1/tenants/:tenantId/sync-jobs')
export class SyncJobsController {
  constructor(@Inject(Database) private readonly database: Database) {}

  @Post()
  @HttpCode(202)
  async trigger(@Param('tenantId') tenantId: string, @Body() body: unknown): Promise<object> {
    const { connector_id, dry_run: dryRun, mode } = validate(requests.operatorTriggerBody, body);
    const { answer } = await trigger(this.database, uuidOf('tenant', tenantId), connector_id, { dryRun, mode });
    return answer;
  }

  @Get()
  async list(@Param('tenantId') tenantId: string, @Query() query: unknown): Promise<object> {
    const { limit, offset, connector_id, status } = validate(requests.operatorJobQuery, query);
    const connectorId = connector_id === undefined ? undefined : uuidOf('connector', connector_id);
    const { rows, total } = await inTenant(this.database, tenantId, (tx, tenant) =>
      listJobs(tx, tenant, { limit, offset, connectorId, status }),
    );
    return { data: rows.map(presentOperatorJob), total, limit, offset };
  }

  @Get(':jobId')
  async get(@Param('tenantId') tenantId: string, @Param('jobId') jobId: string): Promise<object> {
    return presentJobWithErrors(this.database, uuidOf('tenant', tenantId), uuidOf('job', jobId));
  }

  @Post(':jobId/apply')
  async apply(
    @Param('tenantId') tenantId: string,
    @Param('jobId') jobId: string,
    @Body() body: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const { reason } = validate(requests.reasonBody, body);
    const id = uuidOf('job', jobId);
    const job = await inTenant(this.database, tenantId, (tx, tenant) => findJob(tx, tenant, id));
    if (!job) throw notFound();
    return operate(this.database, reply, uuidOf('tenant', tenantId), 'plan.apply', {
      job_id: id,
      ...(reason !== undefined && { reason }),
    });
  }

  @Post(':jobId/undo')
  async undo(
    @Param('tenantId') tenantId: string,
    @Param('jobId') jobId: string,
    @Body() body: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const { preview, reason } = validate(requests.undoBody, body);
    const id = uuidOf('job', jobId);
    const job = await inTenant(this.database, tenantId, (tx, tenant) => findJob(tx, tenant, id));
    if (!job) throw notFound();
    return operate(this.database, reply, uuidOf('tenant', tenantId), 'job.undo', {
      job_id: id,
      preview,
      ...(reason !== undefined && { reason }),
    });
  }

  @Get(':jobId/plan')
  async plan(
    @Param('tenantId') tenantId: string,
    @Param('jobId') jobId: string,
    @Query() query: unknown,
  ): Promise<object> {
    const page = validate(requests.pageQuery, query);
    const id = uuidOf('job', jobId);
    return inTenant(this.database, tenantId, async (tx, tenant) => {
      const job = await findJob(tx, tenant, id);
      if (!job) throw notFound();
      const plan = await findJobPlan(tx, tenant, id, page);
      const total = Object.values(plan.counts).reduce((sum, count) => sum + count, 0);
      return { ...presentPlan(job, plan), total, ...page };
    });
  }

  @Post(':jobId/release')
  @HttpCode(202)
  async release(
    @Param('tenantId') tenantId: string,
    @Param('jobId') jobId: string,
    @Body() body: unknown,
  ): Promise<object> {
    const { reason, by } = validate(requests.releaseBody, body);
    const id = uuidOf('job', jobId);
    return inTenant(this.database, tenantId, async (tx, tenant) => {
      const job = await findJob(tx, tenant, id);
      if (!job) throw notFound();
      if (job.status !== 'quarantined') throw badRequest(`the job is ${job.status}, not quarantined`);
      await enqueue(tx, { type: 'sync.job.release_requested', tenantId: tenant, data: { job_id: id, reason, by } });
      return { job_id: encodeId('job', id), status: job.status };
    });
  }

  /** The job lives in the sync-worker, so the wish travels; 202 says it was heard. */
  @Post(':jobId/cancel')
  @HttpCode(202)
  async cancel(
    @Param('tenantId') tenantId: string,
    @Param('jobId') jobId: string,
    @Body() body: unknown,
  ): Promise<object> {
    const { reason, by } = validate(requests.cancelBody, body);
    const id = uuidOf('job', jobId);
    return inTenant(this.database, tenantId, async (tx, tenant) => {
      const job = await findJob(tx, tenant, id);
      if (!job) throw notFound();
      if (!unfinished.has(job.status)) throw badRequest(`the job is ${job.status} already`);
      if (job.status === 'quarantined' && reason === undefined) throw badRequest('reason is required');
      await enqueue(tx, { type: 'sync.job.cancel_requested', tenantId: tenant, data: { job_id: id, reason, by } });
      return { job_id: encodeId('job', id), status: job.status };
    });
  }
}
