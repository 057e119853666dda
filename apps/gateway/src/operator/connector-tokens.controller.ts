import { requests } from '@idsync/contracts';
import {
  Database,
  findConnector,
  insertApiKey,
  listApiKeys,
  lockConnector,
  revokeApiKey,
  type Transaction,
} from '@idsync/database';
import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';
import { badRequest, notFound } from '../api-error.js';
import { formatApiKey, newSecret } from '../api-key.js';
import { uuidOf } from '../directory.controller.js';
import { KeyRing } from '../key-ring.js';
import { presentConnectorToken } from '../present.js';
import { validate } from '../validate.js';
import { inTenant } from './tenants.controller.js';

/** What identity providers push with: keys that open the SCIM service of one connector, and nothing else. */
@Controller('admin/v1/tenants/:tenantId/connectors/:connectorId/tokens')
export class ConnectorTokensController {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(KeyRing) private readonly keyRing: KeyRing,
  ) {}

  @Post()
  @HttpCode(201)
  async issue(
    @Param('tenantId') tenantId: string,
    @Param('connectorId') connectorId: string,
    @Body() body: unknown,
  ): Promise<object> {
    const id = uuidOf('connector', connectorId);
    const { name, expires_at } = validate(requests.connectorTokenBody, body);
    const { secret, hash } = newSecret();
    const expiresAt = expires_at === undefined ? undefined : new Date(expires_at);
    const row = await inTenant(this.database, tenantId, async (tx, tenant) => {
      // Locked, for a connector that is deleted at this moment would leave the token behind.
      const connector = await lockConnector(tx, tenant, id);
      if (!connector) throw notFound();
      if (connector.type !== 'scim-push') throw badRequest('only connectors of the type scim-push are pushed to');
      return insertApiKey(tx, tenant, { name, scopes: [], secretHash: hash, expiresAt, connectorId: id });
    });
    return { ...presentConnectorToken(row), token: formatApiKey(row.id, secret), path: `/scim/v2/${connectorId}` };
  }

  @Get()
  async list(
    @Param('tenantId') tenantId: string,
    @Param('connectorId') connectorId: string,
    @Query() query: unknown,
  ): Promise<object> {
    const page = validate(requests.pageQuery, query);
    const { rows, total } = await ofConnector(this.database, tenantId, connectorId, (tx, tenant, id) =>
      listApiKeys(tx, tenant, page, id),
    );
    return { data: rows.map(presentConnectorToken), total, ...page };
  }

  @Delete(':tokenId')
  @HttpCode(204)
  async revoke(
    @Param('tenantId') tenantId: string,
    @Param('connectorId') connectorId: string,
    @Param('tokenId') tokenId: string,
  ): Promise<void> {
    const token = uuidOf('apiKey', tokenId);
    const found = await ofConnector(this.database, tenantId, connectorId, (tx, tenant, id) =>
      revokeApiKey(tx, tenant, token, id),
    );
    if (!found) throw notFound();
    this.keyRing.forget();
  }
}

async function ofConnector<T>(
  database: Database,
  tenantId: string,
  connectorId: string,
  work: (tx: Transaction, tenant: string, connector: string) => Promise<T>,
): Promise<T> {
  const id = uuidOf('connector', connectorId);
  return inTenant(database, tenantId, async (tx, tenant) => {
    if (!(await findConnector(tx, tenant, id))) throw notFound();
    return work(tx, tenant, id);
  });
}
