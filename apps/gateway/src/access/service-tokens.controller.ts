import { adminRoutes, encodeId, installationId, type responses } from '@idsync/contracts';
import { asTenant, Database, type Transaction } from '@idsync/database';
import {
  findOperatorPolicy,
  findServiceToken,
  insertServiceToken,
  listServiceTokens,
  listTenants,
  revokeServiceToken,
  type ServiceTokenRow,
} from '@idsync/database/gateway';
import { Controller } from '@nestjs/common';
import { actorName } from '../audit/request-context.js';
import { badRequest, orNotFound } from '../http/api-error.js';
import { Handles, type Input } from '../http/handles.decorator.js';
import { bodyId } from '../http/ids.js';
import { TenantTransactions } from '../tenants/tenant-transactions.service.js';
import { newSecret } from './api-key.js';
import { formatServiceToken, ServiceTokens } from './service-tokens.service.js';

const dayMs = 86_400_000;

@Controller()
export class ServiceTokensController {
  constructor(
    private readonly database: Database,
    private readonly tenants: TenantTransactions,
    private readonly tokens: ServiceTokens,
  ) {}

  @Handles(adminRoutes.createServiceToken)
  async issue({ body: { name, role, tenants, expires_at } }: Input<typeof adminRoutes.createServiceToken>) {
    const tenantIds = tenants?.map((id) => bodyId(['tenant'], id)) ?? null;
    const expiresAt = expires_at === undefined ? null : new Date(expires_at);
    if (tenantIds) await this.database.acrossTenants((tx) => requireTenants(tx, tenantIds));
    const { secret, hash } = newSecret();
    return this.tenants.actIn(installationId, async (tx, describe) => {
      if (tenantIds) await requireExpiry(tx, tenantIds, expiresAt);
      const token = { name, role, tenantIds, secretHash: hash, createdBy: actorName('operator'), expiresAt };
      const row = await insertServiceToken(tx, token);
      const after = presentServiceToken(row);
      describe({ resource: after.id, after });
      return { ...after, token: formatServiceToken(row.id, secret) };
    });
  }

  @Handles(adminRoutes.listServiceTokens)
  async list({ query: page }: Input<typeof adminRoutes.listServiceTokens>) {
    const { rows, total } = await this.database.readTransaction(installationId, (tx) => listServiceTokens(tx, page));
    return { data: rows.map(presentServiceToken), total, ...page };
  }

  @Handles(adminRoutes.deleteServiceToken)
  async revoke({ serviceTokenId: id }: Input<typeof adminRoutes.deleteServiceToken>): Promise<void> {
    await this.tenants.actIn(installationId, async (tx, describe) => {
      describe({ before: presentServiceToken(orNotFound(await findServiceToken(tx, id))) });
      await revokeServiceToken(tx, id);
    });
    this.tokens.clear();
  }
}

async function requireTenants(tx: Transaction, ids: readonly string[]): Promise<void> {
  const { rows } = await listTenants(tx, { limit: ids.length, offset: 0 }, ids);
  const found = new Set(rows.map(({ id }) => id));
  const absent = ids.find((id) => !found.has(id));
  if (absent !== undefined) throw badRequest(`there is no tenant ${encodeId('tenant', absent)}`);
}

/** Throws a 400 if the token would be valid for longer than one of its tenants allows. */
async function requireExpiry(tx: Transaction, tenantIds: readonly string[], expiresAt: Date | null): Promise<void> {
  let strictest = { tenantId: '', days: Number.POSITIVE_INFINITY };
  for (const tenantId of tenantIds) {
    const policy = await asTenant(tx, tenantId, (tenant) => findOperatorPolicy(tenant));
    const days = policy.service_token_max_days ?? Number.POSITIVE_INFINITY;
    if (days < strictest.days) strictest = { tenantId, days };
  }
  const latest = Date.now() + strictest.days * dayMs;
  if ((expiresAt?.getTime() ?? Number.POSITIVE_INFINITY) <= latest) return;
  throw badRequest(
    `expires_at must be ${new Date(latest).toISOString()} or earlier, because service tokens of ` +
      `${encodeId('tenant', strictest.tenantId)} are valid for at most ${strictest.days} days, ` +
      `got ${expiresAt?.toISOString() ?? 'none'}`,
  );
}

function presentServiceToken(row: ServiceTokenRow): responses.ServiceToken {
  return {
    id: encodeId('serviceToken', row.id),
    name: row.name,
    role: row.role,
    tenants: row.tenantIds?.map((id) => encodeId('tenant', id)),
    created_at: row.createdAt.toISOString(),
    created_by: row.createdBy,
    expires_at: row.expiresAt?.toISOString(),
    last_used_at: row.lastUsedAt?.toISOString(),
    revoked_at: row.revokedAt?.toISOString(),
  };
}
