import { requests } from '@idsync/contracts';
import { Database, insertApiKey, listApiKeys, revokeApiKey } from '@idsync/database';
import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';
import { notFound } from '../api-error.js';
import { formatApiKey, newSecret } from '../api-key.js';
import { uuidOf } from '../directory.controller.js';
import { KeyRing } from '../key-ring.js';
import { presentApiKey } from '../present.js';
import { validate } from '../validate.js';
import { inTenant } from './tenants.controller.js';

@Controller('admin/v1/tenants/:tenantId/api-keys')
export class ApiKeysController {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(KeyRing) private readonly keyRing: KeyRing,
  ) {}

  @Post()
  @HttpCode(201)
  async issue(@Param('tenantId') tenantId: string, @Body() body: unknown): Promise<object> {
    const { name, scopes, expires_at } = validate(requests.apiKeyBody, body);
    const { secret, hash } = newSecret();
    const expiresAt = expires_at === undefined ? undefined : new Date(expires_at);
    const row = await inTenant(this.database, tenantId, (tx, tenant) =>
      insertApiKey(tx, tenant, { name, scopes, secretHash: hash, expiresAt }),
    );
    return { ...presentApiKey(row), key: formatApiKey(row.id, secret) };
  }

  @Get()
  async list(@Param('tenantId') tenantId: string, @Query() query: unknown): Promise<object> {
    const page = validate(requests.pageQuery, query);
    const { rows, total } = await inTenant(this.database, tenantId, (tx, tenant) => listApiKeys(tx, tenant, page));
    return { data: rows.map(presentApiKey), total, ...page };
  }

  @Delete(':keyId')
  @HttpCode(204)
  async revoke(@Param('tenantId') tenantId: string, @Param('keyId') keyId: string): Promise<void> {
    const id = uuidOf('apiKey', keyId);
    const found = await inTenant(this.database, tenantId, (tx, tenant) => revokeApiKey(tx, tenant, id));
    if (!found) throw notFound();
    this.keyRing.forget();
  }
}
