import { requests } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { findDocument } from '@idsync/database/gateway';
import { Controller, Get } from '@nestjs/common';
import { Access, CurrentTenant } from '../access/access.decorator.js';
import { orNotFound } from '../http/api-error.js';
import { type Conditional, IfNoneMatch, unlessUnchanged } from '../http/conditional.decorator.js';
import { JsonText } from '../http/json-text.decorator.js';
import { PublicId } from '../http/public-id.pipe.js';
import { ZodQuery } from '../http/zod.pipe.js';
import { conditionalPage } from '../shared/document-page.js';
import { versionOfDocument } from '../shared/document-version.js';
import { TenantPositions } from '../shared/tenant-positions.service.js';

@Controller('v1/users')
@Access('key')
export class UsersController {
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
    return conditionalPage(this.database, this.positions, tenantId, 'user', query, condition);
  }

  @Get(':id')
  @JsonText()
  async get(
    @CurrentTenant() tenantId: string,
    @PublicId('user') id: string,
    @IfNoneMatch() condition: Conditional,
  ): Promise<string | undefined> {
    const document = orNotFound(await findDocument(this.database, tenantId, 'user', id));
    return unlessUnchanged(condition, versionOfDocument(document), document);
  }
}
