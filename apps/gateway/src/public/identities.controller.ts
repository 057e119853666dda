import { requests } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { findHistory } from '@idsync/database/gateway';
import { Controller, Get } from '@nestjs/common';
import type { z } from 'zod';
import { Access, CurrentTenant } from '../access/access.decorator.js';
import { orNotFound } from '../http/api-error.js';
import { JsonText } from '../http/json-text.decorator.js';
import { PublicId } from '../http/public-id.pipe.js';
import { ZodQuery } from '../http/zod.pipe.js';
import { presentEvent } from '../present.js';
import { readSequence, writeSequence } from '../shared/cursor.js';
import { documentPage } from '../shared/document-page.js';
import { identityDocument } from '../shared/identity-document.js';

@Controller('v1/identities')
@Access('key')
export class IdentitiesController {
  constructor(private readonly database: Database) {}

  @Get()
  @JsonText()
  list(
    @CurrentTenant() tenantId: string,
    @ZodQuery(requests.directoryQuery) query: requests.DirectoryQuery,
  ): Promise<string> {
    return documentPage(this.database, tenantId, 'identity', query);
  }

  @Get(':id')
  @JsonText()
  get(
    @CurrentTenant() tenantId: string,
    @PublicId('identity') id: string,
    @ZodQuery(requests.identityQuery) { at }: z.infer<typeof requests.identityQuery>,
  ): Promise<string> {
    return identityDocument(this.database, tenantId, id, at);
  }

  @Get(':id/history')
  async history(
    @CurrentTenant() tenantId: string,
    @PublicId('identity') id: string,
    @ZodQuery(requests.historyQuery) query: z.infer<typeof requests.historyQuery>,
  ): Promise<object> {
    const { limit, updated_since, cursor } = query;
    const offset = cursor === undefined ? query.offset : 0;
    const found = await findHistory(this.database, tenantId, id, {
      limit,
      offset,
      afterSequence: cursor === undefined ? undefined : readSequence(cursor),
      since: updated_since === undefined ? undefined : new Date(updated_since),
    });
    const page = orNotFound(found);
    const last = page.events.at(-1);
    const more = last && (page.isCut || (cursor !== undefined && page.events.length === limit));
    return {
      data: page.events.map(presentEvent),
      total: page.total,
      limit,
      offset,
      ...(more && { next_cursor: writeSequence(last.sequence) }),
    };
  }
}
