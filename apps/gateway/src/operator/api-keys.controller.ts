import { requests } from '@idsync/contracts';
import { insertApiKey, listApiKeys, lockApiKey, type Page, revokeApiKey, updateApiKey } from '@idsync/database/gateway';
import { Controller, Delete, Get, HttpCode, Patch, Post } from '@nestjs/common';
import type { z } from 'zod';
import { formatApiKey, newSecret } from '../access/api-key.js';
import { KeyRing } from '../access/key-ring.service.js';
import { OperatorAccess } from '../audit/operator-access.decorator.js';
import { badRequest, orNotFound } from '../http/api-error.js';
import { PublicId, TenantParam } from '../http/public-id.pipe.js';
import { PageQuery, ZodBody } from '../http/zod.pipe.js';
import { presentApiKey } from '../present.js';
import { TenantTransactions } from './tenant-transactions.service.js';

@Controller('admin/v1/tenants/:tenantId/api-keys')
@OperatorAccess()
export class ApiKeysController {
  constructor(
    private readonly tenants: TenantTransactions,
    private readonly keyRing: KeyRing,
  ) {}

  @Post()
  async issue(
    @TenantParam() tenantId: string,
    @ZodBody(requests.apiKeyBody) { name, scopes, expires_at, allowed_networks }: z.infer<typeof requests.apiKeyBody>,
  ): Promise<object> {
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

  @Get()
  list(@TenantParam() tenantId: string, @PageQuery() page: Page): Promise<object> {
    return this.tenants.page(tenantId, page, presentApiKey, (tx) => listApiKeys(tx, tenantId, page));
  }

  @Patch(':keyId')
  async update(
    @TenantParam() tenantId: string,
    @PublicId('apiKey', 'keyId') keyId: string,
    @ZodBody(requests.apiKeyPatch) { expires_at, allowed_networks, ...patch }: z.infer<typeof requests.apiKeyPatch>,
  ): Promise<object> {
    const changes = {
      ...patch,
      ...(expires_at !== undefined && { expiresAt: expires_at === null ? null : new Date(expires_at) }),
      ...(allowed_networks !== undefined && { allowedNetworks: allowed_networks }),
    };
    const shown = await this.tenants.act(tenantId, async (tx, describe) => {
      const key = orNotFound(await lockApiKey(tx, tenantId, keyId));
      if (key.revokedAt) throw badRequest('the key is revoked');
      await updateApiKey(tx, key, changes);
      const after = presentApiKey({ ...key, ...changes });
      describe({ before: presentApiKey(key), after });
      return after;
    });
    this.keyRing.clear();
    return shown;
  }

  @Delete(':keyId')
  @HttpCode(204)
  async revoke(@TenantParam() tenantId: string, @PublicId('apiKey', 'keyId') keyId: string): Promise<void> {
    await this.tenants.act(tenantId, async (tx) => orNotFound(await revokeApiKey(tx, tenantId, keyId)));
    this.keyRing.clear();
  }
}
