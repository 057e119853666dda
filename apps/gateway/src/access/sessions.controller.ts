import { adminRoutes, decodeId, errorTexts, installationId, type responses } from '@idsync/contracts';
import { Database } from '@idsync/database';
import { deleteSession, findListedSession, type ListedSessionRow, listSessions } from '@idsync/database/gateway';
import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { FailedSignIns } from '../audit/failed-sign-ins.service.js';
import { currentOperator } from '../audit/request-context.js';
import { ApiError, badRequest, orNotFound } from '../http/api-error.js';
import { Handles, type Input } from '../http/handles.decorator.js';
import { TenantTransactions } from '../tenants/tenant-transactions.service.js';
import type { OperatorCaller } from './caller.js';
import { OidcSettings } from './oidc-settings.service.js';
import { OperatorTokens } from './operator-tokens.service.js';
import { presentListedSession, presentSession } from './present-session.js';
import { isSameOrigin } from './same-origin.js';
import { SessionCookie } from './session-cookie.service.js';
import { type Grant, Sessions } from './sessions.service.js';

/** The session of the caller, and those of all operators, in browsers and of programs that signed in for a person. */
@Controller()
export class SessionsController {
  constructor(
    private readonly database: Database,
    private readonly tenants: TenantTransactions,
    private readonly tokens: OperatorTokens,
    private readonly sessions: Sessions,
    private readonly cookie: SessionCookie,
    private readonly failures: FailedSignIns,
    private readonly oidc: OidcSettings,
  ) {}

  @Handles(adminRoutes.getSessionMethods)
  methods(): responses.SessionMethods {
    const { config } = this.oidc;
    return { token: true, ...(config && { oidc: { name: config.name } }) };
  }

  @Handles(adminRoutes.signIn)
  async signIn(
    { body: { token } }: Input<typeof adminRoutes.signIn>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<responses.CreatedSession> {
    // A page of another origin must not sign a browser in with its own token.
    if (!isSameOrigin(request, this.cookie.publicUrl)) throw new ApiError(403, errorTexts.otherOrigin);
    const caller = await this.tokens.identify(token, request.ip);
    if (!caller) {
      this.failures.count(request.ip);
      throw new ApiError(401, errorTexts.operatorUnauthorized);
    }
    const { cookie, caller: signedIn, session } = await this.sessions.start(caller, grantOf(caller), request);
    this.cookie.set(request, reply, 'session', cookie, session.expiresAt);
    return presentSession(signedIn);
  }

  @Handles(adminRoutes.getSession)
  get(): responses.Session {
    return presentSession(currentOperator());
  }

  @Handles(adminRoutes.signOut)
  async signOut(
    _input: Input<typeof adminRoutes.signOut>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const caller = currentOperator();
    if (!caller.session) throw badRequest('a bearer token has no session');
    await this.sessions.end(request, caller, caller.session);
    this.cookie.clear(request, reply, 'session');
  }

  @Handles(adminRoutes.listSessions)
  async list({ query: page }: Input<typeof adminRoutes.listSessions>) {
    const { idleSeconds, enabledKinds: kinds } = this.sessions;
    const { rows, total } = await this.database.readTransaction(installationId, (tx) =>
      listSessions(tx, page, { kinds, idleSeconds }),
    );
    return { data: rows.map((row) => this.present(row)), total, ...page };
  }

  /** Each request reads its session, so the end needs no message to other gateways. */
  @Handles(adminRoutes.endSession)
  async endOne({ sessionId: id }: Input<typeof adminRoutes.endSession>): Promise<void> {
    await this.tenants.actIn(installationId, async (tx, describe) => {
      describe({ before: this.present(orNotFound(await findListedSession(tx, id))) });
      await deleteSession(tx, id);
    });
  }

  private present(row: ListedSessionRow): responses.ListedSession {
    return presentListedSession(row, this.sessions.idleSeconds, currentOperator().session?.id);
  }
}

function grantOf({ actor: { kind, id = '' } }: OperatorCaller): Grant {
  return kind === 'service_token'
    ? { kind: 'service_token', serviceTokenId: decodeId('serviceToken', id) }
    : { kind: 'admin_token' };
}
