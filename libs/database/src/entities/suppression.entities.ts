import { bytea, entity, ofTenant, type RowOf, timestamptz, uuid } from './entity.js';

/** The tenant's key of its hashes, encrypted. */
export const SuppressionKeyEntity = entity('suppression_keys', {
  tenantId: uuid({ primary: true }),
  ciphertext: bytea(),
});
export type SuppressionKeyEntity = RowOf<typeof SuppressionKeyEntity>;

/** An erased person whose records are left out when a source lists them again. */
export const SuppressionEntity = entity('suppressions', {
  ...ofTenant,
  id: uuid({ primary: true }),
  /** The erased identity. */
  identityId: uuid(),
  operationId: uuid(),
  createdAt: timestamptz({ createDate: true }),
});
export type SuppressionEntity = RowOf<typeof SuppressionEntity>;

export const SuppressionHashEntity = entity('suppression_hashes', {
  tenantId: uuid({ primary: true }),
  hash: bytea({ primary: true }),
  suppressionId: uuid({ primary: true }),
});
export type SuppressionHashEntity = RowOf<typeof SuppressionHashEntity>;
