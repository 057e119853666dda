import { adminRoutes, clientRoutes } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { findDocument } from '@idsync/database/gateway';
import { Controller } from '@nestjs/common';
import { orNotFound } from '../http/api-error.js';
import { type Conditional, IfNoneMatch, unlessUnchanged } from '../http/conditional.decorator.js';
import { Handles, type Input } from '../http/handles.decorator.js';
import { TenantTransactions } from '../tenants/tenant-transactions.service.js';
import { conditionalPage } from './document-page.js';
import { versionOfDocument } from './document-version.js';
import { TenantPositions } from './tenant-positions.service.js';

@Controller()
export class UsersController {
  constructor(
    private readonly database: Database,
    private readonly tenants: TenantTransactions,
    private readonly positions: TenantPositions,
  ) {}

  @Handles(clientRoutes.listUsers, adminRoutes.listUsers)
  async list(
    { tenantId, query }: Input<typeof adminRoutes.listUsers>,
    @IfNoneMatch() condition: Conditional,
  ): Promise<string | undefined> {
    await this.tenants.require(tenantId);
    return conditionalPage(this.database, this.positions, tenantId, 'user', query, condition);
  }

  @Handles(clientRoutes.getUser)
  async get(
    { tenantId, userId: id }: Input<typeof clientRoutes.getUser>,
    @IfNoneMatch() condition: Conditional,
  ): Promise<string | undefined> {
    const document = orNotFound(await findDocument(this.database, tenantId, 'user', id));
    return unlessUnchanged(condition, versionOfDocument(document), document);
  }
}
