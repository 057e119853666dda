import { Injectable } from '@nestjs/common';
import { ConfigService } from '@nestjs/config';
import type { GatewayConfig } from '../gateway-config.js';
import { constantTimeEqual } from './api-key.js';
import type { OperatorCaller } from './caller.js';
import { ServiceTokens } from './service-tokens.service.js';

export const adminTokenCaller: OperatorCaller = {
  access: 'operator',
  actor: { kind: 'admin_token', name: 'operator', role: 'admin' },
  role: 'admin',
};

/** Identifies operators by ADMIN_TOKEN or a service token. */
@Injectable()
export class OperatorTokens {
  /** Absent if it is disabled. */
  readonly adminToken: string | undefined;

  constructor(
    config: ConfigService<GatewayConfig, true>,
    private readonly serviceTokens: ServiceTokens,
  ) {
    if (!config.get('ADMIN_TOKEN_DISABLED', { infer: true }))
      this.adminToken = config.get('ADMIN_TOKEN', { infer: true });
  }

  /** Returns undefined for a wrong token. Throws the 429 or 503 of `ServiceTokens.identify`. */
  identify(token: string, address: string): OperatorCaller | Promise<OperatorCaller | undefined> {
    const isAdmin = this.adminToken !== undefined && constantTimeEqual(token, this.adminToken);
    return isAdmin ? adminTokenCaller : this.serviceTokens.identify(token, address);
  }
}
