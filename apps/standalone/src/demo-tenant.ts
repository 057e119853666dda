import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ConnectorBody } from '@idsync/contracts';
import type { TenantAccess } from './credentials.js';
import type { OperatorClient } from './operator-client.js';

export interface DemoTenant {
  tenantId: string;
  apiKey: string;
  connectors: DemoConnector[];
}

export interface DemoConnector {
  id: string;
  name: string;
  /** Configuration that a connector of this start gets after its first sync, so that there is a change to look at. */
  later?: object;
}

interface Demo {
  tenant: string;
  connectors: ConnectorBody[];
  webhooks?: { callback_url: string; events: string[] }[];
  later?: { connector: string; config: object }[];
}

interface List<Item> {
  data: Item[];
}

const withoutSamples: Demo = { tenant: 'Demo', connectors: [] };

/**
 * Returns the tenant of earlier starts, regardless of the sources folder, or creates one. Connectors are created from demo.json in
 * the sources folder, if it exists.
 */
export async function ensureDemoTenant(
  operator: OperatorClient,
  sourcesDir: string,
  stored: TenantAccess | undefined,
): Promise<DemoTenant> {
  const demo = await readDemo(sourcesDir);
  const tenantId = stored?.tenantId ?? (await tenantNamed(operator, demo.tenant));
  const path = `/tenants/${tenantId}`;
  const { data: existing } = await operator.get<List<{ id: string; name: string }>>(`${path}/connectors?limit=200`);
  const connectors: DemoTenant['connectors'] = [];
  for (const body of demo.connectors) {
    const connector = existing.find((each) => each.name === body.name);
    const { id } = connector ?? (await operator.post<{ id: string }>(`${path}/connectors`, body));
    const change = connector ? undefined : demo.later?.find((each) => each.connector === body.name);
    connectors.push({ id, name: body.name, ...(change && { later: { ...body.config, ...change.config } }) });
  }
  const apiKey = stored?.apiKey ?? (await operator.post<{ key: string }>(`${path}/api-keys`, { name: 'demo' })).key;
  const { data: webhooks } = await operator.get<List<{ callback_url: string }>>(`${path}/webhooks`);
  for (const webhook of demo.webhooks ?? []) {
    if (!webhooks.some(({ callback_url }) => callback_url === webhook.callback_url))
      await operator.post(`${path}/webhooks`, webhook);
  }
  return { tenantId, apiKey, connectors };
}

async function tenantNamed(operator: OperatorClient, name: string): Promise<string> {
  const { data: tenants } = await operator.get<List<{ id: string; name: string }>>('/tenants?limit=200');
  const known = tenants.find((each) => each.name === name);
  return known?.id ?? (await operator.post<{ id: string }>('/tenants', { name })).id;
}

async function readDemo(sourcesDir: string): Promise<Demo> {
  const file = join(sourcesDir, 'demo.json');
  if (!existsSync(file)) return withoutSamples;
  return JSON.parse(await readFile(file, 'utf8')) as Demo;
}
