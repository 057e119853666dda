import { requests } from '@idsync/contracts';
import { findCase, findComparedFields, listCases } from '@idsync/database/gateway';
import { Controller, Get, Post } from '@nestjs/common';
import type { z } from 'zod';
import { ReadsPeople } from '../audit/audit.interceptor.js';
import { OperatorAccess } from '../audit/operator-access.decorator.js';
import { orNotFound } from '../http/api-error.js';
import { MayTakeLonger, type Progress } from '../http/may-take-longer.interceptor.js';
import { BodyId, PublicId, TenantParam } from '../http/public-id.pipe.js';
import { ZodBody, ZodQuery } from '../http/zod.pipe.js';
import { presentCase } from '../present.js';
import { compareFields } from './compare-fields.js';
import { Operations } from './operations.service.js';
import { TenantTransactions } from './tenant-transactions.service.js';

@Controller('admin/v1/tenants/:tenantId/cases')
@OperatorAccess()
export class CasesController {
  constructor(
    private readonly tenants: TenantTransactions,
    private readonly operations: Operations,
  ) {}

  @Get()
  async list(
    @TenantParam() tenantId: string,
    @ZodQuery(requests.caseQuery) { limit, offset, status }: z.infer<typeof requests.caseQuery>,
  ): Promise<object> {
    const { rows, total } = await this.tenants.run(tenantId, (tx) =>
      listCases(tx, tenantId, { limit, offset, status }),
    );
    return { data: rows.map(presentCase), total, limit, offset };
  }

  @Get(':caseId')
  @ReadsPeople(true)
  async get(@TenantParam() tenantId: string, @PublicId('case', 'caseId') caseId: string): Promise<object> {
    return this.tenants.run(tenantId, async (tx) => {
      const found = orNotFound(await findCase(tx, tenantId, caseId));
      const { own, others } = await findComparedFields(tx, tenantId, found);
      const { candidates, ...shown } = presentCase(found);
      const compared = candidates.map((each, at) => ({ ...each, compared: compareFields(own, others[at] ?? []) }));
      return { ...shown, candidates: compared };
    });
  }

  @Post(':caseId/resolve')
  @MayTakeLonger()
  async resolve(
    @TenantParam() tenantId: string,
    @PublicId('case', 'caseId') caseId: string,
    @BodyId('identity', 'identity_id') identityId: string | undefined,
    @ZodBody(requests.resolveBody) { resolution, reason }: z.infer<typeof requests.resolveBody>,
  ): Promise<Progress> {
    orNotFound(await this.tenants.run(tenantId, (tx) => findCase(tx, tenantId, caseId)));
    return this.operations.request(tenantId, 'case.resolve', {
      case_id: caseId,
      resolution,
      ...(identityId !== undefined && { identity_id: identityId }),
      reason,
    });
  }
}
