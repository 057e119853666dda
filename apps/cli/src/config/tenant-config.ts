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

export const sections = ['settings', 'connectors', 'attribute_priorities', 'matching_rules', 'webhooks'] as const;
