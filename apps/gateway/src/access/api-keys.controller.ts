import { adminRoutes } from '@idsync/contracts';
import {
  findApiKey,
  insertApiKey,
  listApiKeys,
  lockApiKey,
  revokeApiKey,
  updateApiKey,
} from '@idsync/database/gateway';
import { Controller } from '@nestjs/common';
import { badRequest, orNotFound } from '../http/api-error.js';
import { Handles, type Input } from '../http/handles.decorator.js';
import { TenantTransactions } from '../tenants/tenant-transactions.service.js';
import { formatApiKey, newSecret } from './api-key.js';
import { KeyRing } from './key-ring.service.js';
import { presentApiKey } from './present-api-key.js';

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
      const row = await insertApiKey(tx, tenantId, {
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
    return this.tenants.page(tenantId, page, presentApiKey, (tx) => listApiKeys(tx, tenantId, page));
  }

  @Handles(adminRoutes.getApiKey)
  async get({ tenantId, apiKeyId }: Input<typeof adminRoutes.getApiKey>) {
    return presentApiKey(orNotFound(await this.tenants.run(tenantId, (tx) => findApiKey(tx, tenantId, apiKeyId))));
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
      const key = orNotFound(await lockApiKey(tx, tenantId, apiKeyId));
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
    await this.tenants.act(tenantId, async (tx) => orNotFound(await revokeApiKey(tx, tenantId, apiKeyId)));
    this.keyRing.clear();
  }
}
