import { encodeId } from '@idsync/contracts';
import type { ListedSessionRow } from '@idsync/database/gateway';
import { describe, expect, it } from '@jest/globals';
import { adminTokenCaller } from './operator-tokens.service.js';
import { presentListedSession, presentSession } from './present-session.js';

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
