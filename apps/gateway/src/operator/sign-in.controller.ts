import { decodeId, errorTexts, requests, type responses } from '@idsync/contracts';
import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { Access } from '../access/access.decorator.js';
import type { OperatorCaller } from '../access/caller.js';
import { OidcSettings } from '../access/oidc-settings.service.js';
import { OperatorTokens } from '../access/operator-tokens.service.js';
import { presentSession } from '../access/present-session.js';
import { isSameOrigin } from '../access/same-origin.js';
import { SessionCookie } from '../access/session-cookie.service.js';
import { type Grant, Sessions } from '../access/sessions.service.js';
import { FailedSignIns } from '../audit/failed-sign-ins.service.js';
import { ApiError } from '../http/api-error.js';
import { ZodBody } from '../http/zod.pipe.js';

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
