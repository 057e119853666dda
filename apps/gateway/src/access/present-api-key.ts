import { encodeId, type responses } from '@idsync/contracts';
import type { ApiKeyRow } from '@idsync/database/gateway';

export function presentApiKey(row: ApiKeyRow): responses.ApiKey {
  return {
    id: encodeId('apiKey', row.id),
    name: row.name,
    scopes: row.scopes,
    created_at: row.createdAt.toISOString(),
    expires_at: row.expiresAt?.toISOString(),
    last_used_at: row.lastUsedAt?.toISOString(),
    revoked_at: row.revokedAt?.toISOString(),
    allowed_networks: row.allowedNetworks ?? undefined,
  };
}

export function presentConnectorToken(row: ApiKeyRow): responses.ConnectorToken {
  const { scopes: _, allowed_networks: __, ...token } = presentApiKey(row);
  return token;
}
