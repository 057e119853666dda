import type { responses } from '@idsync/contracts';
import { pathOf } from './admin-client.js';
import { CliError } from './cli-error.js';
import type { Session } from './session.js';

/** Resolves a connector's id from its id or its name. */
export async function findConnector(session: Session, idOrName: string): Promise<string> {
  if (idOrName.startsWith('con_')) return idOrName;
  const list = await session.client.getAll<responses.Connector>(pathOf('tenants', session.tenant, 'connectors'));
  const [found, another] = list.data.filter((connector) => connector.name === idOrName);
  if (!found) throw new CliError(`no connector "${idOrName}": run "idsync connectors list" for the names`);
  if (another) throw new CliError(`several connectors are named "${idOrName}": use the id`);
  return found.id;
}
