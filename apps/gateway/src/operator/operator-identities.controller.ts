import { encodeId, requests } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { findDocument, findExplainedIdentity } from '@idsync/database/gateway';
import { Controller, Get, Post } from '@nestjs/common';
import type { z } from 'zod';
import { Approvals } from '../approvals/approvals.service.js';
import { ReadsPeople } from '../audit/audit.interceptor.js';
import { OperatorAccess } from '../audit/operator-access.decorator.js';
import { orNotFound } from '../http/api-error.js';
import { bodyId } from '../http/ids.js';
import { JsonText } from '../http/json-text.decorator.js';
import { MayTakeLonger, type Progress } from '../http/may-take-longer.interceptor.js';
import { PublicId, TenantParam } from '../http/public-id.pipe.js';
import { ZodBody, ZodQuery } from '../http/zod.pipe.js';
import { historyPage } from '../shared/history-page.js';
import { identityDocument } from '../shared/identity-document.js';
import { explain } from './explain.js';
import { Operations } from './operations.service.js';
import { Suppressions } from './suppressions.service.js';
import { TenantTransactions } from './tenant-transactions.service.js';

@Controller('admin/v1/tenants/:tenantId/identities/:identityId')
@OperatorAccess()
export class OperatorIdentitiesController {
  constructor(
    private readonly database: Database,
    private readonly tenants: TenantTransactions,
    private readonly operations: Operations,
    private readonly suppressions: Suppressions,
    private readonly approvals: Approvals,
  ) {}

  /** Returns the public document; operators have no API key of the tenant. */
  @Get()
  @ReadsPeople(true)
  @JsonText()
  get(
    @TenantParam() tenantId: string,
    @PublicId('identity', 'identityId') id: string,
    @ZodQuery(requests.identityQuery) { at }: z.infer<typeof requests.identityQuery>,
  ): Promise<string> {
    return identityDocument(this.database, tenantId, id, at);
  }

  /** Returns the same page as the public API. */
  @Get('history')
  @ReadsPeople(true)
  history(
    @TenantParam() tenantId: string,
    @PublicId('identity', 'identityId') id: string,
    @ZodQuery(requests.historyQuery) query: z.infer<typeof requests.historyQuery>,
  ): Promise<object> {
    return historyPage(this.database, tenantId, id, query);
  }

  @Get('explain')
  @ReadsPeople(true)
  async explain(@TenantParam() tenantId: string, @PublicId('identity', 'identityId') id: string): Promise<object> {
    return explain(orNotFound(await this.tenants.run(tenantId, (tx) => findExplainedIdentity(tx, tenantId, id))));
  }

  @Post('merge')
  @MayTakeLonger()
  async merge(
    @TenantParam() tenantId: string,
    @PublicId('identity', 'identityId') id: string,
    @ZodBody(requests.mergeBody) { from_ids, reason }: z.infer<typeof requests.mergeBody>,
  ): Promise<Progress> {
    await this.requireIdentity(tenantId, id);
    return this.operations.request(tenantId, 'identity.merge', {
      into_id: id,
      from_ids: from_ids.map((each) => bodyId(['identity'], each)),
      reason,
    });
  }

  @Post('split')
  @MayTakeLonger()
  async split(
    @TenantParam() tenantId: string,
    @PublicId('identity', 'identityId') id: string,
    @ZodBody(requests.splitBody) { record_ids, reason }: z.infer<typeof requests.splitBody>,
  ): Promise<Progress> {
    await this.requireIdentity(tenantId, id);
    return this.operations.request(tenantId, 'identity.split', {
      identity_id: id,
      record_ids: record_ids.map((each) => bodyId(['user', 'account', 'machineIdentity'], each)),
      reason,
    });
  }

  @Post('erase')
  @MayTakeLonger()
  async erase(
    @TenantParam() tenantId: string,
    @PublicId('identity', 'identityId') id: string,
    @ZodBody(requests.eraseBody) { reason, keep_out }: z.infer<typeof requests.eraseBody>,
  ): Promise<Progress> {
    await this.requireIdentity(tenantId, id);
    const given = { keep_out, ...(reason !== undefined && { reason }) };
    const waiting = await this.approvals.request(tenantId, 'eraseIdentity', {
      identity_id: encodeId('identity', id),
      ...given,
    });
    if (waiting) return { finished: false, body: waiting };
    const suppress = keep_out ? await this.suppressions.hashesOf(tenantId, id) : undefined;
    return this.operations.request(tenantId, 'identity.erase', {
      identity_id: id,
      ...(suppress && { suppress }),
      reason,
    });
  }

  private async requireIdentity(tenantId: string, id: string): Promise<void> {
    orNotFound(await findDocument(this.database, tenantId, 'identity', id));
  }
}
