import type { Connector } from '../../data/api';
import { changeConnector, createConnector, findConnector } from '../../data/connectors';
import { changeDone } from '../../data/operations';
import type { Secrets } from './connection-step';
import { configOf, type Draft } from './draft';

/** Creates the source of a draft, or changes what differs from the stored one. Returns it as it is stored then. */
export async function saveSource(
  tenantId: string,
  source: Connector | undefined,
  draft: Draft,
  given: Secrets,
  needsMapping: boolean,
): Promise<Connector> {
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
  if (Object.keys(body).length === 0) return source;
  const answer = await changeConnector(tenantId, source.id, body);
  return (await changeDone(tenantId, answer)) ? findConnector(tenantId, source.id) : source;
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
