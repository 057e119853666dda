import { adminRoutes } from '@idsync/contracts';
import { findCase, findComparedFields, listCases } from '@idsync/database/gateway';
import { Controller } from '@nestjs/common';
import { orNotFound } from '../http/api-error.js';
import { Handles, type Input } from '../http/handles.decorator.js';
import { optionalUuid } from '../http/ids.js';
import { Operations } from '../operations/operations.service.js';
import { TenantTransactions } from '../tenants/tenant-transactions.service.js';
import { compareFields } from './compare-fields.js';
import { presentCase } from './present-case.js';

@Controller()
export class CasesController {
  constructor(
    private readonly tenants: TenantTransactions,
    private readonly operations: Operations,
  ) {}

  @Handles(adminRoutes.listCases)
  list({ tenantId, query: { limit, offset, status } }: Input<typeof adminRoutes.listCases>) {
    return this.tenants.page(tenantId, { limit, offset }, presentCase, (tx) =>
      listCases(tx, tenantId, { limit, offset, status }),
    );
  }

  @Handles(adminRoutes.getCase)
  async get({ tenantId, caseId }: Input<typeof adminRoutes.getCase>) {
    return this.tenants.run(tenantId, async (tx) => {
      const found = orNotFound(await findCase(tx, tenantId, caseId));
      const { own, others } = await findComparedFields(tx, tenantId, found);
      const { candidates, ...shown } = presentCase(found);
      const compared = candidates.map((each, at) => ({ ...each, compared: compareFields(own, others[at] ?? []) }));
      return { ...shown, candidates: compared };
    });
  }

  @Handles(adminRoutes.resolveCase)
  async resolve({
    tenantId,
    caseId,
    body: { resolution, identity_id, reason },
  }: Input<typeof adminRoutes.resolveCase>) {
    const identityId = optionalUuid('identity', identity_id);
    orNotFound(await this.tenants.run(tenantId, (tx) => findCase(tx, tenantId, caseId)));
    return this.operations.request(tenantId, 'case.resolve', {
      case_id: caseId,
      resolution,
      ...(identityId !== undefined && { identity_id: identityId }),
      reason,
    });
  }
}
