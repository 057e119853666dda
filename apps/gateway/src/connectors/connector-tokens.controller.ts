import { adminRoutes, encodeId, findDefinition } from '@idsync/contracts';
import { findConnector, insertApiKey, listApiKeys, lockConnector, revokeApiKey } from '@idsync/database/gateway';
import { Controller } from '@nestjs/common';
import { formatApiKey, newSecret } from '../access/api-key.js';
import { KeyRing } from '../access/key-ring.service.js';
import { presentConnectorToken } from '../access/present-api-key.js';
import { badRequest, orNotFound } from '../http/api-error.js';
import { Handles, type Input } from '../http/handles.decorator.js';
import { TenantTransactions } from '../tenants/tenant-transactions.service.js';

/** Tokens with which identity providers push: API keys that are valid only for the SCIM service of one connector. */
@Controller()
export class ConnectorTokensController {
  constructor(
    private readonly tenants: TenantTransactions,
    private readonly keyRing: KeyRing,
  ) {}

  @Handles(adminRoutes.createConnectorToken)
  async issue({ tenantId, body: { name, expires_at }, connectorId }: Input<typeof adminRoutes.createConnectorToken>) {
    const { secret, hash } = newSecret();
    const expiresAt = expires_at === undefined ? undefined : new Date(expires_at);
    const row = await this.tenants.act(tenantId, async (tx, describe) => {
      // Locked, because a concurrent deletion of the connector would leave the token behind.
      const { type } = orNotFound(await lockConnector(tx, tenantId, connectorId));
      if (!findDefinition(type)?.isPushed) throw badRequest('only connectors of type scim-push have tokens');
      const inserted = await insertApiKey(tx, tenantId, { name, scopes: [], secretHash: hash, expiresAt, connectorId });
      const after = { ...presentConnectorToken(inserted), connector_id: encodeId('connector', connectorId) };
      describe({ resource: after.id, after });
      return inserted;
    });
    const path = `/scim/v2/${encodeId('connector', connectorId)}`;
    return { ...presentConnectorToken(row), token: formatApiKey(row.id, secret), path };
  }

  @Handles(adminRoutes.listConnectorTokens)
  list({ tenantId, connectorId, query: page }: Input<typeof adminRoutes.listConnectorTokens>) {
    return this.tenants.page(tenantId, page, presentConnectorToken, async (tx) => {
      orNotFound(await findConnector(tx, tenantId, connectorId));
      return listApiKeys(tx, tenantId, page, connectorId);
    });
  }

  @Handles(adminRoutes.deleteConnectorToken)
  async revoke({ tenantId, connectorId, apiKeyId }: Input<typeof adminRoutes.deleteConnectorToken>): Promise<void> {
    await this.tenants.act(tenantId, async (tx) => {
      orNotFound(await findConnector(tx, tenantId, connectorId));
      orNotFound(await revokeApiKey(tx, tenantId, apiKeyId, connectorId));
    });
    this.keyRing.clear();
  }
}
