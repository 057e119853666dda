import { bigint, entity, integer, jsonb, ofTenant, type RowOf, text, timestamptz, uuid } from './entity.js';

export type ScimKind = 'User' | 'Group';

/** A pushed resource as stored: without its id, its members and fields that idsync adds. */
export type ScimDocument = Record<string, unknown>;

/** A pushed user or group. A deleted one has a tombstone, whose document has at most hashes of the person. */
export const ScimResourceEntity = entity('scim_resources', {
  ...ofTenant,
  connectorId: uuid({ primary: true }),
  kind: text<ScimKind>({ primary: true }),
  id: uuid({ primary: true }),
  /** Connector, kind, and the userName of a user or displayName of a group in lower case. */
  nameKey: text(),
  /** Connector, kind, and the externalId of the identity provider. */
  externalKey: text({ nullable: true }),
  /** Hash of the external key of a deleted user, or of its name key if it had none. */
  formerKey: text({ nullable: true }),
  document: jsonb<ScimDocument>(),
  version: integer({ default: 1 }),
  /** Position of the push that changed the user last. Groups have none, since they are read with their members. */
  position: bigint({ nullable: true }),
  createdAt: timestamptz({ createDate: true }),
  changedAt: timestamptz({ default: () => 'now()' }),
  deletedAt: timestamptz({ nullable: true }),
});
export type ScimResourceEntity = RowOf<typeof ScimResourceEntity>;
