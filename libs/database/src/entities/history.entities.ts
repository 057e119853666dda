import type { LifecyclePolicy } from '@idsync/contracts';
import { entity, integer, jsonb, type RowOf, text, timestamptz, uuid } from './entity.js';

export const LifecyclePolicyEntity = entity('lifecycle_policies', {
  tenantId: uuid({ primary: true }),
  /** Ids of connectors are bare uuids. */
  policy: jsonb<LifecyclePolicy>(),
  updatedAt: timestamptz(),
});
export type LifecyclePolicyEntity = RowOf<typeof LifecyclePolicyEntity>;

export const AttributePriorityEntity = entity('attribute_priorities', {
  tenantId: uuid({ primary: true }),
  /** A public attribute name, or `*` for all attributes that have no priority set. */
  field: text({ primary: true }),
  connectorId: uuid({ primary: true }),
  priority: integer(),
});
export type AttributePriorityEntity = RowOf<typeof AttributePriorityEntity>;
