import { adminRoutes, encodeId } from '@idsync/contracts';
import { findDeletedConnector, listDeletedConnectors } from '@idsync/database/gateway';
import { Controller } from '@nestjs/common';
import { Approvals } from '../approvals/approvals.service.js';
import { orNotFound } from '../http/api-error.js';
import { Handles, type Input } from '../http/handles.decorator.js';
import { bodyId } from '../http/ids.js';
import { TenantTransactions } from '../tenants/tenant-transactions.service.js';
import { presentDeletedConnector } from './present-connector.js';

@Controller()
export class DeletedConnectorsController {
  constructor(
    private readonly tenants: TenantTransactions,
    private readonly approvals: Approvals,
  ) {}

  @Handles(adminRoutes.listDeletedConnectors)
  list({ tenantId, query: page }: Input<typeof adminRoutes.listDeletedConnectors>) {
    return this.tenants.page(tenantId, page, presentDeletedConnector, (tx) =>
      listDeletedConnectors(tx, tenantId, page),
    );
  }

  @Handles(adminRoutes.getDeletedConnector)
  async get({ tenantId, connectorId: id }: Input<typeof adminRoutes.getDeletedConnector>) {
    const row = await this.tenants.run(tenantId, (tx) => findDeletedConnector(tx, tenantId, id));
    return presentDeletedConnector(orNotFound(row));
  }

  @Handles(adminRoutes.retireDeletedConnector)
  async retire({ tenantId, connectorId: id }: Input<typeof adminRoutes.retireDeletedConnector>) {
    const connector = { connector_id: encodeId('connector', id) };
    const { waiting, job } = await this.approvals.perform(tenantId, 'retireDeletedConnector', connector);
    return waiting ?? orNotFound(job);
  }

  @Handles(adminRoutes.handDeletedConnectorOver)
  async handOver({ tenantId, connectorId: id, body }: Input<typeof adminRoutes.handDeletedConnectorOver>) {
    orNotFound(await this.tenants.run(tenantId, (tx) => findDeletedConnector(tx, tenantId, id)));
    const to = encodeId('connector', bodyId(['connector'], body.to));
    const given = { connector_id: encodeId('connector', id), to, reason: body.reason };
    return this.approvals.operate(tenantId, 'handDeletedConnectorOver', given);
  }
}
