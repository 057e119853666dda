import type { GatewayConfig } from '@idsync/runtime';
import { expect, it } from '@jest/globals';
import type { ConfigService } from '@nestjs/config';
import { OidcSettings } from './oidc-settings.service.js';

function settingsOf(values: Partial<GatewayConfig>): OidcSettings {
  const config = { get: (name: keyof GatewayConfig) => values[name] } as unknown as ConfigService<GatewayConfig, true>;
  return new OidcSettings(config);
}

const provider = { OIDC_ISSUER: 'https://id.acme.example', OIDC_CLIENT_ID: 'idsync' };

it.each<[string, Partial<GatewayConfig>]>([
  ['OIDC_ISSUER', { OIDC_CLIENT_ID: 'idsync', PUBLIC_URL: 'https://sync.acme.example' }],
  ['OIDC_ISSUER and PUBLIC_URL', { OIDC_CLIENT_ID: 'idsync' }],
  ['OIDC_CLIENT_ID', { OIDC_ISSUER: provider.OIDC_ISSUER, PUBLIC_URL: 'https://sync.acme.example' }],
  ['PUBLIC_URL', provider],
])('no identity provider is set without %s', (_missing, values) => {
  const { config, fingerprint } = settingsOf(values);
  expect({ config, fingerprint }).toEqual({ config: undefined, fingerprint: undefined });
});

it('the identity provider answers to a path of PUBLIC_URL', () => {
  const { config } = settingsOf({ ...provider, PUBLIC_URL: 'https://sync.acme.example' });
  expect(config).toMatchObject({
    issuer: 'https://id.acme.example',
    clientId: 'idsync',
    redirectUri: 'https://sync.acme.example/admin/v1/session/oidc/callback',
  });
});
