import type { MatchingRules, responses } from '@idsync/contracts';
import type { Session } from '../session.js';
import {
  type ConnectorConfig,
  type ConnectorList,
  connectorLists,
  type SettingsConfig,
  type TenantConfig,
  type WebhookConfig,
} from './read-config.js';

/** The present configuration of a tenant, with the ids that its names stand for. */
export interface LoadedConfig {
  config: Required<TenantConfig>;
  connectorIds: ReadonlyMap<string, string>;
  /** Names of the secrets that each connector has, by its name. */
  secretNames: ReadonlyMap<string, readonly string[]>;
  /** Several webhooks may have one URL. */
  webhookIds: ReadonlyMap<string, readonly string[]>;
}

/** Reads the configuration of the tenant through the operator API. */
export async function loadConfig({ client }: Session): Promise<LoadedConfig> {
  const { data: connectors } = await client.all('GET /connectors', {});
  const { data: webhooks } = await client.call('GET /webhooks', {});
  const settings = await client.call('GET /settings', {});
  const { priorities } = await client.call('GET /attribute-priorities', {});
  const names = new Map(connectors.map(({ id, name }) => [id, name]));
  const named = <Item extends { connector_id: string }>(list: readonly Item[]) =>
    list.map(({ connector_id, ...rest }) => ({ connector: names.get(connector_id) ?? connector_id, ...rest }));
  const lists = Object.fromEntries(
    connectorLists.map((name) => [name, named<{ connector_id: string }>(settings[name])]),
  ) as Required<Pick<SettingsConfig, ConnectorList>>;
  const webhookIds = new Map<string, string[]>();
  for (const { id, callback_url: url } of webhooks) webhookIds.set(url, [...(webhookIds.get(url) ?? []), id]);
  return {
    config: {
      version: 1,
      settings: { ...settings, ...lists },
      connectors: connectors.map(shownConnector),
      attribute_priorities: named(priorities),
      matching_rules: (await client.call('GET /matching-rules', {})) as MatchingRules,
      webhooks: webhooks.map(shownWebhook),
    },
    connectorIds: new Map(connectors.map(({ id, name }) => [name, id])),
    secretNames: new Map(connectors.map(({ name, secrets }) => [name, secrets])),
    webhookIds,
  };
}

function shownConnector(connector: responses.Connector): ConnectorConfig {
  const { name, type, records, priority, config, safeguard, schedule, secrets } = connector;
  return {
    name,
    type: type as ConnectorConfig['type'],
    records: records as ConnectorConfig['records'],
    priority,
    config,
    safeguard,
    ...(schedule && { schedule }),
    ...(secrets.length > 0 && {
      secrets: Object.fromEntries(secrets.map((secret) => [secret, `\${env:${variableOf(name, secret)}}`])),
    }),
  };
}

/** Names the variable of a secret, such as `HR_PASSWORD`. */
function variableOf(connector: string, secret: string): string {
  const name = `${connector}_${secret}`.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_');
  return /^\d/.test(name) ? `_${name}` : name;
}

function shownWebhook({ callback_url, events, active, filter, payload }: responses.WebhookHealth): WebhookConfig {
  return {
    callback_url,
    events,
    active,
    payload: payload ?? 'full',
    ...(filter && { filter }),
  };
}
