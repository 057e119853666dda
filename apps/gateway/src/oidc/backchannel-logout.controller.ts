import { adminRoutes, errorTexts } from '@idsync/contracts';
import type { ProviderLogout } from '@idsync/database/gateway';
import { Controller, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { OidcSettings } from '../access/oidc-settings.service.js';
import { Sessions } from '../access/sessions.service.js';
import { ApiError, badRequest, orNotFound } from '../http/api-error.js';
import { Handles, type Input } from '../http/handles.decorator.js';
import { OidcClient } from './oidc-client.service.js';
import { ProviderLimits } from './provider-limits.js';
import { asSignInError } from './sign-in-error.js';

/** The identity provider reports that a person signed out there (OpenID Connect Back-Channel Logout 1.0). */
@Controller()
export class BackchannelLogoutController {
  constructor(
    private readonly settings: OidcSettings,
    private readonly client: OidcClient,
    private readonly sessions: Sessions,
    private readonly limits: ProviderLimits,
  ) {}

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
