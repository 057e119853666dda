import { encodeId, type OperatorRole, type PortalAccess, type RouteDefinition } from '@idsync/contracts';
import type { AuditActor } from '@idsync/database/gateway';

/**
 * Access to a route: open, clients with an API key, operators, identity providers with the token of a connector, or SCIM
 * clients with an API key.
 */
export type AccessKind = RouteDefinition['auth'] | 'scim-token' | 'scim-key';

export interface KeyCaller {
  access: 'key';
  keyId: string;
  tenantId: string;
  scopes: ReadonlySet<string>;
  /** The tenant is suspended. */
  isSuspended?: boolean;
  /** Quota of the tenant, for all its keys together. */
  requestsPerMinute?: number;
}

/** The holder of a link to the subscriber portal, which may only reach some routes of its webhooks. */
export interface LinkCaller {
  access: 'portal-link';
  /** The id of the link. */
  keyId: string;
  tenantId: string;
  webhookIds: ReadonlySet<string>;
  portal: PortalAccess;
  scopes: ReadonlySet<string>;
  expiresAt: Date;
  /** The API key that issued the link; absent if an operator did. */
  issuedBy?: string;
  isSuspended?: boolean;
  requestsPerMinute?: number;
}

/** A client, or a subscriber with a portal link. */
export type Subscriber = KeyCaller | LinkCaller;

/** An identity provider, which may only push to its connector. */
export interface ScimCaller {
  access: 'scim-token';
  keyId: string;
  tenantId: string;
  connectorId: string;
  isSuspended?: boolean;
  requestsPerMinute?: number;
}

/** A session in a browser. */
export interface OperatorSession {
  id: string;
  csrfToken: string;
  expiresAt: Date;
  idleExpiresAt: Date;
}

export interface OperatorCaller {
  access: 'operator';
  actor: AuditActor;
  role: OperatorRole;
  /** Absent: all tenants. */
  tenantIds?: ReadonlySet<string>;
  /** Absent with ADMIN_TOKEN or a service token. */
  session?: OperatorSession;
  /** The session was sent as a cookie, as browsers do without being asked. */
  byCookie?: true;
}

/** An operator with a session. */
export type SignedIn = OperatorCaller & { session: OperatorSession };

export type Caller = KeyCaller | LinkCaller | ScimCaller | OperatorCaller;

declare module 'fastify' {
  interface FastifyRequest {
    /** Absent on open routes, and on unknown paths outside the API prefixes. */
    caller?: Caller;
  }
}

/** The tenant of a request's key or token; operators have none. */
export function tenantOf(caller: Caller | undefined): string | undefined {
  return caller && 'tenantId' in caller ? caller.tenantId : undefined;
}

/** The account whose limits a request counts against: a key, or all links of one issuer together. */
export function accountOf(caller: KeyCaller | LinkCaller | ScimCaller): string {
  return caller.access === 'portal-link' ? `links of ${caller.issuedBy ?? caller.tenantId}` : caller.keyId;
}

/** The public id of the API key or the portal link. */
export function publicIdOf({ access, keyId }: Subscriber): string {
  return encodeId(access === 'key' ? 'apiKey' : 'portalLink', keyId);
}

interface Person {
  issuer: string;
  subject: string;
  name: string;
  role: OperatorRole;
  tenantIds: string[] | null;
}

/** Identifies a person in the audit log. */
export const personId = (issuer: string, subject: string): string => `${issuer}#${subject}`;

/** Returns the caller of a person of the identity provider. Issuer and subject identify it, because a name can change. */
export function callerOfPerson({ issuer, subject, name, role, tenantIds }: Person): OperatorCaller {
  return {
    access: 'operator',
    actor: { kind: 'oidc', id: personId(issuer, subject), name, role },
    role,
    ...(tenantIds && { tenantIds: new Set(tenantIds) }),
  };
}
