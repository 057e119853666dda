import type { Session } from './session.js';
import { idOfName } from './what-is-there.js';

/** Resolves a connector's id from its id or its name. */
export async function findConnector(session: Session, idOrName: string): Promise<string> {
  if (idOrName.startsWith('con_')) return idOrName;
  return idOfName('connector', idOrName, await session.client.all('GET /connectors', {}));
}

/**
 * Returns the names of these connectors by id, to show in place of ids; `(deleted)` marks those that are. Responses for
 * programs keep the ids.
 */
export async function shownConnectorNames(
  session: Session,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (session.format === 'json' || session.format === 'jsonl') return new Map();
  const names = await connectorNames(session);
  if (ids.every((id) => names.has(id))) return names;
  const { data } = await session.client.all('GET /deleted-connectors', {});
  return new Map([...names, ...data.map(({ id, name }) => [id, `${name} (deleted)`] as const)]);
}

/** Returns the names of the connectors by id, to show beside ids. */
export async function connectorNames(session: Session): Promise<ReadonlyMap<string, string>> {
  const list = await session.client.all('GET /connectors', {});
  return new Map(list.data.map(({ id, name }) => [id, name]));
}
