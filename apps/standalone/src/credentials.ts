import { IdsyncError } from '@idsync/client/operator';
import type { OperatorClient } from './operator-client.js';
import { readStored } from './stored-secrets.js';

/** Tenant and API key in credentials.json, which may be the only copy of the key. */
export interface TenantAccess {
  tenantId: string;
  apiKey?: string;
}

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
  if (!tenantId || !(await isThere(operator('GET /tenants/{tenantId}', { tenantId })))) return undefined;
  // The id is in the key: `iss_<id>_<secret>`.
  const keyId = `key_${apiKey?.split('_')[1]}`;
  const isOwn = () => isThere(operator('GET /tenants/{tenantId}/api-keys/{keyId}', { tenantId, keyId }));
  return apiKey && (await isValid(baseUrl, apiKey)) && (await isOwn()) ? { tenantId, apiKey } : { tenantId };
}

async function isThere(asked: Promise<unknown>): Promise<boolean> {
  try {
    await asked;
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
