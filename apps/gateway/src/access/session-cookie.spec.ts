import { describe, expect, it } from '@jest/globals';
import type { ConfigService } from '@nestjs/config';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { GatewayConfig } from '../gateway-config.js';
import { SessionCookie } from './session-cookie.service.js';

function cookies(publicUrl: string) {
  const config = { get: () => publicUrl } as Partial<ConfigService> as ConfigService<GatewayConfig, true>;
  const sent: object[] = [];
  const server = {
    parseCookie: (text: string) => Object.fromEntries(text.split('; ').map((pair) => pair.split('='))),
    serializeCookie: (name: string, value: string, options: object) => sent.push({ name, value, ...options }),
  };
  const request = (cookie?: string) => ({ headers: { cookie }, server }) as object as FastifyRequest;
  const reply = { header: () => undefined } as object as FastifyReply;
  return { cookie: new SessionCookie(config), request, reply, sent };
}

const expires = new Date('2030-01-01T00:00:00Z');

describe('the cookie of a session', () => {
  it('cannot be read by scripts, is sent to this site only and, with HTTPS, cannot be set by another host', () => {
    const { cookie, request, reply, sent } = cookies('https://idsync.example');
    cookie.set(request(), reply, 'secret', expires);
    expect(sent).toEqual([
      {
        name: '__Host-idsync_session',
        value: 'secret',
        httpOnly: true,
        sameSite: 'strict',
        path: '/',
        secure: true,
        expires,
      },
    ]);
    expect(cookie.read(request('__Host-idsync_session=secret'))).toBe('secret');
    expect(cookie.read(request('idsync_session=forged'))).toBeUndefined();
  });

  it('has no prefix without HTTPS, where browsers would reject it', () => {
    const { cookie, request, reply, sent } = cookies('http://127.0.0.1:3000');
    cookie.set(request(), reply, 'secret', expires);
    expect(sent).toMatchObject([{ name: 'idsync_session', secure: false }]);
    expect(cookie.read(request('idsync_session=secret'))).toBe('secret');
    expect(cookie.read(request())).toBeUndefined();
  });

  it('of a pending sign-in survives the redirect from the identity provider', () => {
    const { cookie, request, reply, sent } = cookies('https://idsync.example');
    cookie.setPending(request(), reply, 'state', expires);
    cookie.clearPending(request(), reply);
    expect(sent).toMatchObject([
      { name: '__Host-idsync_sign_in', value: 'state', sameSite: 'lax' },
      { value: '', expires: new Date(0) },
    ]);
    expect(cookie.readPending(request('__Host-idsync_sign_in=state'))).toBe('state');
  });

  it('of the ID token is sent to the logout route only', () => {
    const { cookie, request, reply, sent } = cookies('https://idsync.example');
    cookie.setHint(request(), reply, 'token', expires);
    cookie.clearHint(request(), reply);
    cookie.clear(request(), reply);
    expect(sent).toMatchObject([
      { name: '__Secure-idsync_id_token', path: '/admin/v1/session/oidc/end', sameSite: 'strict' },
      { value: '', path: '/admin/v1/session/oidc/end' },
      { name: '__Host-idsync_session', value: '' },
    ]);
    expect(cookie.readHint(request('__Secure-idsync_id_token=token'))).toBe('token');
  });
});
