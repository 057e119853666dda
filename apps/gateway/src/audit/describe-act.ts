import type { AuditActor, AuditInput } from '@idsync/database/gateway';
import type { FastifyRequest } from 'fastify';
import { publicIdOf } from '../access/caller.js';
import { routeDefinitionOf } from '../access/route-definition.js';
import { bounded, masked } from './mask-secrets.js';

/** Details that a handler adds to the entry of its act. */
export interface ActDetails {
  /** Public id of the resource; by default the last one of the path. */
  resource?: string;
  before?: unknown;
  /** By default the body of the request. */
  after?: unknown;
  /** Ids of what the act created beside its resource. */
  created?: Record<string, string>;
}

const maxText = 1_000;
/** Path parameters that are no ids of idsync: they may be data of a person. */
const notIds = new Set(['externalId']);

/** Describes who sent a request, from where, and which operation it is. */
function describeRequest(request: FastifyRequest): Omit<AuditInput, 'outcome'> {
  const route = routeDefinitionOf(request);
  const resource = Object.entries((request.params ?? {}) as Record<string, string>)
    .filter(([name]) => !notIds.has(name))
    .at(-1)?.[1]
    .slice(0, 100);
  return {
    actor: actorOf(request),
    address: request.ip,
    request_id: request.id,
    action: route?.action ?? 'unknown',
    ...(resource !== undefined && { resource }),
  };
}

/** Describes an act, whose body is valid. */
export function describeAct(request: FastifyRequest, { created, ...given }: ActDetails): AuditInput {
  const { reason, ...body } = (request.body ?? {}) as Record<string, unknown>;
  const after = 'after' in given ? given.after : body;
  const all = created ? { ...(after as object), ...created } : after;
  return {
    ...describeRequest(request),
    outcome: 'accepted',
    ...(given.resource !== undefined && { resource: given.resource }),
    ...(given.before !== undefined && { before: bounded(masked(given.before)) }),
    ...(isPresent(all) && { after: bounded(masked(all)) }),
    ...(typeof reason === 'string' && { reason: reason.slice(0, maxText) }),
  };
}

/** Describes a refusal. Its body may be anything, so only the reason is kept. */
export function describeRefusal(request: FastifyRequest, status: number, error: string): AuditInput {
  const { reason } = (request.body ?? {}) as { reason?: unknown };
  return {
    ...describeRequest(request),
    outcome: 'refused',
    status,
    error: error.slice(0, maxText),
    ...(typeof reason === 'string' && { reason: reason.slice(0, maxText) }),
  };
}

/** Describes a read of data of people: the names of its filters, because their values may be data of a person. */
export function describeRead(request: FastifyRequest): AuditInput {
  const filters = Object.keys((request.query ?? {}) as object).slice(0, 50);
  return {
    ...describeRequest(request),
    outcome: 'accepted',
    ...(filters.length > 0 && { after: { filters } }),
  };
}

function actorOf({ caller }: FastifyRequest): AuditActor {
  if (caller?.access === 'operator') return caller.actor;
  if (caller?.access !== 'key' && caller?.access !== 'portal-link') return { kind: 'anonymous', name: 'anonymous' };
  const id = publicIdOf(caller);
  return { kind: caller.access === 'key' ? 'api_key' : 'portal_link', id, name: id };
}

function isPresent(value: unknown): boolean {
  return value !== undefined && !(typeof value === 'object' && value !== null && Object.keys(value).length === 0);
}
