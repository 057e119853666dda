import type { OperatorPolicy, OperatorRole } from '@idsync/contracts';
import { bytea, entity, jsonb, ofTenant, type RowOf, text, timestamptz, uuid } from './entity.js';

export const OperatorPolicyEntity = entity('operator_policies', {
  tenantId: uuid({ primary: true }),
  policy: jsonb<OperatorPolicy>(),
  updatedAt: timestamptz(),
});
export type OperatorPolicyEntity = RowOf<typeof OperatorPolicyEntity>;

/** A token of an operator or a program. Its tenant is the installation. */
export const ServiceTokenEntity = entity('service_tokens', {
  ...ofTenant,
  id: uuid({ primary: true }),
  name: text(),
  role: text<OperatorRole>(),
  /** Null: all tenants. */
  tenantIds: uuid<string[]>({ array: true, nullable: true }),
  secretHash: bytea({ select: false }),
  createdAt: timestamptz({ createDate: true }),
  createdBy: text(),
  expiresAt: timestamptz({ nullable: true }),
  lastUsedAt: timestamptz({ nullable: true }),
  revokedAt: timestamptz({ nullable: true }),
});
export type ServiceTokenEntity = RowOf<typeof ServiceTokenEntity>;
