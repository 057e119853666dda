import { requests } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { Controller, Get } from '@nestjs/common';
import type { z } from 'zod';
import { Access, CurrentTenant } from '../access/access.decorator.js';
import { type Conditional, IfNoneMatch, unlessUnchanged } from '../http/conditional.decorator.js';
import { JsonText } from '../http/json-text.decorator.js';
import { PublicId } from '../http/public-id.pipe.js';
import { ZodQuery } from '../http/zod.pipe.js';
import { conditionalPage } from '../shared/document-page.js';
import { versionOfDocument } from '../shared/document-version.js';
import { historyPage } from '../shared/history-page.js';
import { identityDocument } from '../shared/identity-document.js';
import { TenantPositions } from '../shared/tenant-positions.service.js';

@Controller('v1/identities')
@Access('key')
export class IdentitiesController {
  constructor(
    private readonly database: Database,
    private readonly positions: TenantPositions,
  ) {}

  @Get()
  @JsonText()
  list(
    @CurrentTenant() tenantId: string,
    @ZodQuery(requests.directoryQuery) query: requests.DirectoryQuery,
    @IfNoneMatch() condition: Conditional,
  ): Promise<string | undefined> {
    return conditionalPage(this.database, this.positions, tenantId, 'identity', query, condition);
  }

  @Get(':id')
  @JsonText()
  async get(
    @CurrentTenant() tenantId: string,
    @PublicId('identity') id: string,
    @ZodQuery(requests.identityQuery) { at }: z.infer<typeof requests.identityQuery>,
    @IfNoneMatch() condition: Conditional,
  ): Promise<string | undefined> {
    const document = await identityDocument(this.database, tenantId, id, at);
    return unlessUnchanged(condition, versionOfDocument(document), document);
  }

  @Get(':id/history')
  history(
    @CurrentTenant() tenantId: string,
    @PublicId('identity') id: string,
    @ZodQuery(requests.historyQuery) query: z.infer<typeof requests.historyQuery>,
  ): Promise<object> {
    return historyPage(this.database, tenantId, id, query);
  }
}
