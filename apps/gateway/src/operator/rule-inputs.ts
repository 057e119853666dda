import { type AttributePriorities, encodeId, type LifecyclePolicy } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import { findConnector } from '@idsync/database/gateway';
import type { findAttributePriorities } from '@idsync/database/settings';
import { badRequest } from '../http/api-error.js';
import { bodyId } from '../http/ids.js';

/** Shows the connectors of a stored policy by their public ids. */
export function presentLifecyclePolicy(policy: LifecyclePolicy): LifecyclePolicy {
  return withConnectorIds(policy, (id) => encodeId('connector', id));
}

/** The API names connectors by their public ids, stored policies by bare uuids. */
export function storedLifecyclePolicy(policy: LifecyclePolicy): LifecyclePolicy {
  return withConnectorIds(policy, (id) => bodyId(['connector'], id));
}

/** Throws a 400 if a connector does not exist. */
export async function requireConnectors(tx: Transaction, tenantId: string, ids: readonly string[]): Promise<void> {
  for (const id of new Set(ids)) {
    if (!(await findConnector(tx, tenantId, id)))
      throw badRequest(`there is no connector ${encodeId('connector', id)}`);
  }
}

function withConnectorIds(policy: LifecyclePolicy, convert: (id: string) => string): LifecyclePolicy {
  return {
    ...policy,
    connector_time_zones: policy.connector_time_zones.map((each) => ({
      ...each,
      connector_id: convert(each.connector_id),
    })),
  };
}

type StoredPriorities = Awaited<ReturnType<typeof findAttributePriorities>>;

export function presentPriorities(rows: StoredPriorities): AttributePriorities {
  const priorities = rows.map(({ field, connectorId, priority }) => ({
    field,
    connector_id: encodeId('connector', connectorId),
    priority,
  }));
  return { priorities };
}

export function storedPriorities({ priorities }: AttributePriorities): AttributePriorities['priorities'] {
  return priorities.map((each) => ({ ...each, connector_id: bodyId(['connector'], each.connector_id) }));
}
