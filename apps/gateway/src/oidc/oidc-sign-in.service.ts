import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { callerOfPerson, personId } from '../access/caller.js';
import { OidcSettings } from '../access/oidc-settings.service.js';
import { Sessions, type StartedSession } from '../access/sessions.service.js';
import { AuditLog } from '../audit/audit-log.service.js';
import type { Authenticated } from './oidc-client.service.js';
import { mappedRole, nameIn } from './role-mapping.js';
import { SignInError } from './sign-in-error.js';

/** Starts sessions of people that the identity provider has authenticated. */
@Injectable()
export class OidcSignIn {
  constructor(
    private readonly settings: OidcSettings,
    private readonly sessions: Sessions,
    private readonly audit: AuditLog,
  ) {}

  /** Throws `no_role` for a person in no mapped group, and records it. */
  async start(
    { issuer, subject, providerSession, claims }: Authenticated,
    request: FastifyRequest,
  ): Promise<StartedSession> {
    const { groupsClaim = '', mapping = [] } = this.settings.config ?? {};
    const name = nameIn(claims);
    const mapped = mappedRole(claims, groupsClaim, mapping);
    if (!mapped) {
      const error = `no entry of OIDC_ROLE_MAPPING has a group of ${name}`;
      await this.audit.recordRefusedSignIn(request, { kind: 'oidc', id: personId(issuer, subject), name }, error);
      throw new SignInError('no_role', error);
    }
    const grant = { kind: 'oidc' as const, issuer, subject, providerSession, name, ...mapped };
    return this.sessions.start(callerOfPerson(grant), grant, request);
  }
}
