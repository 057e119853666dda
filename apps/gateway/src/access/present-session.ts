import { encodeId, type responses } from '@idsync/contracts';
import type { ListedSessionRow } from '@idsync/database/gateway';
import { callerOfPerson, type OperatorCaller, type SignedIn } from './caller.js';
import { adminTokenCaller } from './operator-tokens.service.js';
import { callerOfServiceToken } from './service-tokens.service.js';

export function presentSession(caller: SignedIn): responses.CreatedSession;
export function presentSession(caller: OperatorCaller): responses.Session;
export function presentSession(caller: OperatorCaller): responses.Session {
  const { actor, session } = caller;
  return {
    actor: presentActor(caller),
    ...(session && {
      csrf_token: session.csrfToken,
      expires_at: session.expiresAt.toISOString(),
      idle_expires_at: session.idleExpiresAt.toISOString(),
      ...(actor.kind === 'oidc' && { end_session_url: '/admin/v1/session/oidc/end' }),
    }),
  };
}

export function presentListedSession(
  row: ListedSessionRow,
  idleSeconds: number,
  currentId: string | undefined,
): responses.ListedSession {
  return {
    id: encodeId('session', row.id),
    actor: presentActor(callerOf(row)),
    created_at: row.createdAt.toISOString(),
    last_used_at: row.lastUsedAt.toISOString(),
    expires_at: row.expiresAt.toISOString(),
    idle_expires_at: idleEndOf(row, idleSeconds).toISOString(),
    current: row.id === currentId,
  };
}

/** Returns when a session ends if it is not used before. */
export function idleEndOf(
  { lastUsedAt, expiresAt }: Pick<ListedSessionRow, 'lastUsedAt' | 'expiresAt'>,
  idleSeconds: number,
): Date {
  return new Date(Math.min(lastUsedAt.getTime() + idleSeconds * 1_000, expiresAt.getTime()));
}

function callerOf({ kind, serviceTokenId, issuer, subject, name, role, tenantIds }: ListedSessionRow): OperatorCaller {
  if (kind === 'admin_token') return adminTokenCaller;
  const granted = { name: name ?? '', role: role ?? 'viewer', tenantIds };
  return kind === 'service_token'
    ? callerOfServiceToken({ id: serviceTokenId ?? '', ...granted })
    : callerOfPerson({ issuer: issuer ?? '', subject: subject ?? '', ...granted });
}

function presentActor({ actor, role, tenantIds }: OperatorCaller): responses.Session['actor'] {
  return {
    id: actor.id ?? actor.kind,
    name: actor.name,
    kind: actor.kind,
    role,
    ...(tenantIds && { tenants: [...tenantIds].map((id) => encodeId('tenant', id)) }),
  };
}
