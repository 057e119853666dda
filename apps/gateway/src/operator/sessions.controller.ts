import { decodeId, errorTexts, installationId, requests, type responses } from '@idsync/contracts';
import { Database } from '@idsync/database';
import {
  deleteSession,
  findListedSession,
  type ListedSessionRow,
  listSessions,
  type Page,
} from '@idsync/database/gateway';
import { Controller, Delete, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { Access } from '../access/access.decorator.js';
import type { OperatorCaller } from '../access/caller.js';
import { OidcSettings } from '../access/oidc-settings.service.js';
import { OperatorTokens } from '../access/operator-tokens.service.js';
import { presentListedSession, presentSession } from '../access/present-session.js';
import { isSameOrigin } from '../access/same-origin.js';
import { SessionCookie } from '../access/session-cookie.service.js';
import { type Grant, Sessions } from '../access/sessions.service.js';
import { FailedSignIns } from '../audit/failed-sign-ins.service.js';
import { OperatorAccess } from '../audit/operator-access.decorator.js';
import { currentOperator } from '../audit/request-context.js';
import { ApiError, badRequest, orNotFound } from '../http/api-error.js';
import { PublicId } from '../http/public-id.pipe.js';
import { PageQuery, ZodBody } from '../http/zod.pipe.js';
import { TenantTransactions } from './tenant-transactions.service.js';

/** Sessions of all operators, in browsers and of programs that signed in for a person. */
@Controller('admin/v1/sessions')
@OperatorAccess()
export class SessionsController {
  constructor(
    private readonly database: Database,
    private readonly tenants: TenantTransactions,
    private readonly sessions: Sessions,
  ) {}

  @Get()
  async list(@PageQuery() page: Page): Promise<object> {
    const { idleSeconds, enabledKinds: kinds } = this.sessions;
    const { rows, total } = await this.database.readTransaction(installationId, (tx) =>
      listSessions(tx, page, { kinds, idleSeconds }),
    );
    return { data: rows.map((row) => this.present(row)), total, ...page };
  }

  /** Each request reads its session, so the end needs no message to other gateways. */
  @Delete(':sessionId')
  @HttpCode(204)
  async end(@PublicId('session', 'sessionId') id: string): Promise<void> {
    await this.tenants.actIn(installationId, async (tx, describe) => {
      describe({ before: this.present(orNotFound(await findListedSession(tx, id))) });
      await deleteSession(tx, id);
    });
  }

  private present(row: ListedSessionRow): responses.ListedSession {
    return presentListedSession(row, this.sessions.idleSeconds, currentOperator().session?.id);
  }
}

@Controller('admin/v1/session')
@OperatorAccess()
export class SessionController {
  constructor(
    private readonly sessions: Sessions,
    private readonly cookie: SessionCookie,
  ) {}

  @Get()
  get(): responses.Session {
    return presentSession(currentOperator());
  }

  @Delete()
  @HttpCode(204)
  async signOut(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<void> {
    const caller = currentOperator();
    if (!caller.session) throw badRequest('a bearer token has no session');
    await this.sessions.end(request, caller, caller.session);
    this.cookie.clear(request, reply);
  }
}

/** The routes of a session that need no sign-in. */
@Controller('admin/v1/session')
@Access('none')
export class SignInController {
  constructor(
    private readonly tokens: OperatorTokens,
    private readonly sessions: Sessions,
    private readonly cookie: SessionCookie,
    private readonly failures: FailedSignIns,
    private readonly oidc: OidcSettings,
  ) {}

  @Get('methods')
  methods(): responses.SessionMethods {
    const { config } = this.oidc;
    return { token: true, ...(config && { oidc: { name: config.name } }) };
  }

  @Post()
  async signIn(
    @ZodBody(requests.signInBody) { token }: z.infer<typeof requests.signInBody>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<responses.Session> {
    // A page of another origin must not sign a browser in with its own token.
    if (!isSameOrigin(request, this.cookie.publicUrl)) throw new ApiError(403, errorTexts.otherOrigin);
    const caller = await this.tokens.identify(token, request.ip);
    if (!caller) {
      this.failures.count(request.ip);
      throw new ApiError(401, errorTexts.operatorUnauthorized);
    }
    const { cookie, caller: signedIn, session } = await this.sessions.start(caller, grantOf(caller), request);
    this.cookie.set(request, reply, cookie, session.expiresAt);
    return presentSession(signedIn);
  }
}

function grantOf({ actor: { kind, id = '' } }: OperatorCaller): Grant {
  return kind === 'service_token'
    ? { kind: 'service_token', serviceTokenId: decodeId('serviceToken', id) }
    : { kind: 'admin_token' };
}
