import { clientRoutes } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { listConnectors } from '@idsync/database/gateway';
import { Controller } from '@nestjs/common';
import { Handles, type Input } from '../http/handles.decorator.js';
import { presentConnectorSummary } from '../present.js';

@Controller()
export class PublicConnectorsController {
  constructor(private readonly database: Database) {}

  @Handles(clientRoutes.listConnectors)
  async list({ tenantId, query: page }: Input<typeof clientRoutes.listConnectors>) {
    const { rows, total } = await this.database.readTransaction(tenantId, (tx) => listConnectors(tx, tenantId, page));
    return { data: rows.map(presentConnectorSummary), total, ...page };
  }
}
