import { requests } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { findDocument } from '@idsync/database/gateway';
import { Controller, Get } from '@nestjs/common';
import type { z } from 'zod';
import { Access, CurrentTenant } from '../access/access.decorator.js';
import { orNotFound } from '../http/api-error.js';
import { JsonText } from '../http/json-text.decorator.js';
import { PublicId } from '../http/public-id.pipe.js';
import { ZodQuery } from '../http/zod.pipe.js';
import { documentPage } from '../shared/document-page.js';

@Controller('v1/machine-identities')
@Access('key')
export class PublicMachinesController {
  constructor(private readonly database: Database) {}

  @Get()
  @JsonText()
  list(
    @CurrentTenant() tenantId: string,
    @ZodQuery(requests.machineQuery) query: z.infer<typeof requests.machineQuery>,
  ): Promise<string> {
    return documentPage(this.database, tenantId, 'machine_identity', query);
  }

  @Get(':id')
  @JsonText()
  async get(@CurrentTenant() tenantId: string, @PublicId('machineIdentity') id: string): Promise<string> {
    return orNotFound(await findDocument(this.database, tenantId, 'machine_identity', id));
  }
}
