import type { ProviderLogout } from '@idsync/database/gateway';
import { Injectable } from '@nestjs/common';
import { createRemoteJWKSet, type JWTPayload, customFetch as jwksFetch, jwtVerify } from 'jose';
import * as oidc from 'openid-client';
import { type OidcConfig, OidcSettings } from '../access/oidc-settings.service.js';
import { boundedFetch } from './bounded-fetch.js';
import type { PendingSignIn } from './pending-sign-in.js';
import type { Claims } from './role-mapping.js';
import { asSignInError, SignInError } from './sign-in-error.js';

/** Time limit of each request to the identity provider. */
const timeoutMs = 5_000;
/** Difference between the clocks of gateway and identity provider that is accepted. */
const clockToleranceSeconds = 60;
/** Metadata and keys of the identity provider are read again after this time. */
const freshMs = 10 * 60_000;
/** No symmetric algorithm, whose key would be the client's secret, and not "none". */
const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout';
/** Age of a logout token that is accepted. */
const maxLogoutAgeSeconds = 300;
const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

interface Connected {
  client: oidc.Configuration;
  keys: ReturnType<typeof createRemoteJWKSet>;
  at: number;
}

/** The person that the identity provider has authenticated. */
export interface Authenticated {
  issuer: string;
  subject: string;
  /** Session at the identity provider (`sid`). */
  providerSession: string | null;
  idToken: string;
  claims: Claims;
}

/** Requests to the identity provider, and the checks of what it answers. */
@Injectable()
export class OidcClient {
  private connected: Promise<Connected> | undefined;
  private readonly fetch: ReturnType<typeof boundedFetch>;

  constructor(private readonly settings: OidcSettings) {
    this.fetch = boundedFetch(timeoutMs, settings.config?.issuer);
  }

