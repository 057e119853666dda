import { adminRoutes, clientRoutes, encodeId } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import {
  countLiveRecords,
  deleteConnector,
  deleteConnectorSecrets,
  findConnector,
  findDeletedConnector,
  hasRunningJob,
  insertConnector,
  listConnectors,
  listDeletedConnectors,
  listFailingRecords,
  queueRetirement,
  requestOperation,
  revokeKeysOfConnector,
} from '@idsync/database/gateway';
import { markPushedForDeletion } from '@idsync/database/scim';
import { Body, Controller } from '@nestjs/common';
import { KeyRing } from '../access/key-ring.service.js';
import { Approvals } from '../approvals/approvals.service.js';
import { badRequest, orNotFound } from '../http/api-error.js';
import { Handles, type Input } from '../http/handles.decorator.js';
import { bodyId, optionalUuid } from '../http/ids.js';
import { Operations, shownOperation } from '../operations/operations.service.js';
import { requireRoom } from '../quotas/require-room.js';
import { GatewaySettings } from '../shared/gateway-settings.service.js';
import { TenantTransactions } from '../tenants/tenant-transactions.service.js';
import { changesOf, rejectTakenName, requireValid } from './change-connector.js';
import { writeSecrets } from './connector-secrets.js';
import {
  describeConnector,
  presentConnector,
  presentConnectorSummary,
  presentDeletedConnector,
  presentFailingRecord,
} from './present-connector.js';

@Controller()
export class ConnectorsController {
  constructor(
    private readonly tenants: TenantTransactions,
    private readonly settings: GatewaySettings,
    private readonly keyRing: KeyRing,
    private readonly approvals: Approvals,
    private readonly operations: Operations,
  ) {}

  @Handles(adminRoutes.createConnector)
  async create({ tenantId, body }: Input<typeof adminRoutes.createConnector>) {
    requireValid(body);
    const row = await rejectTakenName(body, () =>
      this.tenants.act(tenantId, async (tx, describe) => {
        await requireRoom(tx, 'connectors');
        const inserted = await insertConnector(tx, body);
        const secrets = await writeSecrets(tx, inserted.id, body, this.settings.encryptionKeys);
        const made = { ...inserted, secrets };
        describe({ resource: encodeId('connector', inserted.id), after: describeConnector(made) });
        return made;
      }),
    );
    return presentConnector(row);
  }

  @Handles(adminRoutes.listConnectors)
  list({ tenantId, query: page }: Input<typeof adminRoutes.listConnectors>) {
    return this.tenants.page(tenantId, page, presentConnector, (tx) => listConnectors(tx, page));
  }

  @Handles(clientRoutes.listConnectors)
  listSummaries({ tenantId, query: page }: Input<typeof clientRoutes.listConnectors>) {
    return this.tenants.page(tenantId, page, presentConnectorSummary, (tx) => listConnectors(tx, page));
  }

  @Handles(adminRoutes.getConnector)
  async get({ tenantId, connectorId: id }: Input<typeof adminRoutes.getConnector>) {
    return presentConnector(orNotFound(await this.tenants.run(tenantId, (tx) => findConnector(tx, id))));
  }

  /** Replaces the given fields. The result must be a valid connector; `type` and `records` cannot change. */
  @Handles(adminRoutes.updateConnector)
  async update({ tenantId, connectorId: id }: Input<typeof adminRoutes.updateConnector>, @Body() patch: unknown) {
    if (typeof patch !== 'object' || patch === null || Array.isArray(patch))
      throw badRequest('the body must be a JSON object');
    // It would address another connector than the path.
    if ('connector_id' in patch) throw badRequest('unknown field connector_id');
    const stored = orNotFound(await this.tenants.run(tenantId, (tx) => findConnector(tx, id)));
    const { changes, isGuarded } = changesOf(stored, patch);
    const given = { connector_id: encodeId('connector', id), ...changes };
    const { waiting, ...done } = await this.approvals.perform(tenantId, 'updateConnector', given, { isGuarded });
    if (waiting) return { finished: false, body: waiting };
    if (!done.operation) return { finished: true, body: presentConnector(orNotFound(done.connector)) };
    const { status } = await this.operations.wait(tenantId, done.operation);
    const body = { ...(await this.get({ tenantId, connectorId: id })), ...shownOperation(done.operation) };
    return { finished: status === 'done', body };
  }

