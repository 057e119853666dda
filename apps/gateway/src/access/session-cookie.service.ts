import { Injectable } from '@nestjs/common';
import { ConfigService } from '@nestjs/config';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { GatewayConfig } from '../gateway-config.js';
import { ownOrigin } from './same-origin.js';

interface Kind {
  name: string;
  sameSite: 'strict' | 'lax';
  /** The only route that gets it; absent: all of them. */
  path?: string;
}

const session: Kind = { name: 'idsync_session', sameSite: 'strict' };
/** Sent with the redirect that comes from the identity provider, which is another site. */
const pending: Kind = { name: 'idsync_sign_in', sameSite: 'lax' };

const hint: Kind = { name: 'idsync_id_token', sameSite: 'strict', path: '/admin/v1/session/oidc/end' };

/**
 * The cookies of sign-in and session. With HTTPS a name has the prefix `__Host-`, so that no other host can set it, or
 * `__Secure-` if it has a path.
 */
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

  /** The ID token that a logout at the identity provider sends. */
  readHint(request: FastifyRequest): string | undefined {
    return this.value(request, hint);
  }

  setHint(request: FastifyRequest, reply: FastifyReply, value: string, expires: Date): void {
    this.write(request, reply, { ...hint, value, expires });
  }

  clearHint(request: FastifyRequest, reply: FastifyReply): void {
    this.write(request, reply, { ...hint, value: '', expires: new Date(0) });
  }

  private value(request: FastifyRequest, kind: Kind): string | undefined {
    const { cookie } = request.headers;
    return cookie === undefined ? undefined : request.server.parseCookie(cookie)[this.formOf(request, kind).name];
  }

  private write(
    request: FastifyRequest,
    reply: FastifyReply,
    { value, expires, ...kind }: Kind & { value: string; expires: Date },
  ): void {
    const { name, secure } = this.formOf(request, kind);
    const options = { httpOnly: true, sameSite: kind.sameSite, path: kind.path ?? '/', secure, expires };
    // Fastify adds to the cookies of this reply.
    void reply.header('set-cookie', request.server.serializeCookie(name, value, options));
  }

  private formOf(request: FastifyRequest, { name, path }: Kind): { name: string; secure: boolean } {
    const secure = ownOrigin(request, this.publicUrl).startsWith('https:');
    const prefix = path === undefined ? '__Host-' : '__Secure-';
    return { name: secure ? `${prefix}${name}` : name, secure };
  }
}
