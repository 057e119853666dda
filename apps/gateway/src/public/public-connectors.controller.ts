import { Database } from '@idsync/database';
import { listConnectors, type Page } from '@idsync/database/gateway';
import { Controller, Get } from '@nestjs/common';
import { Access, CurrentTenant } from '../access/access.decorator.js';
import { PageQuery } from '../http/zod.pipe.js';
import { presentConnectorSummary } from '../present.js';

@Controller('v1/connectors')
@Access('key')
export class PublicConnectorsController {
  constructor(private readonly database: Database) {}

  @Get()
  async list(@CurrentTenant() tenantId: string, @PageQuery() page: Page): Promise<object> {
    const { rows, total } = await this.database.readTransaction(tenantId, (tx) => listConnectors(tx, tenantId, page));
    return { data: rows.map(presentConnectorSummary), total, ...page };
  }
}
