import { encodeId, type responses } from '@idsync/contracts';
import type { OperatorCaller } from './caller.js';

export function presentSession({ actor, role, tenantIds, session }: OperatorCaller): responses.Session {
  return {
    actor: {
      id: actor.id ?? actor.kind,
      name: actor.name,
      kind: actor.kind,
      role,
      ...(tenantIds && { tenants: [...tenantIds].map((id) => encodeId('tenant', id)) }),
    },
    ...(session && {
      csrf_token: session.csrfToken,
      expires_at: session.expiresAt.toISOString(),
      idle_expires_at: session.idleExpiresAt.toISOString(),
      ...(actor.kind === 'oidc' && { end_session_url: '/admin/v1/session/oidc/end' }),
    }),
  };
}
