import { Injectable } from '@nestjs/common';
import { ConfigService } from '@nestjs/config';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { GatewayConfig } from '../gateway-config.js';
import { ownOrigin } from './same-origin.js';

interface Kind {
  name: string;
  sameSite: 'strict' | 'lax';
}

const session: Kind = { name: 'idsync_session', sameSite: 'strict' };
/** Sent with the redirect that comes from the identity provider, which is another site. */
const pending: Kind = { name: 'idsync_sign_in', sameSite: 'lax' };

/** The cookies of sign-in and session. With HTTPS a name has the prefix `__Host-`, so that no other host can set it. */
@Injectable()
export class SessionCookie {
  readonly publicUrl: string | undefined;

  constructor(config: ConfigService<GatewayConfig, true>) {
    this.publicUrl = config.get('PUBLIC_URL', { infer: true });
  }

  read(request: FastifyRequest): string | undefined {
    return this.value(request, session);
  }

  set(request: FastifyRequest, reply: FastifyReply, value: string, expires: Date): void {
    this.write(request, reply, { ...session, value, expires });
  }

  clear(request: FastifyRequest, reply: FastifyReply): void {
    this.write(request, reply, { ...session, value: '', expires: new Date(0) });
  }

  /** The cookie of a sign-in that waits for the identity provider. */
  readPending(request: FastifyRequest): string | undefined {
    return this.value(request, pending);
  }

  setPending(request: FastifyRequest, reply: FastifyReply, value: string, expires: Date): void {
    this.write(request, reply, { ...pending, value, expires });
  }

  clearPending(request: FastifyRequest, reply: FastifyReply): void {
    this.write(request, reply, { ...pending, value: '', expires: new Date(0) });
  }

  private value(request: FastifyRequest, { name }: Kind): string | undefined {
    const { cookie } = request.headers;
    return cookie === undefined ? undefined : request.server.parseCookie(cookie)[this.formOf(request, name).name];
  }

  private write(
    request: FastifyRequest,
    reply: FastifyReply,
    { name: plain, sameSite, value, expires }: Kind & { value: string; expires: Date },
  ): void {
    const { name, secure } = this.formOf(request, plain);
    const options = { httpOnly: true, sameSite, path: '/', secure, expires };
    // Fastify adds to the cookies of this reply.
    void reply.header('set-cookie', request.server.serializeCookie(name, value, options));
  }

  private formOf(request: FastifyRequest, name: string): { name: string; secure: boolean } {
    const secure = ownOrigin(request, this.publicUrl).startsWith('https:');
    return { name: secure ? `__Host-${name}` : name, secure };
  }
}
