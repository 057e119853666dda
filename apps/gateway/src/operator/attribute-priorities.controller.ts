import { attributePriorities, encodeId } from '@idsync/contracts';
import { findConnector } from '@idsync/database/gateway';
import { findAttributePriorities } from '@idsync/database/settings';
import { Controller, Get, Put } from '@nestjs/common';
import type { z } from 'zod';
import { OperatorAccess } from '../audit/operator-access.decorator.js';
import { badRequest } from '../http/api-error.js';
import { bodyId } from '../http/ids.js';
import { MayTakeLonger, type Progress } from '../http/may-take-longer.interceptor.js';
import { TenantParam } from '../http/public-id.pipe.js';
import { ZodBody } from '../http/zod.pipe.js';
import { Operations } from './operations.service.js';
import { TenantTransactions } from './tenant-transactions.service.js';

@Controller('admin/v1/tenants/:tenantId/attribute-priorities')
@OperatorAccess({ read: 'viewer', write: 'admin' })
export class AttributePrioritiesController {
  constructor(
    private readonly tenants: TenantTransactions,
    private readonly operations: Operations,
  ) {}

  @Get()
  async get(@TenantParam() tenantId: string): Promise<object> {
    const rows = await this.tenants.run(tenantId, (tx) => findAttributePriorities(tx, tenantId));
    return presentPriorities(rows);
  }

  @Put()
  @MayTakeLonger()
  async replace(
    @TenantParam() tenantId: string,
    @ZodBody(attributePriorities) body: z.infer<typeof attributePriorities>,
  ): Promise<Progress> {
    const priorities = body.priorities.map((each) => ({
      ...each,
      connector_id: bodyId(['connector'], each.connector_id),
    }));
    await this.tenants.run(tenantId, async (tx) => {
      for (const id of new Set(priorities.map(({ connector_id }) => connector_id))) {
        if (!(await findConnector(tx, tenantId, id)))
          throw badRequest(`there is no connector ${encodeId('connector', id)}`);
      }
    });
    return this.operations.request(tenantId, 'attributes.rank', { priorities }, async (tx) => ({
      before: presentPriorities(await findAttributePriorities(tx, tenantId)),
      after: body,
    }));
  }
}

function presentPriorities(rows: Awaited<ReturnType<typeof findAttributePriorities>>): object {
  const priorities = rows.map(({ field, connectorId, priority }) => ({
    field,
    connector_id: encodeId('connector', connectorId),
    priority,
  }));
  return { priorities };
}
