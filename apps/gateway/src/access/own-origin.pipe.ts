import type { GatewayConfig } from '@idsync/runtime';
import { createParamDecorator, type ExecutionContext, Injectable, type PipeTransform } from '@nestjs/common';
import { ConfigService } from '@nestjs/config';
import type { FastifyRequest } from 'fastify';
import { ownOrigin } from './same-origin.js';

@Injectable()
class OwnOriginPipe implements PipeTransform<FastifyRequest, string> {
  constructor(private readonly config: ConfigService<GatewayConfig, true>) {}

  transform(request: FastifyRequest): string {
    return ownOrigin(request, this.config.get('PUBLIC_URL', { infer: true }));
  }
}

const Request = createParamDecorator((_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest());

/** The origin of the gateway as browsers see it. */
export const OwnOrigin = () => Request(OwnOriginPipe);
