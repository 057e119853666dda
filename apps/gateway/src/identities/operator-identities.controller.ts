import { adminRoutes, encodeId } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { findDocument, findExplainedIdentity } from '@idsync/database/gateway';
import { Controller } from '@nestjs/common';
import { Approvals } from '../approvals/approvals.service.js';
import { orNotFound } from '../http/api-error.js';
import { Handles, type Input } from '../http/handles.decorator.js';
import { bodyId } from '../http/ids.js';
import { Operations } from '../operations/operations.service.js';
import { TenantTransactions } from '../tenants/tenant-transactions.service.js';
import { explain } from './explain.js';
import { historyPage } from './history-page.js';
import { identityDocument } from './identity-document.js';

@Controller()
export class OperatorIdentitiesController {
  constructor(
    private readonly database: Database,
    private readonly tenants: TenantTransactions,
    private readonly operations: Operations,
    private readonly approvals: Approvals,
  ) {}

  /** Returns the public document; operators have no API key of the tenant. */
  @Handles(adminRoutes.getIdentity)
  get({ tenantId, identityId: id, query: { at } }: Input<typeof adminRoutes.getIdentity>): Promise<string> {
    return identityDocument(this.database, tenantId, id, at);
  }

  /** Returns the same page as the public API. */
  @Handles(adminRoutes.listIdentityHistory)
  history({ tenantId, identityId: id, query }: Input<typeof adminRoutes.listIdentityHistory>) {
    return historyPage(this.database, tenantId, id, query);
  }

  @Handles(adminRoutes.explainIdentity)
  async explain({ tenantId, identityId: id }: Input<typeof adminRoutes.explainIdentity>) {
    return explain(orNotFound(await this.tenants.run(tenantId, (tx) => findExplainedIdentity(tx, tenantId, id))));
  }

  @Handles(adminRoutes.mergeIdentity)
  async merge({ tenantId, identityId: id, body: { from_ids, reason } }: Input<typeof adminRoutes.mergeIdentity>) {
    await this.requireIdentity(tenantId, id);
    return this.operations.request(tenantId, 'identity.merge', {
      into_id: id,
      from_ids: from_ids.map((each) => bodyId(['identity'], each)),
      reason,
    });
  }

  @Handles(adminRoutes.splitIdentity)
  async split({ tenantId, identityId: id, body: { record_ids, reason } }: Input<typeof adminRoutes.splitIdentity>) {
    await this.requireIdentity(tenantId, id);
    return this.operations.request(tenantId, 'identity.split', {
      identity_id: id,
      record_ids: record_ids.map((each) => bodyId(['user', 'account', 'machineIdentity'], each)),
      reason,
    });
  }

  @Handles(adminRoutes.eraseIdentity)
  async erase({ tenantId, identityId: id, body: { reason, keep_out } }: Input<typeof adminRoutes.eraseIdentity>) {
    await this.requireIdentity(tenantId, id);
    return this.approvals.operate(tenantId, 'eraseIdentity', {
      identity_id: encodeId('identity', id),
      keep_out,
      reason,
    });
  }

  private async requireIdentity(tenantId: string, id: string): Promise<void> {
    orNotFound(await findDocument(this.database, tenantId, 'identity', id));
  }
}
