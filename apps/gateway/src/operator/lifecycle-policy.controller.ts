import { encodeId, type LifecyclePolicy, lifecyclePolicy } from '@idsync/contracts';
import { findConnector } from '@idsync/database/gateway';
import { findLifecyclePolicy } from '@idsync/database/settings';
import { Controller, Get, Put } from '@nestjs/common';
import { OperatorAccess } from '../audit/operator-access.decorator.js';
import { badRequest } from '../http/api-error.js';
import { bodyId } from '../http/ids.js';
import { MayTakeLonger, type Progress } from '../http/may-take-longer.interceptor.js';
import { TenantParam } from '../http/public-id.pipe.js';
import { ZodBody } from '../http/zod.pipe.js';
import { Operations } from './operations.service.js';
import { TenantTransactions } from './tenant-transactions.service.js';

@Controller('admin/v1/tenants/:tenantId/lifecycle-policy')
@OperatorAccess({ read: 'viewer', write: 'admin' })
export class LifecyclePolicyController {
  constructor(
    private readonly tenants: TenantTransactions,
    private readonly operations: Operations,
  ) {}

  @Get()
  async get(@TenantParam() tenantId: string): Promise<LifecyclePolicy> {
    const policy = await this.tenants.run(tenantId, (tx) => findLifecyclePolicy(tx, tenantId));
    return withConnectorIds(policy, (id) => encodeId('connector', id));
  }

  @Put()
  @MayTakeLonger()
  async replace(@TenantParam() tenantId: string, @ZodBody(lifecyclePolicy) body: LifecyclePolicy): Promise<Progress> {
    const policy = withConnectorIds(body, (id) => bodyId(['connector'], id));
    await this.tenants.run(tenantId, async (tx) => {
      for (const { connector_id } of policy.connector_time_zones) {
        if (!(await findConnector(tx, tenantId, connector_id)))
          throw badRequest(`there is no connector ${encodeId('connector', connector_id)}`);
      }
    });
    return this.operations.request(tenantId, 'lifecycle.change', { policy }, async (tx) => ({
      before: withConnectorIds(await findLifecyclePolicy(tx, tenantId), (id) => encodeId('connector', id)),
      after: body,
    }));
  }
}

/** The API names connectors by their public ids, stored policies by bare uuids. */
function withConnectorIds(policy: LifecyclePolicy, convert: (id: string) => string): LifecyclePolicy {
  return {
    ...policy,
    connector_time_zones: policy.connector_time_zones.map((each) => ({
      ...each,
      connector_id: convert(each.connector_id),
    })),
  };
}
