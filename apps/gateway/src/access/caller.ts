import type { RouteDefinition } from '@idsync/contracts';

/** Access to a route: open, clients with an API key, operators, or identity providers with the token of a connector. */
export type AccessKind = RouteDefinition['auth'] | 'scim-token';

export interface KeyCaller {
  access: 'key';
  keyId: string;
  tenantId: string;
  scopes: ReadonlySet<string>;
}

/** An identity provider, which may only push to its connector. */
export interface ScimCaller {
  access: 'scim-token';
  keyId: string;
  tenantId: string;
  connectorId: string;
}

export interface OperatorCaller {
  access: 'operator';
}

export type Caller = KeyCaller | ScimCaller | OperatorCaller;

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
