import { adminRoutes, encodeId, findDefinition } from '@idsync/contracts';
import {
  findApiKey,
  findConnector,
  insertApiKey,
  listApiKeys,
  lockApiKey,
  lockConnector,
  revokeApiKey,
  updateApiKey,
} from '@idsync/database/gateway';
import { Controller } from '@nestjs/common';
import { badRequest, orNotFound } from '../http/api-error.js';
import { Handles, type Input } from '../http/handles.decorator.js';
import { TenantTransactions } from '../tenants/tenant-transactions.service.js';
import { formatApiKey, newSecret } from './api-key.js';
import { KeyRing } from './key-ring.service.js';
import { presentApiKey, presentConnectorToken } from './present-api-key.js';

/** API keys of clients, and tokens of identity providers, which are keys for the SCIM service of one connector. */
@Controller()
export class ApiKeysController {
  constructor(
    private readonly tenants: TenantTransactions,
    private readonly keyRing: KeyRing,
  ) {}

  @Handles(adminRoutes.createApiKey)
  async issue({
    tenantId,
    body: { name, scopes, expires_at, allowed_networks },
  }: Input<typeof adminRoutes.createApiKey>) {
    const { secret, hash } = newSecret();
    const expiresAt = expires_at === undefined ? undefined : new Date(expires_at);
    const { shown, id } = await this.tenants.act(tenantId, async (tx, describe) => {
      const row = await insertApiKey(tx, {
        name,
        scopes,
        secretHash: hash,
        expiresAt,
        allowedNetworks: allowed_networks,
      });
      const after = presentApiKey(row);
      describe({ resource: after.id, after });
      return { shown: after, id: row.id };
    });
    return { ...shown, key: formatApiKey(id, secret) };
  }

  @Handles(adminRoutes.listApiKeys)
  list({ tenantId, query: page }: Input<typeof adminRoutes.listApiKeys>) {
    return this.tenants.page(tenantId, page, presentApiKey, (tx) => listApiKeys(tx, page));
  }

  @Handles(adminRoutes.getApiKey)
  async get({ tenantId, apiKeyId }: Input<typeof adminRoutes.getApiKey>) {
    return presentApiKey(orNotFound(await this.tenants.run(tenantId, (tx) => findApiKey(tx, apiKeyId))));
  }

  @Handles(adminRoutes.updateApiKey)
  async update({
    tenantId,
    apiKeyId,
    body: { expires_at, allowed_networks, ...patch },
  }: Input<typeof adminRoutes.updateApiKey>) {
    const changes = {
      ...patch,
      ...(expires_at !== undefined && { expiresAt: expires_at === null ? null : new Date(expires_at) }),
      ...(allowed_networks !== undefined && { allowedNetworks: allowed_networks }),
    };
    const shown = await this.tenants.act(tenantId, async (tx, describe) => {
      const key = orNotFound(await lockApiKey(tx, apiKeyId));
      if (key.revokedAt) throw badRequest('the key is revoked');
      await updateApiKey(tx, key, changes);
      const after = presentApiKey({ ...key, ...changes });
      describe({ before: presentApiKey(key), after });
      return after;
    });
    this.keyRing.clear();
    return shown;
  }

  @Handles(adminRoutes.deleteApiKey)
  async revoke({ tenantId, apiKeyId }: Input<typeof adminRoutes.deleteApiKey>): Promise<void> {
    await this.tenants.act(tenantId, async (tx) => orNotFound(await revokeApiKey(tx, apiKeyId)));
    this.keyRing.clear();
  }

  @Handles(adminRoutes.createConnectorToken)
  async issueToken({
    tenantId,
    body: { name, expires_at },
    connectorId,
  }: Input<typeof adminRoutes.createConnectorToken>) {
    const { secret, hash } = newSecret();
    const expiresAt = expires_at === undefined ? undefined : new Date(expires_at);
    const row = await this.tenants.act(tenantId, async (tx, describe) => {
      // Locked, because a concurrent deletion of the connector would leave the token behind.
      const { type } = orNotFound(await lockConnector(tx, connectorId));
      if (!findDefinition(type)?.isPushed) throw badRequest('only connectors of type scim-push have tokens');
      const inserted = await insertApiKey(tx, { name, scopes: [], secretHash: hash, expiresAt, connectorId });
      const after = { ...presentConnectorToken(inserted), connector_id: encodeId('connector', connectorId) };
      describe({ resource: after.id, after });
      return inserted;
    });
    const path = `/scim/v2/${encodeId('connector', connectorId)}`;
    return { ...presentConnectorToken(row), token: formatApiKey(row.id, secret), path };
  }

  @Handles(adminRoutes.listConnectorTokens)
  listTokens({ tenantId, connectorId, query: page }: Input<typeof adminRoutes.listConnectorTokens>) {
    return this.tenants.page(tenantId, page, presentConnectorToken, async (tx) => {
      orNotFound(await findConnector(tx, connectorId));
      return listApiKeys(tx, page, connectorId);
    });
  }

  @Handles(adminRoutes.deleteConnectorToken)
  async revokeToken({
    tenantId,
    connectorId,
    apiKeyId,
  }: Input<typeof adminRoutes.deleteConnectorToken>): Promise<void> {
    await this.tenants.act(tenantId, async (tx) => {
      orNotFound(await findConnector(tx, connectorId));
      orNotFound(await revokeApiKey(tx, apiKeyId, connectorId));
    });
    this.keyRing.clear();
  }
}
