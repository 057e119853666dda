import { adminRoutes, clientRoutes, encodeId } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { findDocument, findExplainedIdentity, findHistory, findIdentityAt } from '@idsync/database/gateway';
import { Controller } from '@nestjs/common';
import { Approvals } from '../approvals/approvals.service.js';
import { badRequest, orNotFound } from '../http/api-error.js';
import { type Conditional, IfNoneMatch, unlessUnchanged } from '../http/conditional.decorator.js';
import { Handles, type Input } from '../http/handles.decorator.js';
import { bodyId } from '../http/ids.js';
import { Operations } from '../operations/operations.service.js';
import { readSequence, writeSequence } from '../shared/cursor.js';
import { TenantTransactions } from '../tenants/tenant-transactions.service.js';
import { conditionalPage } from './document-page.js';
import { versionOfDocument } from './document-version.js';
import { explain } from './explain.js';
import { presentEvent } from './present-record.js';
import { TenantPositions } from './tenant-positions.service.js';

/** Operators read what clients read, because they have no API key of the tenant. */
@Controller()
export class IdentitiesController {
  constructor(
    private readonly database: Database,
    private readonly positions: TenantPositions,
    private readonly tenants: TenantTransactions,
    private readonly operations: Operations,
    private readonly approvals: Approvals,
  ) {}

  @Handles(clientRoutes.listIdentities, adminRoutes.listIdentities)
  async list(
    { tenantId, query }: Input<typeof adminRoutes.listIdentities>,
    @IfNoneMatch() condition: Conditional,
  ): Promise<string | undefined> {
    await this.tenants.require(tenantId);
    return conditionalPage(this.database, this.positions, tenantId, 'identity', query, condition);
  }

  /** Returns the document as it is now, or as it was at a time. */
  @Handles(clientRoutes.getIdentity, adminRoutes.getIdentity)
  async get(
    { tenantId, identityId: id, query: { at } }: Input<typeof adminRoutes.getIdentity>,
    @IfNoneMatch() condition: Conditional,
  ): Promise<string | undefined> {
    if (at === undefined) return answer(await findDocument(this.database, tenantId, 'identity', id), condition);
    const { document, isFuture } = await findIdentityAt(this.database, tenantId, id, new Date(at));
    if (isFuture) throw badRequest(`at must not be in the future, got ${at}`);
    return answer(document, condition);
  }

  /** Lists events of an identity and of all records linked to it, oldest first. */
  @Handles(clientRoutes.listIdentityHistory, adminRoutes.listIdentityHistory)
  async history({ tenantId, identityId: id, query }: Input<typeof adminRoutes.listIdentityHistory>) {
    const { limit, updated_since, cursor } = query;
    const offset = cursor === undefined ? query.offset : 0;
    const found = await findHistory(this.database, tenantId, id, {
      limit,
      offset,
      afterSequence: cursor === undefined ? undefined : readSequence(cursor),
      since: updated_since === undefined ? undefined : new Date(updated_since),
    });
    const { events, total, isCut } = orNotFound(found);
    const last = events.at(-1);
    const more = last && (isCut || (cursor !== undefined && events.length === limit));
    return {
      data: events.map(presentEvent),
      total,
      limit,
      offset,
      ...(more && { next_cursor: writeSequence(last.sequence) }),
    };
  }

  @Handles(adminRoutes.explainIdentity)
  async explain({ tenantId, identityId: id }: Input<typeof adminRoutes.explainIdentity>) {
    return explain(orNotFound(await this.tenants.run(tenantId, (tx) => findExplainedIdentity(tx, id))));
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

function answer(document: string | undefined, condition: Conditional): string | undefined {
  const found = orNotFound(document);
  return unlessUnchanged(condition, versionOfDocument(found), found);
}
