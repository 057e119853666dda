import { timingSafeEqual } from 'node:crypto';
import { encodeId, installationId, newUuid, observedActions } from '@idsync/contracts';
import { Database } from '@idsync/database';
import {
  type AuditInput,
  deleteSession,
  deleteSessionsOf,
  findSession,
  insertSession,
  type NewSession,
  type ProviderLogout,
  rememberLogout,
  type ServiceTokenRow,
  type SessionRow,
  touchSession,
} from '@idsync/database/gateway';
import type { GatewayConfig } from '@idsync/runtime';
import { Injectable } from '@nestjs/common';
import { ConfigService } from '@nestjs/config';
import type { FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { AuditLog } from '../audit/audit-log.service.js';
import { hashSecret, newSecret } from './api-key.js';
import { callerOfPerson, type OperatorCaller, type OperatorSession, personId, type SignedIn } from './caller.js';
import { OidcSettings } from './oidc-settings.service.js';
import { adminTokenCaller, OperatorTokens } from './operator-tokens.service.js';
import { idleEndOf } from './present-session.js';
import { callerOfServiceToken, isLive } from './service-tokens.service.js';
import { boundHash, csrfTokenOf, formatSession, parseSession } from './session-secret.js';
import { UnknownKeyLimits } from './unknown-key-limits.js';

/** How an operator signed in, as the row of its session stores it. */
export type Grant = Omit<NewSession, 'id' | 'secretHash' | 'expiresAt'>;

export interface StartedSession {
  /** Value of the cookie, or the bearer token of a program. */
  cookie: string;
  caller: SignedIn;
  session: OperatorSession;
}

const cacheSize = 10_000;
/** A use is stored this often at most, so that most requests do not write. */
const touchEveryMs = 30_000;

/**
 * Sessions of operators in browsers. Each request reads its session, so that the end of a session, or of the token that it
 * began with, takes effect at once on all gateways.
 */
@Injectable()
export class Sessions {
  readonly idleSeconds: number;
  private readonly maxSeconds: number;
  /** Cookies that were valid recently, as hashes. The limits on unknown keys do not apply to them. */
  private readonly recentlyValid = new LRUCache<string, true>({ max: cacheSize });

  constructor(
    config: ConfigService<GatewayConfig, true>,
    private readonly database: Database,
    private readonly audit: AuditLog,
    private readonly tokens: OperatorTokens,
    private readonly unknown: UnknownKeyLimits,
    private readonly oidc: OidcSettings,
  ) {
    this.idleSeconds = config.get('SESSION_IDLE_SECONDS', { infer: true });
    this.maxSeconds = config.get('SESSION_MAX_SECONDS', { infer: true });
  }

  /** The ways to sign in whose sessions can be used. */
  get enabledKinds(): SessionRow['kind'][] {
    return (['admin_token', 'service_token', 'oidc'] as const).filter((kind) => this.settingOf(kind) !== undefined);
  }

  /** Starts a session of a caller that has signed in, and records it. */
  async start(caller: OperatorCaller, grant: Grant, request: FastifyRequest): Promise<StartedSession> {
    const { secret } = newSecret();
    const id = newUuid();
    const setting = this.settingOf(grant.kind);
    if (setting === undefined) throw new Error('a session must begin with an enabled way to sign in');
    const expiresAt = new Date(Date.now() + this.maxSeconds * 1_000);
    const started = await this.database.transaction(installationId, async (tx) => {
      const row = await insertSession(tx, { ...grant, id, expiresAt, secretHash: boundHash(secret, setting) });
      const session = this.present(row, secret);
      const signedIn = withSession(caller, session);
      await this.audit.append(tx, installationId, describe(request, signedIn, observedActions.signedIn));
      return { session, caller: signedIn };
    });
    return { ...started, cookie: formatSession(id, secret) };
  }

  /** Returns undefined for a session that is malformed, unknown or ended. Throws a 429 or 503 for too many of these. */
  async identify(text: string, address: string): Promise<OperatorCaller | undefined> {
    const cookie = parseSession(text);
    if (!cookie) return undefined;
    const name = hashSecret(text).toString('base64');
    const find = () => this.find(cookie);
    const caller = await (this.recentlyValid.has(name) ? find() : this.unknown.lookUp(address, find));
    if (caller) this.recentlyValid.set(name, true);
    else this.recentlyValid.delete(name);
    return caller;
  }

  /** Ends the session of a request, and records it. */
  async end(request: FastifyRequest, caller: OperatorCaller, session: OperatorSession): Promise<void> {
    await this.database.transaction(installationId, async (tx) => {
      const existed = await deleteSession(tx, session.id);
      // The other of two simultaneous requests has recorded it.
      if (existed) await this.audit.append(tx, installationId, describe(request, caller, observedActions.signedOut));
    });
    request.audited = true;
  }

  /** Ends the sessions of a logout at the identity provider. Returns false if its token was used before. */
  endByProvider(logout: ProviderLogout, request: FastifyRequest): Promise<boolean> {
    return this.database.transaction(installationId, async (tx) => {
      if (!(await rememberLogout(tx, logout))) return false;
      for (const row of await deleteSessionsOf(tx, logout)) {
        const session = encodeId('session', row.id);
        await this.audit.append(tx, installationId, {
          actor: { kind: 'oidc', id: personId(logout.issuer, row.subject ?? ''), name: row.name ?? '', session },
          address: request.ip,
          request_id: request.id,
          action: observedActions.signedOutByProvider,
          outcome: 'observed',
          resource: session,
        });
      }
      return true;
    });
  }

  private async find({ id, secret }: { id: string; secret: string }): Promise<OperatorCaller | undefined> {
    const found = await findSession(this.database, id);
    const setting = found && this.settingOf(found.session.kind);
    if (!found || setting === undefined) return undefined;
    const session = this.present(found.session, secret);
    const isValid =
      timingSafeEqual(found.session.secretHash, boundHash(secret, setting)) &&
      Math.min(session.expiresAt.getTime(), session.idleExpiresAt.getTime()) > Date.now();
    const caller = isValid ? this.callerOf(found.session, found.token) : undefined;
    if (!caller) return undefined;
    if (Date.now() - found.session.lastUsedAt.getTime() > touchEveryMs) await touchSession(this.database, id);
    return withSession(caller, session);
  }

  /** The setting that must not change during a session; undefined if sign-in of this kind is not enabled. */
  private settingOf(kind: SessionRow['kind']): string | undefined {
    if (kind === 'admin_token') return this.tokens.adminToken;
    return kind === 'service_token' ? '' : this.oidc.fingerprint;
  }

  private callerOf(row: SessionRow, token: ServiceTokenRow | undefined): OperatorCaller | undefined {
    if (row.kind === 'admin_token') return adminTokenCaller;
    if (row.kind === 'service_token') return token && isLive(token) ? callerOfServiceToken(token) : undefined;
    const { issuer, subject, name, role, tenantIds } = row;
    if (issuer === null || subject === null || name === null || role === null) return undefined;
    return callerOfPerson({ issuer, subject, name, role, tenantIds });
  }

  private present(row: SessionRow, secret: string): OperatorSession {
    const { id, expiresAt } = row;
    return { id, csrfToken: csrfTokenOf(secret), expiresAt, idleExpiresAt: idleEndOf(row, this.idleSeconds) };
  }
}

function withSession(caller: OperatorCaller, session: OperatorSession): SignedIn {
  return { ...caller, actor: { ...caller.actor, session: encodeId('session', session.id) }, session };
}

function describe(request: FastifyRequest, { actor }: OperatorCaller, action: string): AuditInput {
  return {
    actor,
    address: request.ip,
    request_id: request.id,
    action,
    outcome: 'accepted',
    ...(actor.session !== undefined && { resource: actor.session }),
  };
}
