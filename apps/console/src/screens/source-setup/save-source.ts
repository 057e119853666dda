import type { Approval, Connector } from '../../data/api';
import { changeConnector, createConnector } from '../../data/connectors';
import type { Secrets } from './connection-step';
import { configOf, type Draft } from './draft';

/** Creates the source of a draft, or changes what differs from the stored one; undefined if nothing does. */
export async function saveSource(
  tenantId: string,
  source: Connector | undefined,
  draft: Draft,
  given: Secrets,
  needsMapping: boolean,
): Promise<Connector | Approval | undefined> {
  const config = configOf(draft, needsMapping);
  const secrets = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
  const name = draft.name.trim();
  const priority = Number(draft.priority);
  if (!source) {
    return createConnector(tenantId, { type: draft.type, name, records: draft.records, priority, config, secrets });
  }
  const body = {
    ...(name !== source.name && { name }),
    ...(priority !== source.priority && { priority }),
    ...(!isSame(config, source.config) && { config }),
    ...(Object.keys(secrets).length > 0 && { secrets }),
  };
  return Object.keys(body).length > 0 ? changeConnector(tenantId, source.id, body) : undefined;
}

/** Whether the stored configuration has the given settings; those that the service has added are its defaults. */
function isSame(given: Record<string, unknown>, stored: Record<string, unknown>): boolean {
  const withDefaults = { ...stored, ...given };
  const removed = Object.keys(stored).some((name) => !(name in given));
  return !removed && JSON.stringify(sorted(withDefaults)) === JSON.stringify(sorted(stored));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => a.localeCompare(b))
      .map(([name, each]) => [name, sorted(each)]),
  );
}
