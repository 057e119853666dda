import { randomBytes } from 'node:crypto';
import { adminRoutes } from '@idsync/contracts';
import { Logger } from '@idsync/runtime';
import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OidcSettings } from '../access/oidc-settings.service.js';
import { SessionCookie } from '../access/session-cookie.service.js';
import { FailedSignIns } from '../audit/failed-sign-ins.service.js';
import { orNotFound } from '../http/api-error.js';
import { Handles, type Input } from '../http/handles.decorator.js';
import { GatewaySettings } from '../shared/gateway-settings.service.js';
import { decodeHint, encodeHint } from './logout-hint.js';
import { OidcClient } from './oidc-client.service.js';
import { OidcSignIn } from './oidc-sign-in.service.js';
import { decodePending, encodePending, returnPath } from './pending-sign-in.js';
import { ProviderLimits } from './provider-limits.js';
import { asSignInError, SignInError } from './sign-in-error.js';

/** Time for the person at the identity provider. */
const pendingMs = 10 * 60_000;
const signInPage = '/console/sign-in';

/** The sign-in of a browser with the identity provider. Answers with redirects, because a person sees them. */
@Controller()
export class OidcController {
  constructor(
    private readonly settings: OidcSettings,
    private readonly client: OidcClient,
    private readonly signIn: OidcSignIn,
    private readonly limits: ProviderLimits,
    private readonly cookie: SessionCookie,
    private readonly failures: FailedSignIns,
    private readonly gateway: GatewaySettings,
    private readonly logger: Logger,
  ) {}

  @Handles(adminRoutes.startOidcSignIn)
  async start(
    _input: Input<typeof adminRoutes.startOidcSignIn>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    orNotFound(this.settings.config);
    const { return_to } = request.query as { return_to?: unknown };
    const random = () => randomBytes(32).toString('base64url');
    const pending = {
      state: random(),
      nonce: random(),
      verifier: random(),
      returnTo: returnPath(return_to),
      expiresAt: Date.now() + pendingMs,
    };
    await this.redirecting(request, reply, async () => {
      const url = await this.client.authorizationUrl(pending);
      const value = encodePending(pending, this.gateway.encryptionKeys);
      this.cookie.set(request, reply, 'pending', value, new Date(pending.expiresAt));
      return url.href;
    });
  }

  @Handles(adminRoutes.completeOidcSignIn)
  async callback(
    _input: Input<typeof adminRoutes.completeOidcSignIn>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    orNotFound(this.settings.config);
    await this.redirecting(request, reply, async () => {
      const pending = decodePending(this.cookie.read(request, 'pending') ?? '', this.gateway.encryptionKeys);
      // The browser cannot use this sign-in again, also if it fails.
      this.cookie.clear(request, reply, 'pending');
      if (!pending) throw new SignInError('expired', 'the sign-in was not begun in this browser, or too long ago');
      const [, search = ''] = request.url.split(/\?(.*)/s);
      const person = await this.limits.ask(request.ip, () => this.client.exchange(search, pending));
      const started = await this.signIn.start(person, request);
      this.cookie.set(request, reply, 'session', started.cookie, started.session.expiresAt);
      const hint = encodeHint(person.idToken, this.gateway.encryptionKeys);
      if (hint === undefined) this.cookie.clear(request, reply, 'hint');
      else this.cookie.set(request, reply, 'hint', hint, started.session.expiresAt);
      return pending.returnTo;
    });
  }

  @Handles(adminRoutes.endOidcSession)
  async end(
    _input: Input<typeof adminRoutes.endOidcSession>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    orNotFound(this.settings.config);
    await this.redirecting(request, reply, async () => {
      const hint = decodeHint(this.cookie.read(request, 'hint'), this.gateway.encryptionKeys);
      // A page of another site can open this address, and the browser sends no cookie then.
      if (hint !== undefined) this.cookie.clear(request, reply, 'hint');
      return (await this.client.endSessionUrl(signInPage, hint))?.href ?? signInPage;
    });
  }

  /** Sends the browser to the address that `work` returns, or to the sign-in page with the code of the error. */
  private async redirecting(request: FastifyRequest, reply: FastifyReply, work: () => Promise<string>): Promise<void> {
    let address: string;
    try {
      address = await work();
    } catch (error) {
      const { code, message } = asSignInError(error);
      // The role was refused to a person who is known, which is recorded with the name.
      if (code !== 'no_role') this.failures.count(request.ip);
      this.logger.warn({ code, reason: message }, 'signing in with the identity provider failed');
      address = `${signInPage}?error=${code}`;
    }
    await reply.header('location', address).status(302).send();
  }
}
