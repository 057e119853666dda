import { defaultMatchingRules, type MatchingRules } from '@idsync/contracts';
import {
  type ConnectorFacts,
  findAttributePriorities,
  findConnectors,
  findMatchingRules,
  lockReferences,
  type Transaction,
} from '@idsync/database';
import { type Ranking, rankSources } from './rank-sources.js';

/** Why the directory changes, and what it has to know of the tenant to do so. */
export interface Cause {
  tenantId: string;
  /** The sync job that brought the change, if one did. */
  jobId?: string;
  /** The operator's act that made the change, if one did. */
  operationId?: string;
  now: Date;
  /** All of the tenant's connectors by id, deleted ones included. */
  connectors: ReadonlyMap<string, ConnectorFacts>;
  rules: MatchingRules;
  rankOf: Ranking;
  /** Links that no operator decided are looked at anew, as if nobody had been joined before. */
  reconsider?: boolean;
  /** Every identity that is touched is rendered anew, though none of its records changed. */
  rerender?: boolean;
  /** An identity that loses all its records leaves a tombstone without anything personal. */
  erase?: boolean;
  /** Identities that were merged away and come back, with the time they were made. */
  revived?: ReadonlyMap<string, Date>;
}

/**
 * Reads what every change has to know of its tenant. Who may bring machines that name people calls it `alone`, before
 * anything of the tenant is locked.
 */
export async function learnTenant(
  tx: Transaction,
  tenantId: string,
  how: 'alone' | 'shared' = 'shared',
): Promise<Pick<Cause, 'tenantId' | 'connectors' | 'rules' | 'rankOf'>> {
  await lockReferences(tx, tenantId, how);
  const connectors = new Map((await findConnectors(tx, tenantId)).map((connector) => [connector.id, connector]));
  const rankOf = rankSources(connectors, await findAttributePriorities(tx, tenantId));
  return { tenantId, connectors, rankOf, rules: (await findMatchingRules(tx, tenantId)) ?? defaultMatchingRules };
}
