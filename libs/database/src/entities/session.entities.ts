import type { OperatorRole } from '@idsync/contracts';
import { bytea, entity, ofTenant, type RowOf, text, timestamptz, uuid } from './entity.js';

/** How an operator signed in. */
export type SessionKind = 'admin_token' | 'service_token' | 'oidc';

/** A session of an operator in a browser. Its tenant is the installation. */
export const OperatorSessionEntity = entity('operator_sessions', {
  ...ofTenant,
  id: uuid({ primary: true }),
  kind: text<SessionKind>(),
  /** The token that the session began with. Its name, role and tenants are those of the session. */
  serviceTokenId: uuid({ nullable: true }),
  /** Issuer, subject and session (`sid`) of the identity provider. */
  issuer: text({ nullable: true }),
  subject: text({ nullable: true }),
  providerSession: text({ nullable: true }),
  /** Name, role and tenants are set for OIDC only. */
  name: text({ nullable: true }),
  role: text<OperatorRole>({ nullable: true }),
  /** Null: all tenants. */
  tenantIds: uuid<string[]>({ array: true, nullable: true }),
  /** Keyed hash of the settings that allowed the session, by the secret in the cookie. */
  secretHash: bytea(),
  createdAt: timestamptz({ createDate: true }),
  lastUsedAt: timestamptz({ default: () => 'now()' }),
  expiresAt: timestamptz(),
});
export type OperatorSessionEntity = RowOf<typeof OperatorSessionEntity>;
