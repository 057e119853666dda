import { adminRoutes, type responses } from '@idsync/contracts';
import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { currentOperator } from '../audit/request-context.js';
import { badRequest } from '../http/api-error.js';
import { Handles, type Input } from '../http/handles.decorator.js';
import { presentSession } from './present-session.js';
import { SessionCookie } from './session-cookie.service.js';
import { Sessions } from './sessions.service.js';

@Controller()
export class SessionController {
  constructor(
    private readonly sessions: Sessions,
    private readonly cookie: SessionCookie,
  ) {}

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
    this.cookie.clear(request, reply);
  }
}
