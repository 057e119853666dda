import { errorTexts } from '@idsync/contracts';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { ConfigService } from '@nestjs/config';
import type { FastifyRequest } from 'fastify';
import type { GatewayConfig } from '../gateway-config.js';
import { ApiError } from '../http/api-error.js';
import { constantTimeEqual } from './api-key.js';
import { bearerTokenOf } from './bearer-token.js';
import type { OperatorCaller } from './caller.js';

/** Accepts operators: `ADMIN_TOKEN` as a bearer token. */
@Injectable()
export class OperatorGuard implements CanActivate {
  private readonly adminToken: string;

  constructor(config: ConfigService<GatewayConfig, true>) {
    this.adminToken = config.get('ADMIN_TOKEN', { infer: true });
  }

  /** Throws a 401 for a missing or wrong token. */
  identify(request: FastifyRequest): OperatorCaller {
    const token = bearerTokenOf(request);
    if (token === undefined || !constantTimeEqual(token, this.adminToken)) throw unauthorized();
    return { access: 'operator' };
  }

  canActivate(context: ExecutionContext): boolean {
    if (context.switchToHttp().getRequest<FastifyRequest>().caller?.access !== 'operator') throw unauthorized();
    return true;
  }
}

const unauthorized = () => new ApiError(401, errorTexts.operatorUnauthorized);
