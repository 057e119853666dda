import type {
  AttributePriorities,
  ConnectorType,
  MatchingRules,
  RecordKind,
  Safeguard,
  Schedule,
  TenantSettings,
  WebhookFilter,
} from '@idsync/contracts';
import { parse } from 'yaml';
import { UsageError } from '../cli-error.js';
import { readInput } from '../input.js';

/** A connector in the file. Its name identifies it. */
export interface ConnectorConfig {
  name: string;
  type: ConnectorType;
  records?: RecordKind;
  priority?: number;
  config: Record<string, unknown>;
  safeguard?: Partial<Safeguard>;
  schedule?: Schedule | null;
  /** Each value is `${env:NAME}`, which names a variable, or `unchanged`. */
  secrets?: Record<string, string>;
}

/** A webhook in the file. Its URL identifies it. */
export interface WebhookConfig {
  callback_url: string;
  events: string[];
  active?: boolean;
  filter?: WebhookFilter | null;
  payload?: 'full' | 'thin';
}

type Priority = Omit<AttributePriorities['priorities'][number], 'connector_id'> & { connector: string };
type NamedList<Item extends { connector_id: string }> = (Omit<Item, 'connector_id'> & { connector: string })[];

/** The settings of single connectors. */
export const connectorLists = ['connector_time_zones', 'connector_employments', 'connector_stale_hours'] as const;
export type ConnectorList = (typeof connectorLists)[number];

/** Settings whose connectors are named. */
export type SettingsConfig = Partial<Omit<TenantSettings, ConnectorList>> & {
  [Name in ConnectorList]?: NamedList<TenantSettings[Name][number]>;
};

/** The configuration of a tenant. An absent section stays as it is. */
export interface TenantConfig {
  version: 1;
  settings?: SettingsConfig;
  connectors?: ConnectorConfig[];
  attribute_priorities?: Priority[];
  matching_rules?: MatchingRules;
  webhooks?: WebhookConfig[];
}

const sections = ['settings', 'connectors', 'attribute_priorities', 'matching_rules', 'webhooks'] as const;

const maxBytes = 10 * 1024 * 1024;
const connectorFields = new Set(['name', 'type', 'records', 'priority', 'config', 'safeguard', 'schedule', 'secrets']);
const webhookFields = new Set(['callback_url', 'events', 'active', 'filter', 'payload']);
const secretForm = /^(unchanged|\$\{env:[A-Za-z_][A-Za-z0-9_]*\})$/;

/** Reads a configuration. The service validates values; this checks what the plan depends on. */
export function readConfig(file: string, cwd = '.'): TenantConfig {
  const text = readInput(file, cwd);
  if (text.length > maxBytes) throw new UsageError(`${file} is larger than ${maxBytes} bytes`);
  let config: unknown;
  try {
    config = parse(text);
  } catch (error) {
    throw new UsageError(`${file} is not valid YAML: ${(error as Error).message.split('\n')[0]}`);
  }
  return checkConfig(config, file);
}

function checkConfig(config: unknown, file: string): TenantConfig {
  const fail = (problem: string): never => {
    throw new UsageError(`${file}: ${problem}`);
  };
  if (!isObject(config)) return fail('must contain one mapping');
  if (config.version !== 1) fail(`version must be 1, got ${JSON.stringify(config.version) ?? 'none'}`);
  const unknown = Object.keys(config).find((name) => name !== 'version' && !sections.includes(name as never));
  if (unknown !== undefined) fail(`unknown section "${unknown}"; there are ${sections.join(', ')}`);
  for (const name of ['connectors', 'webhooks', 'attribute_priorities'] as const) {
    if (config[name] !== undefined && !(Array.isArray(config[name]) && config[name].every(isObject)))
      fail(`${name} must be a list of mappings`);
  }
  for (const name of ['settings', 'matching_rules'] as const) {
    if (config[name] !== undefined && !isObject(config[name])) fail(`${name} must be a mapping`);
  }
  const { connectors = [], webhooks = [] } = config as unknown as TenantConfig;
  requireIdentified(connectors, 'name', connectorFields, fail);
  requireIdentified(webhooks, 'callback_url', webhookFields, fail);
  for (const { name, secrets = {} } of connectors) {
    for (const [secret, value] of Object.entries(secrets)) {
      // The value is not printed: it may be a secret.
      if (typeof value !== 'string' || !secretForm.test(value))
        fail(
          `secrets.${secret} of connector "${name}" must be \${env:NAME} or unchanged: secrets do not belong in the file`,
        );
    }
  }
  return config as unknown as TenantConfig;
}

function requireIdentified(
  items: readonly object[],
  key: string,
  fields: ReadonlySet<string>,
  fail: (problem: string) => never,
): void {
  const seen = new Set<string>();
  for (const item of items) {
    const id = (item as Record<string, unknown>)[key];
    if (typeof id !== 'string' || id === '') fail(`each item needs ${key}`);
    const normal = key === 'callback_url' && URL.canParse(String(id)) ? new URL(String(id)).href : String(id);
    if (seen.has(normal)) fail(`${key} ${JSON.stringify(id)} occurs twice`);
    seen.add(normal);
    const unknown = Object.keys(item).find((name) => !fields.has(name));
    if (unknown !== undefined) fail(`unknown field "${unknown}" of ${JSON.stringify(id)}`);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
