import type { GatewayConfig } from '@idsync/runtime';
import { Injectable } from '@nestjs/common';
import { ConfigService } from '@nestjs/config';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ownOrigin } from './same-origin.js';

interface Kind {
  name: string;
  sameSite: 'strict' | 'lax';
  /** The only route that gets it; absent: all of them. */
  path?: string;
}

const cookies = {
  session: { name: 'idsync_session', sameSite: 'strict' },
  /** A sign-in that waits for the identity provider, whose redirect comes from another site. */
  pending: { name: 'idsync_sign_in', sameSite: 'lax' },
  /** The ID token that a logout at the identity provider sends. */
  hint: { name: 'idsync_id_token', sameSite: 'strict', path: '/admin/v1/session/oidc/end' },
} as const satisfies Record<string, Kind>;
type Cookie = keyof typeof cookies;

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

  read(request: FastifyRequest, kind: Cookie): string | undefined {
    const { cookie } = request.headers;
    const { name } = this.formOf(request, cookies[kind]);
    return cookie === undefined ? undefined : request.server.parseCookie(cookie)[name];
  }

  set(request: FastifyRequest, reply: FastifyReply, kind: Cookie, value: string, expires: Date): void {
    const { sameSite, path = '/' }: Kind = cookies[kind];
    const { name, secure } = this.formOf(request, cookies[kind]);
    const options = { httpOnly: true, sameSite, path, secure, expires };
    // Fastify adds to the cookies of this reply.
    void reply.header('set-cookie', request.server.serializeCookie(name, value, options));
  }

  clear(request: FastifyRequest, reply: FastifyReply, kind: Cookie): void {
    this.set(request, reply, kind, '', new Date(0));
  }

  private formOf(request: FastifyRequest, { name, path }: Kind): { name: string; secure: boolean } {
    const secure = ownOrigin(request, this.publicUrl).startsWith('https:');
    const prefix = path === undefined ? '__Host-' : '__Secure-';
    return { name: secure ? `${prefix}${name}` : name, secure };
  }
}
