import { clientRoutes } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { Controller } from '@nestjs/common';
import { type Conditional, IfNoneMatch, unlessUnchanged } from '../http/conditional.decorator.js';
import { Handles, type Input } from '../http/handles.decorator.js';
import { conditionalPage } from './document-page.js';
import { versionOfDocument } from './document-version.js';
import { historyPage } from './history-page.js';
import { identityDocument } from './identity-document.js';
import { TenantPositions } from './tenant-positions.service.js';

@Controller()
export class IdentitiesController {
  constructor(
    private readonly database: Database,
    private readonly positions: TenantPositions,
  ) {}

  @Handles(clientRoutes.listIdentities)
  list(
    { tenantId, query }: Input<typeof clientRoutes.listIdentities>,
    @IfNoneMatch() condition: Conditional,
  ): Promise<string | undefined> {
    return conditionalPage(this.database, this.positions, tenantId, 'identity', query, condition);
  }

  @Handles(clientRoutes.getIdentity)
  async get(
    { tenantId, id, query: { at } }: Input<typeof clientRoutes.getIdentity>,
    @IfNoneMatch() condition: Conditional,
  ): Promise<string | undefined> {
    const document = await identityDocument(this.database, tenantId, id, at);
    return unlessUnchanged(condition, versionOfDocument(document), document);
  }

  @Handles(clientRoutes.listIdentityHistory)
  history({ tenantId, id, query }: Input<typeof clientRoutes.listIdentityHistory>) {
    return historyPage(this.database, tenantId, id, query);
  }
}
