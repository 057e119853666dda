import type { RoleMapping } from '@idsync/contracts';
import type { GatewayConfig } from '@idsync/runtime';
import { Injectable } from '@nestjs/common';
import { ConfigService } from '@nestjs/config';

/** Path of the redirect that the identity provider answers to. */
const callbackPath = '/admin/v1/session/oidc/callback';

export interface OidcConfig {
  issuer: string;
  clientId: string;
  /** Absent for a public client. */
  clientSecret?: string;
  /** Name of the identity provider, for people. */
  name: string;
  scopes: string;
  groupsClaim: string;
  mapping: RoleMapping;
  publicUrl: string;
  redirectUri: string;
}

/** Settings of the sign-in with an identity provider. */
@Injectable()
export class OidcSettings {
  /** Absent if no identity provider is set. */
  readonly config: OidcConfig | undefined;
  /** The settings that a session depends on: it ends when one of them changes. */
  readonly fingerprint: string | undefined;

  constructor(settings: ConfigService<GatewayConfig, true>) {
    const issuer = settings.get('OIDC_ISSUER', { infer: true });
    const publicUrl = settings.get('PUBLIC_URL', { infer: true });
    const clientId = settings.get('OIDC_CLIENT_ID', { infer: true });
    // The environment is refused if only a part is set.
    if (issuer === undefined || publicUrl === undefined || clientId === undefined) return;
    const clientSecret = settings.get('OIDC_CLIENT_SECRET', { infer: true });
    const groupsClaim = settings.get('OIDC_GROUPS_CLAIM', { infer: true });
    const mapping = settings.get('OIDC_ROLE_MAPPING', { infer: true });
    this.config = {
      issuer,
      clientId,
      ...(clientSecret !== undefined && { clientSecret }),
      name: settings.get('OIDC_NAME', { infer: true }),
      scopes: settings.get('OIDC_SCOPES', { infer: true }),
      groupsClaim,
      mapping,
      publicUrl,
      redirectUri: `${publicUrl}${callbackPath}`,
    };
    this.fingerprint = JSON.stringify([issuer, clientId, groupsClaim, mapping]);
  }
}
