import { randomBytes } from 'node:crypto';
import { adminRoutes, errorTexts, installationId, type responses } from '@idsync/contracts';
import { decrypt, encrypt } from '@idsync/database';
import type { ProviderLogout } from '@idsync/database/gateway';
import { Logger } from '@idsync/runtime';
import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OidcSettings } from '../access/oidc-settings.service.js';
import { presentSession } from '../access/present-session.js';
import { SessionCookie } from '../access/session-cookie.service.js';
import { Sessions } from '../access/sessions.service.js';
import { FailedSignIns } from '../audit/failed-sign-ins.service.js';
import { ApiError, badRequest, orNotFound } from '../http/api-error.js';
import { Handles, type Input } from '../http/handles.decorator.js';
import { GatewaySettings } from '../shared/gateway-settings.service.js';
import { decodeHint, encodeHint } from './logout-hint.js';
import { OidcClient } from './oidc-client.service.js';
import { OidcSignIn } from './oidc-sign-in.service.js';
import { decodePending, encodePending, returnPath } from './pending-sign-in.js';
import { ProviderLimits } from './provider-limits.js';
import { asSignInError, SignInError, type SignInErrorCode } from './sign-in-error.js';

/** Time for the person at the identity provider. */
const pendingMs = 10 * 60_000;
const signInPage = '/console/sign-in';
const deviceContext = `device ${installationId}`;
const statuses: Record<SignInErrorCode, number> = {
  denied: 403,
  no_role: 403,
  expired: 400,
  invalid_response: 400,
  provider_unavailable: 503,
};

/**
 * The sign-in with the identity provider. A browser gets redirects, because a person sees them; for a program whose person
 * has a browser elsewhere (RFC 8628), the gateway asks the identity provider.
 */
@Controller()
export class OidcController {
  constructor(
    private readonly settings: OidcSettings,
    private readonly client: OidcClient,
    private readonly signIn: OidcSignIn,
    private readonly sessions: Sessions,
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

  @Handles(adminRoutes.startDeviceSignIn)
  async startDevice(
    _input: Input<typeof adminRoutes.startDeviceSignIn>,
    @Req() request: FastifyRequest,
  ): Promise<responses.DeviceSignIn> {
    orNotFound(this.settings.config);
    let started: responses.DeviceSignIn | undefined;
    // Counted as a failure: a start proves nothing about its caller.
    await this.limits.lookUp(request.ip, async () => {
      started = await this.beginDevice().catch(refuse);
      return undefined;
    });
    return orNotFound(started);
  }

  @Handles(adminRoutes.completeDeviceSignIn)
  async completeDevice(
    { body: { handle } }: Input<typeof adminRoutes.completeDeviceSignIn>,
    @Req() request: FastifyRequest,
  ): Promise<responses.DeviceSession> {
    orNotFound(this.settings.config);
    const deviceCode = this.deviceCodeIn(handle);
    const person = await this.limits
      .ask(request.ip, () => this.client.pollDevice(deviceCode))
      .catch((error: unknown) => this.fail(request, error));
    if (!person) return { status: 'pending' };
    const { caller, cookie } = await this.signIn.start(person, request).catch(refuse);
    const { csrf_token: _, ...session } = presentSession(caller);
    return { status: 'complete', token: cookie, session };
  }

  /** The identity provider reports that a person signed out there (OpenID Connect Back-Channel Logout 1.0). */
  @Handles(adminRoutes.reportOidcLogout)
  async logout(
    { body: { logout_token: token } }: Input<typeof adminRoutes.reportOidcLogout>,
    @Req() request: FastifyRequest,
  ): Promise<void> {
    orNotFound(this.settings.config);
    // A token that is not valid costs a signature check and perhaps a request for keys.
    const logout = await this.limits.lookUp(request.ip, () => this.verified(token));
    if (!logout) throw badRequest('the logout token is not valid');
    if (!(await this.sessions.endByProvider(logout, request))) throw badRequest('the logout token was used before');
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

  private async beginDevice(): Promise<responses.DeviceSignIn> {
    const answer = await this.client.startDevice();
    const [key] = this.gateway.encryptionKeys;
    return {
      handle: encrypt(answer.device_code, key, deviceContext).toString('base64url'),
      user_code: answer.user_code,
      verification_uri: answer.verification_uri,
      ...(answer.verification_uri_complete && { verification_uri_complete: answer.verification_uri_complete }),
      expires_in: answer.expires_in,
      interval: answer.interval ?? 5,
    };
  }

  /** The handle hides the code of the identity provider, so that it can be used through this gateway only. */
  private deviceCodeIn(handle: string): string {
    try {
      return decrypt(Buffer.from(handle, 'base64url'), this.gateway.encryptionKeys, deviceContext);
    } catch {
      throw badRequest('handle is not valid');
    }
  }

  private fail({ ip }: FastifyRequest, error: unknown): never {
    this.failures.count(ip);
    return refuse(error);
  }

  /** Undefined for a token that is not valid. */
  private async verified(token: string): Promise<ProviderLogout | undefined> {
    try {
      return await this.client.verifyLogout(token);
    } catch (error) {
      if (asSignInError(error).code === 'provider_unavailable')
        throw new ApiError(503, errorTexts.providerUnavailable, 5);
      return undefined;
    }
  }
}

function refuse(error: unknown): never {
  if (error instanceof ApiError) throw error;
  const { code, message } = asSignInError(error);
  throw new ApiError(statuses[code], message, code === 'provider_unavailable' ? 5 : undefined);
}
