import type { ConnectorInfo } from '@idsync/database/directory';
import type { AttributePriority } from '@idsync/database/settings';

/** By what sources precede others. */
export interface Precedence {
  rankOf: Ranking;
  connectors: ReadonlyMap<string, ConnectorInfo>;
}

/** Returns the priority of a source for a field; the lowest number wins. */
export type Ranking = (connectorId: string, field: string) => number;

/** The tenant's priority for a field comes first, then its priority for all fields, then the connector's priority. */
export function rankSources(
  connectors: ReadonlyMap<string, ConnectorInfo>,
  priorities: readonly AttributePriority[],
): Ranking {
  const own = new Map(priorities.map(({ field, connectorId, priority }) => [`${field} ${connectorId}`, priority]));
  const byConnector = (connectorId: string) => connectors.get(connectorId)?.priority ?? 0;
  // Asked for every value of every record.
  if (own.size === 0) return byConnector;
  return (connectorId, field) =>
    own.get(`${field} ${connectorId}`) ?? own.get(`* ${connectorId}`) ?? byConnector(connectorId);
}
