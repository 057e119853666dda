import { connectorBody, matchingRules, requests, tenantSettingsPatch } from '@idsync/contracts';
import { UsageError } from '../cli-error.js';
import { type ConnectorConfig, connectorLists, type TenantConfig, type WebhookConfig } from './read-config.js';

/**
 * Returns the configuration as the service would store it, with the defaults of nested values, so that a comparison finds
 * only real differences. Throws if the service would refuse a part of it.
 */
export function normaliseConfig(wanted: TenantConfig): TenantConfig {
  const { connectors, webhooks, settings, matching_rules, attribute_priorities } = wanted;
  if (settings) {
    const others = Object.entries(settings).filter(([name]) => !connectorLists.some((list) => list === name));
    parse(tenantSettingsPatch, Object.fromEntries(others), 'settings');
  }
  return {
    version: 1,
    ...(settings && { settings }),
    ...(connectors && { connectors: connectors.map(normalConnector) }),
    ...(attribute_priorities && { attribute_priorities }),
    ...(matching_rules && { matching_rules: parse(matchingRules, matching_rules, 'matching_rules') }),
    ...(webhooks && { webhooks: webhooks.map(normalWebhook) }),
  };
}

function normalConnector(wanted: ConnectorConfig): ConnectorConfig {
  const { secrets = {}, ...body } = wanted;
  // Secrets have no values here; the service checks those that are sent.
  const placeholders = Object.fromEntries(Object.keys(secrets).map((name) => [name, 'placeholder']));
  const parsed = parse(connectorBody, { ...body, secrets: placeholders }, `connector "${wanted.name}"`);
  const stored = parsed as unknown as Record<string, unknown>;
  const given = Object.keys(body).map((field) => [field, stored[field]]);
  return { ...Object.fromEntries(given), ...(wanted.secrets && { secrets }) };
}

function normalWebhook({ active, filter, ...wanted }: WebhookConfig): WebhookConfig {
  const given = { ...wanted, ...(filter && { filter }) };
  const { callback_url, events, payload } = parse(requests.webhookBody, given, `webhook ${wanted.callback_url}`);
  return {
    callback_url,
    events: [...events],
    payload: payload ?? 'full',
    filter: filter ?? null,
    ...(active !== undefined && { active }),
  };
}

interface Schema<Value> {
  safeParse(
    value: unknown,
  ): { success: true; data: Value } | { success: false; error: { issues: { path: PropertyKey[]; message: string }[] } };
}

function parse<Value>(schema: Schema<Value>, value: unknown, what: string): Value {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new UsageError(`${what}: ${[issue?.path.join('.'), issue?.message].filter(Boolean).join(' ')}`);
}
