import { encodeId, requests } from '@idsync/contracts';
import { findDeletedConnector, listDeletedConnectors, type Page, queueRetirement } from '@idsync/database/gateway';
import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import type { z } from 'zod';
import { Approvals } from '../approvals/approvals.service.js';
import { OperatorAccess } from '../audit/operator-access.decorator.js';
import { orNotFound } from '../http/api-error.js';
import { bodyId } from '../http/ids.js';
import { MayTakeLonger, type Progress } from '../http/may-take-longer.interceptor.js';
import { PublicId, TenantParam } from '../http/public-id.pipe.js';
import { PageQuery, ZodBody } from '../http/zod.pipe.js';
import { presentDeletedConnector } from '../present.js';
import { Operations } from './operations.service.js';
import { TenantTransactions } from './tenant-transactions.service.js';

@Controller('admin/v1/tenants/:tenantId/deleted-connectors')
@OperatorAccess()
export class DeletedConnectorsController {
  constructor(
    private readonly tenants: TenantTransactions,
    private readonly operations: Operations,
    private readonly approvals: Approvals,
  ) {}

  @Get()
  list(@TenantParam() tenantId: string, @PageQuery() page: Page): Promise<object> {
    return this.tenants.page(tenantId, page, presentDeletedConnector, (tx) =>
      listDeletedConnectors(tx, tenantId, page),
    );
  }

  @Get(':connectorId')
  async get(@TenantParam() tenantId: string, @PublicId('connector', 'connectorId') id: string): Promise<object> {
    const row = await this.tenants.run(tenantId, (tx) => findDeletedConnector(tx, tenantId, id));
    return presentDeletedConnector(orNotFound(row));
  }

  @Post(':connectorId/retire')
  @HttpCode(202)
  async retire(@TenantParam() tenantId: string, @PublicId('connector', 'connectorId') id: string): Promise<object> {
    const connector = { connector_id: encodeId('connector', id) };
    const waiting = await this.approvals.request(tenantId, 'retireDeletedConnector', connector);
    if (waiting) return waiting;
    const job = await this.tenants.act(tenantId, async (tx, describe) => {
      orNotFound(await findDeletedConnector(tx, tenantId, id));
      const queued = await queueRetirement(tx, tenantId, id);
      describe({ created: { job_id: encodeId('job', queued.id) } });
      return queued;
    });
    return { job_id: encodeId('job', job.id), status: job.status };
  }

  @Post(':connectorId/hand-over')
  @MayTakeLonger()
  async handOver(
    @TenantParam() tenantId: string,
    @PublicId('connector', 'connectorId') id: string,
    @ZodBody(requests.handOverBody) { to, reason }: z.infer<typeof requests.handOverBody>,
  ): Promise<Progress> {
    orNotFound(await this.tenants.run(tenantId, (tx) => findDeletedConnector(tx, tenantId, id)));
    const heir = bodyId(['connector'], to);
    const given = reason === undefined ? {} : { reason };
    const waiting = await this.approvals.request(tenantId, 'handOverDeletedConnector', {
      connector_id: encodeId('connector', id),
      to: encodeId('connector', heir),
      ...given,
    });
    if (waiting) return { finished: false, body: waiting };
    return this.operations.request(tenantId, 'connector.hand_over', { from_id: id, to_id: heir, ...given });
  }
}
