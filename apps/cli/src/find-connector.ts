import { pathOf } from './admin-client.js';
import type { Connector } from './admin-replies.js';
import { CliError } from './cli-error.js';
import type { Session } from './session.js';

/** The id of the connector that a person named by its id or by its name. */
export async function findConnector(session: Session, idOrName: string): Promise<string> {
  if (idOrName.startsWith('con_')) return idOrName;
  const list = await session.client.getAll<Connector>(pathOf('tenants', session.tenant, 'connectors'));
  const [found, another] = list.data.filter((connector) => connector.name === idOrName);
  if (!found) throw new CliError(`no connector "${idOrName}"; "idsync connectors list" shows them`);
  if (another) throw new CliError(`several connectors are named "${idOrName}"; give the id`);
  return found.id;
}
