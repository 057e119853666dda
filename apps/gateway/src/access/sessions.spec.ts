import { encodeId, newUuid } from '@idsync/contracts';
import type { ListedSessionRow } from '@idsync/database/gateway';
import type { GatewayConfig } from '@idsync/runtime';
import { describe, expect, it } from '@jest/globals';
import type { ConfigService } from '@nestjs/config';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { newSecret } from './api-key.js';
import { adminTokenCaller } from './operator-tokens.service.js';
import { presentListedSession, presentSession } from './present-session.js';
import { isRead, isSameOrigin, ownOrigin } from './same-origin.js';
import { SessionCookie } from './session-cookie.service.js';
import { boundHash, csrfTokenOf, formatSession, parseSession } from './session-secret.js';

const id = '00000000-0000-4000-8000-000000000001';
const tenant = '00000000-0000-4000-8000-000000000002';
const row: ListedSessionRow = {
  id,
  kind: 'oidc',
  serviceTokenId: null,
  issuer: 'https://login.example.org',
  subject: 'eva',
  name: 'Eva',
  role: 'operator',
  tenantIds: [tenant],
  createdAt: new Date('2026-11-26T08:00:00Z'),
  lastUsedAt: new Date('2026-11-26T09:00:00Z'),
  expiresAt: new Date('2026-11-26T10:00:00Z'),
} as ListedSessionRow;

describe('a listed session', () => {
  it('shows who has signed in, with which role and tenants, and whether it is the session of the request', () => {
    expect(presentListedSession(row, 600, id)).toMatchObject({
      id: encodeId('session', id),
      actor: { name: 'Eva', role: 'operator', tenants: [encodeId('tenant', tenant)] },
      current: true,
    });
    expect(presentListedSession(row, 600, undefined).current).toBe(false);
  });

  it('ends without use, but not after its final end', () => {
    expect(presentListedSession(row, 600, id).idle_expires_at).toBe('2026-11-26T09:10:00.000Z');
    expect(presentListedSession(row, 86_400, id).idle_expires_at).toBe('2026-11-26T10:00:00.000Z');
  });

  it('names the service token, or the token of the installation, with which it began', () => {
    const ofToken = { ...row, kind: 'service_token', serviceTokenId: id, name: 'CI' } as ListedSessionRow;
    expect(presentListedSession(ofToken, 600, undefined).actor).toMatchObject({ kind: 'service_token', name: 'CI' });
    const ofInstallation = { ...row, kind: 'admin_token' } as ListedSessionRow;
    expect(presentListedSession(ofInstallation, 600, undefined).actor).toMatchObject({ kind: 'admin_token' });
  });
});

describe('the session of a request', () => {
  it('is absent for a caller with a token', () => {
    expect(presentSession(adminTokenCaller)).toEqual({ actor: presentSession(adminTokenCaller).actor });
  });
});

describe('the cookie of a session', () => {
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

  it('cannot be read by scripts, is sent to this site only and, with HTTPS, cannot be set by another host', () => {
    const { cookie, request, reply, sent } = cookies('https://idsync.example');
    cookie.set(request(), reply, 'session', 'secret', expires);
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
    expect(cookie.read(request('__Host-idsync_session=secret'), 'session')).toBe('secret');
    expect(cookie.read(request('idsync_session=forged'), 'session')).toBeUndefined();
  });

  it('has no prefix without HTTPS, where browsers would reject it', () => {
    const { cookie, request, reply, sent } = cookies('http://127.0.0.1:3000');
    cookie.set(request(), reply, 'session', 'secret', expires);
    expect(sent).toMatchObject([{ name: 'idsync_session', secure: false }]);
    expect(cookie.read(request('idsync_session=secret'), 'session')).toBe('secret');
    expect(cookie.read(request(), 'session')).toBeUndefined();
  });

  it('of a pending sign-in survives the redirect from the identity provider', () => {
    const { cookie, request, reply, sent } = cookies('https://idsync.example');
    cookie.set(request(), reply, 'pending', 'state', expires);
    cookie.clear(request(), reply, 'pending');
    expect(sent).toMatchObject([
      { name: '__Host-idsync_sign_in', value: 'state', sameSite: 'lax' },
      { value: '', expires: new Date(0) },
    ]);
    expect(cookie.read(request('__Host-idsync_sign_in=state'), 'pending')).toBe('state');
  });

  it('of the ID token is sent to the logout route only', () => {
    const { cookie, request, reply, sent } = cookies('https://idsync.example');
    cookie.set(request(), reply, 'hint', 'token', expires);
    cookie.clear(request(), reply, 'hint');
    cookie.clear(request(), reply, 'session');
    expect(sent).toMatchObject([
      { name: '__Secure-idsync_id_token', path: '/admin/v1/session/oidc/end', sameSite: 'strict' },
      { value: '', path: '/admin/v1/session/oidc/end' },
      { name: '__Host-idsync_session', value: '' },
    ]);
    expect(cookie.read(request('__Secure-idsync_id_token=token'), 'hint')).toBe('token');
  });
});

