import { encodeId, findDefinition, requests } from '@idsync/contracts';
import {
  findConnector,
  insertApiKey,
  listApiKeys,
  lockConnector,
  type Page,
  revokeApiKey,
} from '@idsync/database/gateway';
import { Controller, Delete, Get, HttpCode, Post } from '@nestjs/common';
import type { z } from 'zod';
import { formatApiKey, newSecret } from '../access/api-key.js';
import { KeyRing } from '../access/key-ring.service.js';
import { OperatorAccess } from '../audit/operator-access.decorator.js';
import { badRequest, orNotFound } from '../http/api-error.js';
import { PublicId, TenantParam } from '../http/public-id.pipe.js';
import { PageQuery, ZodBody } from '../http/zod.pipe.js';
import { presentConnectorToken } from '../present.js';
import { TenantTransactions } from './tenant-transactions.service.js';

/** Tokens with which identity providers push: API keys that are valid only for the SCIM service of one connector. */
@Controller('admin/v1/tenants/:tenantId/connectors/:connectorId/tokens')
@OperatorAccess()
export class ConnectorTokensController {
  constructor(
    private readonly tenants: TenantTransactions,
    private readonly keyRing: KeyRing,
  ) {}

  @Post()
  async issue(
    @TenantParam() tenantId: string,
    @ZodBody(requests.connectorTokenBody) { name, expires_at }: z.infer<typeof requests.connectorTokenBody>,
    @PublicId('connector', 'connectorId') connectorId: string,
  ): Promise<object> {
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

  @Get()
  list(
    @TenantParam() tenantId: string,
    @PublicId('connector', 'connectorId') connectorId: string,
    @PageQuery() page: Page,
  ): Promise<object> {
    return this.tenants.page(tenantId, page, presentConnectorToken, async (tx) => {
      orNotFound(await findConnector(tx, tenantId, connectorId));
      return listApiKeys(tx, tenantId, page, connectorId);
    });
  }

  @Delete(':tokenId')
  @HttpCode(204)
  async revoke(
    @TenantParam() tenantId: string,
    @PublicId('connector', 'connectorId') connectorId: string,
    @PublicId('apiKey', 'tokenId') tokenId: string,
  ): Promise<void> {
    await this.tenants.act(tenantId, async (tx) => {
      orNotFound(await findConnector(tx, tenantId, connectorId));
      orNotFound(await revokeApiKey(tx, tenantId, tokenId, connectorId));
    });
    this.keyRing.clear();
  }
}