  @Handles(adminRoutes.listConnectorErrors)
  errors({ tenantId, query: page, connectorId: id }: Input<typeof adminRoutes.listConnectorErrors>) {
    return this.tenants.page(tenantId, page, presentFailingRecord, async (tx) => {
      orNotFound(await findConnector(tx, id));
      return listFailingRecords(tx, id, page);
    });
  }

  /** Counts what a deletion would leave behind. */
  @Handles(adminRoutes.getConnectorDeletion)
  async deletion({ tenantId, connectorId: id }: Input<typeof adminRoutes.getConnectorDeletion>) {
    return this.tenants.run(tenantId, async (tx) => {
      orNotFound(await findConnector(tx, id));
      return { connector_id: encodeId('connector', id), live_records: await countLiveRecords(tx, id) };
    });
  }

  /** Keeps its records unless the query says otherwise; what becomes of them is decided in the same transaction. */
  @Handles(adminRoutes.deleteConnector)
  async delete({ tenantId, query: { records, to }, connectorId: id }: Input<typeof adminRoutes.deleteConnector>) {
    const heir = optionalUuid('connector', to);
    if (records !== 'keep' && (await this.approvals.areNeeded(tenantId))) {
      const then = records === 'retire' ? 'retire' : 'hand over';
      throw badRequest(
        `records=${records} needs a second operator: delete the connector with records=keep, then ${then} its records`,
      );
    }
    await this.tenants.act(tenantId, async (tx, describe) => {
      const before = orNotFound(await findConnector(tx, id));
      // Its records stay for a while, but its secrets are no longer needed.
      await deleteConnectorSecrets(tx, id);
      await revokeKeysOfConnector(tx, id);
      await markPushedForDeletion(tx, id);
      orNotFound(await deleteConnector(tx, id));
      if (records === 'retire') await queueRetirement(tx, id);
      if (heir !== undefined) await this.handOver(tx, id, heir);
      describe({ before: describeConnector(before), after: { records, ...(to !== undefined && { to }) } });
    });
    this.keyRing.clear();
  }

  @Handles(adminRoutes.listDeletedConnectors)
  listDeleted({ tenantId, query: page }: Input<typeof adminRoutes.listDeletedConnectors>) {
    return this.tenants.page(tenantId, page, presentDeletedConnector, (tx) => listDeletedConnectors(tx, page));
  }

  @Handles(adminRoutes.getDeletedConnector)
  async getDeleted({ tenantId, connectorId: id }: Input<typeof adminRoutes.getDeletedConnector>) {
    const row = await this.tenants.run(tenantId, (tx) => findDeletedConnector(tx, id));
    return presentDeletedConnector(orNotFound(row));
  }

  @Handles(adminRoutes.retireDeletedConnector)
  async retire({ tenantId, connectorId: id }: Input<typeof adminRoutes.retireDeletedConnector>) {
    const connector = { connector_id: encodeId('connector', id) };
    const { waiting, job } = await this.approvals.perform(tenantId, 'retireDeletedConnector', connector);
    return waiting ?? orNotFound(job);
  }

  @Handles(adminRoutes.handDeletedConnectorOver)
  async handDeletedOver({ tenantId, connectorId: id, body }: Input<typeof adminRoutes.handDeletedConnectorOver>) {
    orNotFound(await this.tenants.run(tenantId, (tx) => findDeletedConnector(tx, id)));
    const to = encodeId('connector', bodyId(['connector'], body.to));
    const given = { connector_id: encodeId('connector', id), to, reason: body.reason };
    return this.approvals.operate(tenantId, 'handDeletedConnectorOver', given);
  }

  /** Refuses what the directory would refuse only after the deletion. */
  private async handOver(tx: Transaction, id: string, to: string): Promise<void> {
    const before = orNotFound(await findDeletedConnector(tx, id));
    const after = orNotFound(await findConnector(tx, to));
    if (after.records !== before.records) {
      throw badRequest(`to must be a connector of ${before.records} records, got one of ${after.records} records`);
    }
    if ((await hasRunningJob(tx, id)) || (await hasRunningJob(tx, to)) || after.quarantined) {
      throw badRequest('a sync job of one of the connectors has not ended: nothing was deleted');
    }
    await requestOperation(tx, 'connector.hand_over', { from_id: id, to_id: to });
  }
}