  /** Returns the address to send the browser to. */
  async authorizationUrl({ state, nonce, verifier }: PendingSignIn): Promise<URL> {
    const { config, client } = await this.connect();
    return oidc.buildAuthorizationUrl(client, {
      redirect_uri: config.redirectUri,
      response_type: 'code',
      scope: config.scopes,
      state,
      nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
  }

  /** Exchanges the code of a redirect, whose query is `search`, and checks the ID token. */
  async exchange(search: string, { state, nonce, verifier }: PendingSignIn): Promise<Authenticated> {
    const { config, ...connected } = await this.connect();
    const url = new URL(config.redirectUri);
    url.search = search;
    const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true };
    return this.checked(config, connected, () => oidc.authorizationCodeGrant(connected.client, url, checks));
  }

  /** Begins a sign-in on another device (RFC 8628). */
  async startDevice(): Promise<oidc.DeviceAuthorizationResponse> {
    const { config, client } = await this.connect();
    try {
      return await oidc.initiateDeviceAuthorization(client, { scope: config.scopes });
    } catch (error) {
      throw asSignInError(error);
    }
  }

  /** Asks once whether a sign-in on another device is complete; undefined if it is not. */
  async pollDevice(deviceCode: string): Promise<Authenticated | undefined> {
    const { config, ...connected } = await this.connect();
    try {
      return await this.checked(config, connected, () =>
        oidc.genericGrantRequest(connected.client, deviceGrant, { device_code: deviceCode }),
      );
    } catch (error) {
      const { cause } = error as { cause?: { error?: unknown } };
      if (cause?.error === 'authorization_pending' || cause?.error === 'slow_down') return undefined;
      throw error;
    }
  }

  /**
   * Returns the address that ends the session at the identity provider, if it has one. Some providers need the ID token
   * as a hint, and some the client's id, which `openid-client` adds.
   */
  async endSessionUrl(returnTo: string, idToken: string | undefined): Promise<URL | undefined> {
    const { config, client } = await this.connect();
    if (!client.serverMetadata().end_session_endpoint) return undefined;
    return oidc.buildEndSessionUrl(client, {
      post_logout_redirect_uri: new URL(returnTo, config.publicUrl).href,
      ...(idToken !== undefined && { id_token_hint: idToken }),
    });
  }

  /** Checks a token of OpenID Connect Back-Channel Logout 1.0. */
  async verifyLogout(token: string): Promise<ProviderLogout> {
    const { config, keys } = await this.connect();
    const payload = await this.verify(config, keys, token, ['iat', 'jti', 'events']);
    const { events, jti, iat = 0, sub, sid, nonce } = payload as JWTPayload & { events?: Record<string, unknown> };
    const isLogout = typeof events === 'object' && events !== null && typeof events[logoutEvent] === 'object';
    if (!isLogout || nonce !== undefined) throw invalid('the token is no logout token');
    if (Math.abs(Date.now() / 1_000 - iat) > maxLogoutAgeSeconds) throw invalid('the logout token is too old');
    const ended = {
      ...(typeof sub === 'string' && { subject: sub }),
      ...(typeof sid === 'string' && { providerSession: sid }),
    };
    if (Object.keys(ended).length === 0) throw invalid('the logout token has neither sub nor sid');
    const expiresAt = new Date((iat + 2 * maxLogoutAgeSeconds) * 1_000);
    return { id: String(jti), issuer: config.issuer, expiresAt, ...ended };
  }

  private async checked(
    config: OidcConfig,
    { client, keys }: Connected,
    request: () => Promise<oidc.TokenEndpointResponse & oidc.TokenEndpointResponseHelpers>,
  ): Promise<Authenticated> {
    try {
      const tokens = await request();
      const idToken = tokens.id_token ?? '';
      const payload = await this.verify(config, keys, idToken, ['sub', 'iat', 'exp']);
      const subject = String(payload.sub);
      const more =
        client.serverMetadata().userinfo_endpoint === undefined
          ? {}
          : await oidc.fetchUserInfo(client, tokens.access_token, subject);
      const { sid } = payload;
      return {
        issuer: config.issuer,
        subject,
        providerSession: typeof sid === 'string' ? sid : null,
        idToken,
        // The ID token is signed, so it wins.
        claims: { ...more, ...payload },
      };
    } catch (error) {
      throw asSignInError(error);
    }
  }

  /** Checks signature, issuer, audience and times. A token for several audiences is refused. */
  private async verify(
    { issuer, clientId }: OidcConfig,
    keys: Connected['keys'],
    token: string,
    requiredClaims: string[],
  ): Promise<JWTPayload> {
    try {
      const { payload } = await jwtVerify(token, keys, {
        issuer,
        audience: clientId,
        algorithms,
        requiredClaims,
        clockTolerance: clockToleranceSeconds,
      });
      const { aud } = payload;
      if (Array.isArray(aud) && aud.length !== 1) throw invalid('the token has more than one audience');
      return payload;
    } catch (error) {
      throw asSignInError(error);
    }
  }

  /** Reads the metadata of the identity provider, once for simultaneous requests. A failure is not kept. */
  private async connect(): Promise<Connected & { config: OidcConfig }> {
    const { config } = this.settings;
    if (!config) throw new SignInError('provider_unavailable', 'OIDC_ISSUER is not set');
    const earlier = await this.connected?.catch(() => undefined);
    if (!earlier || Date.now() - earlier.at > freshMs) {
      const fresh = this.discover(config);
      this.connected = fresh;
      fresh.catch(() => {
        if (this.connected === fresh) this.connected = undefined;
      });
      return { ...(await fresh), config };
    }
    return { ...earlier, config };
  }

  private async discover({ issuer, clientId, clientSecret }: OidcConfig): Promise<Connected> {
    try {
      const client = await oidc.discovery(
        new URL(issuer),
        clientId,
        { [oidc.clockTolerance]: clockToleranceSeconds },
        clientSecret === undefined ? oidc.None() : oidc.ClientSecretBasic(clientSecret),
        {
          timeout: timeoutMs / 1_000,
          [oidc.customFetch]: this.fetch as oidc.CustomFetch,
          // OIDC_ISSUER is https, or an address of this machine.
          ...(issuer.startsWith('http:') && { execute: [oidc.allowInsecureRequests] }),
        },
      );
      const { jwks_uri } = client.serverMetadata();
      if (jwks_uri === undefined) throw invalid('the identity provider publishes no keys');
      const keys = createRemoteJWKSet(new URL(jwks_uri), {
        timeoutDuration: timeoutMs,
        // A token with an unknown key is followed by a request for the keys, so that a rotation takes effect at once.
        cooldownDuration: 0,
        cacheMaxAge: freshMs,
        [jwksFetch]: this.fetch,
      });
      return { client, keys, at: Date.now() };
    } catch (error) {
      throw asSignInError(error);
    }
  }
}

const invalid = (message: string) => new SignInError('invalid_response', message);
