import type { AttributePriority, ConnectorFacts } from '@idsync/database';

/** How much a source's word counts for a field: the lower number wins. */
export type Ranking = (connectorId: string, field: string) => number;

/** A tenant's own word on one field goes before its word on all, and that before the connector's priority. */
export function rankSources(
  connectors: ReadonlyMap<string, ConnectorFacts>,
  priorities: readonly AttributePriority[],
): Ranking {
  const own = new Map(priorities.map(({ field, connectorId, priority }) => [`${field} ${connectorId}`, priority]));
  return (connectorId, field) =>
    own.get(`${field} ${connectorId}`) ?? own.get(`* ${connectorId}`) ?? connectors.get(connectorId)?.priority ?? 0;
}
