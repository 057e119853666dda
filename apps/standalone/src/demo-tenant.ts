import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Input, OneTenant } from '@idsync/client/operator';
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
  later?: Record<string, unknown>;
}

interface Demo {
  tenant: string;
  connectors: NonNullable<Input<OneTenant, 'POST /connectors'>>[];
  webhooks?: NonNullable<Input<OneTenant, 'POST /webhooks'>>[];
  later?: { connector: string; config: Record<string, unknown> }[];
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
  const tenant = { tenantId };
  const { data: existing } = await operator('GET /tenants/{tenantId}/connectors', tenant, { limit: 200 });
  const connectors: DemoTenant['connectors'] = [];
  for (const body of demo.connectors) {
    const connector = existing.find((each) => each.name === body.name);
    const { id } = connector ?? (await operator('POST /tenants/{tenantId}/connectors', tenant, body));
    const change = connector ? undefined : demo.later?.find((each) => each.connector === body.name);
    connectors.push({ id, name: body.name, ...(change && { later: { ...body.config, ...change.config } }) });
  }
  const apiKey = stored?.apiKey ?? (await operator('POST /tenants/{tenantId}/api-keys', tenant, { name: 'demo' })).key;
  const { data: webhooks } = await operator('GET /tenants/{tenantId}/webhooks', tenant);
  for (const webhook of demo.webhooks ?? []) {
    if (!webhooks.some(({ callback_url }) => callback_url === webhook.callback_url))
      await operator('POST /tenants/{tenantId}/webhooks', tenant, webhook);
  }
  return { tenantId, apiKey, connectors };
}

async function tenantNamed(operator: OperatorClient, name: string): Promise<string> {
  const { data: tenants } = await operator('GET /tenants', {}, { limit: 200 });
  const known = tenants.find((each) => each.name === name);
  return known?.id ?? (await operator('POST /tenants', {}, { name })).id;
}

async function readDemo(sourcesDir: string): Promise<Demo> {
  const file = join(sourcesDir, 'demo.json');
  if (!existsSync(file)) return withoutSamples;
  return JSON.parse(await readFile(file, 'utf8')) as Demo;
}
