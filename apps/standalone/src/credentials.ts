import { IdsyncError } from '@idsync/client';
import type { OperatorClient } from './operator-client.js';
import { readStored } from './stored-secrets.js';

/** Tenant and API key in credentials.json, which may be the only copy of the key. */
export interface TenantAccess {
  tenantId: string;
  apiKey?: string;
}

const pageSize = 200;

/** Returns the tenant of an earlier start if it still exists, with its API key if that is valid and belongs to the tenant. */
export async function storedAccess(
  file: string,
  operator: OperatorClient,
  baseUrl: string,
): Promise<TenantAccess | undefined> {
  const stored = await readStored<{ tenant_id?: string; api_key?: string }>(file).catch((error: Error) => {
    // Unlike secrets.json, an invalid file can be replaced, because its contents can be created again.
    if (error.cause instanceof SyntaxError) return undefined;
    throw error;
  });
  const { tenant_id: tenantId, api_key: apiKey } = stored ?? {};
  if (!tenantId || !(await exists(operator, tenantId))) return undefined;
  if (!apiKey || !(await isValid(baseUrl, apiKey)) || !(await belongsTo(operator, tenantId, apiKey)))
    return { tenantId };
  return { tenantId, apiKey };
}

async function exists(operator: OperatorClient, tenantId: string): Promise<boolean> {
  try {
    await operator('GET /tenants/{tenantId}', { tenantId });
    return true;
  } catch (error) {
    if (error instanceof IdsyncError && error.status === 404) return false;
    throw error;
  }
}

/** Only 401 means an invalid key; a key without the scope receives 403. */
async function isValid(baseUrl: string, key: string): Promise<boolean> {
  const response = await fetch(`${baseUrl}/v1/users?limit=1`, { headers: { 'x-api-key': key } });
  return response.status !== 401;
}

/** Compares by the id in the key: `iss_<id>_<secret>`. */
async function belongsTo(operator: OperatorClient, tenantId: string, key: string): Promise<boolean> {
  const [, id] = key.split('_');
  for (let offset = 0; ; offset += pageSize) {
    const query = { limit: pageSize, offset };
    const { data, total } = await operator('GET /tenants/{tenantId}/api-keys', { tenantId }, query);
    if (data.some((each) => each.id.endsWith(`_${id}`))) return true;
    if (offset + pageSize >= total) return false;
  }
}
