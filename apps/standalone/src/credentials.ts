import { readKept } from './kept-secrets.js';
import type { OperatorClient } from './operator-client.js';

/** What credentials.json says of a tenant; the key is shown once, so this may be the only copy. */
export interface TenantAccess {
  tenantId: string;
  apiKey?: string;
}

interface Page {
  data: { id: string }[];
  total: number;
}

const pageSize = 200;

/** The tenant of an earlier start, if it still exists, with its key, if it is one of this tenant's and still works. */
export async function keptAccess(
  file: string,
  operator: OperatorClient,
  baseUrl: string,
): Promise<TenantAccess | undefined> {
  const kept = await readKept<{ tenant_id?: string; api_key?: string }>(file).catch((error: Error) => {
    // Written anew, unlike the secrets: a broken one holds nothing that could be lost.
    if (error.cause instanceof SyntaxError) return undefined;
    throw error;
  });
  const { tenant_id: tenantId, api_key: apiKey } = kept ?? {};
  if (!tenantId || !(await operator.find(`/tenants/${tenantId}`))) return undefined;
  if (!apiKey || !(await works(baseUrl, apiKey)) || !(await belongsTo(operator, tenantId, apiKey))) return { tenantId };
  return { tenantId, apiKey };
}

/** A key that lacks a scope is answered 403, and is a key all the same. */
async function works(baseUrl: string, key: string): Promise<boolean> {
  const answer = await fetch(`${baseUrl}/v1/users?limit=1`, { headers: { 'x-api-key': key } });
  return answer.status !== 401;
}

/** A key carries its id: `iss_<id>_<secret>`. */
async function belongsTo(operator: OperatorClient, tenantId: string, key: string): Promise<boolean> {
  const [, id] = key.split('_');
  for (let offset = 0; ; offset += pageSize) {
    const { data, total } = await operator.get<Page>(
      `/tenants/${tenantId}/api-keys?limit=${pageSize}&offset=${offset}`,
    );
    if (data.some((each) => each.id.endsWith(`_${id}`))) return true;
    if (offset + pageSize >= total) return false;
  }
}
