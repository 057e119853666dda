import { deleteSuppression, findSuppression, listSuppressions, type Page } from '@idsync/database/gateway';
import { Controller, Delete, Get, HttpCode } from '@nestjs/common';
import { OperatorAccess } from '../audit/operator-access.decorator.js';
import { orNotFound } from '../http/api-error.js';
import { PublicId, TenantParam } from '../http/public-id.pipe.js';
import { PageQuery } from '../http/zod.pipe.js';
import { presentSuppression } from '../present.js';
import { TenantTransactions } from './tenant-transactions.service.js';

@Controller('admin/v1/tenants/:tenantId/suppressions')
@OperatorAccess()
export class SuppressionsController {
  constructor(private readonly tenants: TenantTransactions) {}

  @Get()
  list(@TenantParam() tenantId: string, @PageQuery() page: Page): Promise<object> {
    return this.tenants.page(tenantId, page, presentSuppression, (tx) => listSuppressions(tx, tenantId, page));
  }

  @Get(':suppressionId')
  async get(@TenantParam() tenantId: string, @PublicId('suppression', 'suppressionId') id: string): Promise<object> {
    return presentSuppression(orNotFound(await this.tenants.run(tenantId, (tx) => findSuppression(tx, tenantId, id))));
  }

  /** Lifts the suppression: the next full run may create the person again. */
  @Delete(':suppressionId')
  @HttpCode(204)
  async lift(@TenantParam() tenantId: string, @PublicId('suppression', 'suppressionId') id: string): Promise<void> {
    await this.tenants.act(tenantId, async (tx, describe) => {
      const before = presentSuppression(orNotFound(await findSuppression(tx, tenantId, id)));
      describe({ before });
      orNotFound(await deleteSuppression(tx, tenantId, id));
    });
  }
}