const { secret } = newSecret();

describe('the value of the cookie of a session', () => {
  it('contains the id and the secret of the session', () => {
    const id = newUuid();
    expect(parseSession(formatSession(id, secret))).toEqual({ id, secret });
  });

  it.each(['', 'iso_', `iss_${'0'.repeat(26)}_${secret}`, `iso_${'0'.repeat(26)}_${secret}x`, `iso_z_${secret}`])(
    'of another form belongs to no session: %s',
    (text) => {
      expect(parseSession(text)).toBeUndefined();
    },
  );
});

describe('the stored hash of a session', () => {
  it('depends on the secret and on the setting that allowed the sign-in', () => {
    const hashes = [
      boundHash(secret, 'one'),
      boundHash(secret, 'another'),
      boundHash(newSecret().secret, 'one'),
      boundHash(secret, 'csrf'),
    ].map((hash) => hash.toString('hex'));
    expect(new Set(hashes).size).toBe(4);
    expect(boundHash(secret, 'one').toString('hex')).toBe(hashes[0]);
  });
});

describe('the CSRF token of a session', () => {
  it('is the same each time, and reveals neither the secret nor the stored hash', () => {
    const token = csrfTokenOf(secret);
    expect(csrfTokenOf(secret)).toBe(token);
    expect(token).toMatch(/^[\w-]{43}$/);
    expect([secret, boundHash(secret, '').toString('base64url')]).not.toContain(token);
  });
});

describe('a request', () => {
  const request = (headers: Record<string, string>, host = 'idsync.example') => ({
    headers,
    host,
    protocol: 'http' as const,
  });

  it.each([
    ['from a page of the gateway', { 'sec-fetch-site': 'same-origin' }, true],
    ['from a page of a sibling domain', { 'sec-fetch-site': 'same-site' }, false],
    ['from a page elsewhere', { 'sec-fetch-site': 'cross-site' }, false],
    ['that no page sent', { 'sec-fetch-site': 'none' }, false],
    ['of a browser that sends the origin only', { origin: 'http://idsync.example' }, true],
    ['behind a proxy that ends TLS', { origin: 'https://idsync.example' }, true],
    ['from another origin', { origin: 'https://evil.example' }, false],
    ['from another port', { origin: 'http://idsync.example:8080' }, false],
    ['from a sandboxed page', { origin: 'null' }, false],
    ['of a program', {}, true],
    [
      'through a development server, which changes the host',
      { 'sec-fetch-site': 'same-origin', origin: 'http://localhost:5173' },
      true,
    ],
  ])('%s is of the same origin or not: %j %s', (_, headers, expected) => {
    expect(isSameOrigin(request(headers), undefined)).toBe(expected);
  });

  it('is compared with the public address if it is set', () => {
    const inside = request({ origin: 'https://idsync.example' }, 'gateway:3000');
    expect(isSameOrigin(inside, 'https://idsync.example')).toBe(true);
    expect(isSameOrigin(inside, 'https://other.example')).toBe(false);
    expect(isSameOrigin(inside)).toBe(false);
    expect(ownOrigin(inside)).toBe('http://gateway:3000');
  });

  it('from a sandboxed page is of another origin, whatever host it names', () => {
    expect(isSameOrigin(request({ origin: 'null' }, 'a host'))).toBe(false);
  });

  it('reads with GET and HEAD only', () => {
    expect(['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS'].filter((method) => isRead({ method }))).toEqual([
      'GET',
      'HEAD',
    ]);
  });
});
