import { isDeepStrictEqual } from 'node:util';
import type { ConnectorConfig, TenantConfig } from './read-config.js';

type Kind = 'connector' | 'settings' | 'attribute_priorities' | 'matching_rules' | 'webhook';
type Change = 'create' | 'update' | 'delete' | 'unchanged';

/** One line of a plan. */
export interface Step {
  change: Change;
  kind: Kind;
  /** Name of the connector, or URL of the webhook. */
  name?: string;
  /** Names of the fields that differ, and of secrets as `secrets.name`. */
  fields: string[];
}

export interface PlanOptions {
  /** Names of the secrets that a connector has in the service. */
  secretsOf: (connector: string) => readonly string[];
  /** Also plans the deletion of connectors and webhooks that the file does not list. */
  prune?: boolean;
  /** Sets all secrets that the file names, although nothing shows whether they differ. */
  setSecrets?: boolean;
}

/** Compares the wanted configuration with the present one. Fields that the file does not have stay as they are. */
export function planConfig(present: Required<TenantConfig>, wanted: TenantConfig, options: PlanOptions): Step[] {
  const steps: Step[] = [];
  if (wanted.connectors) steps.push(...planConnectors(present.connectors, wanted.connectors, options));
  if (wanted.settings) steps.push(planWhole('settings', present.settings, wanted.settings));
  if (wanted.attribute_priorities) {
    const [before, after] = [sorted(present.attribute_priorities), sorted(wanted.attribute_priorities)];
    const fields = isDeepStrictEqual(before, after) ? [] : ['priorities'];
    steps.push({ change: changeOf(fields), kind: 'attribute_priorities', fields });
  }
  if (wanted.matching_rules) {
    // Rules are replaced as a whole, so one that the file does not have is a difference.
    const none = Object.fromEntries(Object.keys(present.matching_rules).map((name) => [name, undefined]));
    steps.push(planWhole('matching_rules', present.matching_rules, { ...none, ...wanted.matching_rules }));
  }
  if (wanted.webhooks) steps.push(...planList('webhook', 'callback_url', present.webhooks, wanted.webhooks, options));
  // Settings may refer to a connector that is deleted, so deletions are last.
  return [...steps.filter(({ change }) => change !== 'delete'), ...steps.filter(({ change }) => change === 'delete')];
}

function planConnectors(
  present: readonly ConnectorConfig[],
  wanted: readonly ConnectorConfig[],
  options: PlanOptions,
): Step[] {
  const without = (list: readonly ConnectorConfig[]) => list.map(({ secrets: _, ...rest }) => rest);
  const secretsOf = new Map(wanted.map(({ name, secrets = {} }) => [name, Object.entries(secrets)]));
  return planList('connector', 'name', without(present), without(wanted), options).map((step) => {
    const { name = '', change, fields } = step;
    const stored = options.secretsOf(name);
    const isSet = ([secret, value]: [string, string]) =>
      value !== 'unchanged' && (change === 'create' || options.setSecrets || !stored.includes(secret));
    const set = (secretsOf.get(name) ?? []).filter(isSet).map(([secret]) => `secrets.${secret}`);
    if (set.length === 0 || change === 'delete') return step;
    return { ...step, change: change === 'create' ? change : 'update', fields: [...fields, ...set] };
  });
}

function planList<Item extends object>(
  kind: Kind,
  key: keyof Item & string,
  present: readonly Item[],
  wanted: readonly Item[],
  { prune = false }: PlanOptions,
): Step[] {
  const before = new Map(present.map((item) => [String(item[key]), item]));
  const listed = new Set(wanted.map((item) => String(item[key])));
  const steps = wanted.map((item): Step => {
    const name = String(item[key]);
    const stored = before.get(name);
    return stored ? { ...planWhole(kind, stored, item), name } : { change: 'create', kind, name, fields: [] };
  });
  const unlisted = prune ? [...before.keys()].filter((name) => !listed.has(name)) : [];
  return [...steps, ...unlisted.map((name): Step => ({ change: 'delete', kind, name, fields: [] }))];
}

/** Compares the fields that the file has. An absent value and null are the same. */
function planWhole(kind: Kind, present: object, wanted: object): Step {
  const before = present as Record<string, unknown>;
  const fields = Object.entries(wanted).flatMap(([name, value]) =>
    isDeepStrictEqual(before[name] ?? null, value ?? null) ? [] : [name],
  );
  return { change: changeOf(fields), kind, fields };
}

const changeOf = (fields: readonly string[]): Change => (fields.length > 0 ? 'update' : 'unchanged');

/** The order of precedence entries has no meaning. */
function sorted<Item extends object>(list: readonly Item[]): Item[] {
  const key = (item: Item) => JSON.stringify(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)));
  return [...list].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}
