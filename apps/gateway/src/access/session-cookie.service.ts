import { Injectable } from '@nestjs/common';
import { ConfigService } from '@nestjs/config';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { GatewayConfig } from '../gateway-config.js';
import { ownOrigin } from './same-origin.js';

/** The session's cookie. With HTTPS its name has the prefix `__Host-`, so that no other host can set it. */
@Injectable()
export class SessionCookie {
  readonly publicUrl: string | undefined;

  constructor(config: ConfigService<GatewayConfig, true>) {
    this.publicUrl = config.get('PUBLIC_URL', { infer: true });
  }

  read(request: FastifyRequest): string | undefined {
    const { cookie } = request.headers;
    return cookie === undefined ? undefined : request.server.parseCookie(cookie)[this.formOf(request).name];
  }

  set(request: FastifyRequest, reply: FastifyReply, value: string, expires: Date): void {
    this.write(request, reply, value, expires);
  }

  clear(request: FastifyRequest, reply: FastifyReply): void {
    this.write(request, reply, '', new Date(0));
  }

  private write(request: FastifyRequest, reply: FastifyReply, value: string, expires: Date): void {
    const { name, secure } = this.formOf(request);
    const options = { httpOnly: true, sameSite: 'strict', path: '/', secure, expires } as const;
    void reply.header('set-cookie', request.server.serializeCookie(name, value, options));
  }

  private formOf(request: FastifyRequest): { name: string; secure: boolean } {
    const secure = ownOrigin(request, this.publicUrl).startsWith('https:');
    return { name: secure ? '__Host-idsync_session' : 'idsync_session', secure };
  }
}
