import type { OperatorRole } from '@idsync/contracts';
import type { OperatorCaller } from './caller.js';

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
