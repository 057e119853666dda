import { adminRoutes, installationId, type responses } from '@idsync/contracts';
import { decrypt, encrypt } from '@idsync/database';
import { Controller, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { OidcSettings } from '../access/oidc-settings.service.js';
import { presentSession } from '../access/present-session.js';
import { FailedSignIns } from '../audit/failed-sign-ins.service.js';
import { ApiError, badRequest, orNotFound } from '../http/api-error.js';
import { Handles, type Input } from '../http/handles.decorator.js';
import { GatewaySettings } from '../shared/gateway-settings.service.js';
import { OidcClient } from './oidc-client.service.js';
import { OidcSignIn } from './oidc-sign-in.service.js';
import { ProviderLimits } from './provider-limits.js';
import { asSignInError, type SignInErrorCode } from './sign-in-error.js';

const context = `device ${installationId}`;
const statuses: Record<SignInErrorCode, number> = {
  denied: 403,
  no_role: 403,
  expired: 400,
  invalid_response: 400,
  provider_unavailable: 503,
};

/** The sign-in of a program whose person has a browser elsewhere (RFC 8628). The gateway asks the identity provider. */
@Controller()
export class DeviceSignInController {
  constructor(
    private readonly settings: OidcSettings,
    private readonly client: OidcClient,
    private readonly signIn: OidcSignIn,
    private readonly limits: ProviderLimits,
    private readonly failures: FailedSignIns,
    private readonly gateway: GatewaySettings,
  ) {}

  @Handles(adminRoutes.startDeviceSignIn)
  async start(
    _input: Input<typeof adminRoutes.startDeviceSignIn>,
    @Req() request: FastifyRequest,
  ): Promise<responses.DeviceSignIn> {
    orNotFound(this.settings.config);
    let started: responses.DeviceSignIn | undefined;
    // Counted as a failure: a start proves nothing about its caller.
    await this.limits.lookUp(request.ip, async () => {
      started = await this.begin().catch(refuse);
      return undefined;
    });
    return orNotFound(started);
  }

  @Handles(adminRoutes.completeDeviceSignIn)
  async complete(
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

  private async begin(): Promise<responses.DeviceSignIn> {
    const answer = await this.client.startDevice();
    const [key] = this.gateway.encryptionKeys;
    return {
      handle: encrypt(answer.device_code, key, context).toString('base64url'),
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
      return decrypt(Buffer.from(handle, 'base64url'), this.gateway.encryptionKeys, context);
    } catch {
      throw badRequest('handle is not valid');
    }
  }

  private fail({ ip }: FastifyRequest, error: unknown): never {
    this.failures.count(ip);
    return refuse(error);
  }
}

function refuse(error: unknown): never {
  if (error instanceof ApiError) throw error;
  const { code, message } = asSignInError(error);
  throw new ApiError(statuses[code], message, code === 'provider_unavailable' ? 5 : undefined);
}
