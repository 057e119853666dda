import { type GatewayConfig, gatewayEnvironment } from '@idsync/runtime';

export const adminToken = 'the-operators-token-of-this-test';

/** Returns settings of a gateway on a free port, with the environment's defaults. */
export function gatewayConfig(databaseUrl: string, given: Partial<GatewayConfig> = {}): GatewayConfig {
  const environment = {
    DATABASE_URL: databaseUrl,
    ADMIN_TOKEN: adminToken,
    ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64'),
    PORT: '0',
    LOG_LEVEL: 'fatal',
  };
  return { ...gatewayEnvironment.parse(environment), ...given };
}
