import { type AttributePriorities, encodeId, type FindingPolicy, type LifecyclePolicy } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import { findConnector } from '@idsync/database/gateway';
import type { findAttributePriorities } from '@idsync/database/settings';
import { badRequest } from '../http/api-error.js';
import { bodyId } from '../http/ids.js';

/** Shows the connectors of a stored policy by their public ids. */
export function presentLifecyclePolicy(policy: LifecyclePolicy): LifecyclePolicy {
  return withConnectors(policy, toPublic);
}

/** The API names connectors by their public ids, stored policies by bare uuids. */
export function storedLifecyclePolicy(policy: LifecyclePolicy): LifecyclePolicy {
  return withConnectors(policy, toStored);
}

function withConnectors(policy: LifecyclePolicy, convert: (id: string) => string): LifecyclePolicy {
  const { connector_time_zones: zones, connector_employments: employments } = policy;
  return {
    ...policy,
    connector_time_zones: converted(zones, convert),
    connector_employments: converted(employments, convert),
  };
}

/** Returns the connectors that a policy names. */
export function connectorsOf(
  policy: Pick<LifecyclePolicy, 'connector_time_zones' | 'connector_employments'>,
): string[] {
  return [...policy.connector_time_zones, ...policy.connector_employments].map(({ connector_id }) => connector_id);
}

/** Throws a 400 if a connector does not exist. */
export async function requireConnectors(tx: Transaction, ids: readonly string[]): Promise<void> {
  for (const id of new Set(ids)) {
    if (!(await findConnector(tx, id))) throw badRequest(`there is no connector ${encodeId('connector', id)}`);
  }
}

/** Shows the connectors of stored settings for findings by their public ids. */
export function presentFindingPolicy(policy: FindingPolicy): FindingPolicy {
  return { ...policy, connector_stale_hours: converted(policy.connector_stale_hours, toPublic) };
}

export function storedFindingPolicy(policy: FindingPolicy): FindingPolicy {
  return { ...policy, connector_stale_hours: converted(policy.connector_stale_hours, toStored) };
}

const toPublic = (id: string) => encodeId('connector', id);
const toStored = (id: string) => bodyId(['connector'], id);

function converted<Item extends { connector_id: string }>(
  list: readonly Item[],
  convert: (id: string) => string,
): Item[] {
  return list.map((each) => ({ ...each, connector_id: convert(each.connector_id) }));
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
  return converted(priorities, toStored);
}
