// SQL by hand: the batch of ended sessions, and a list that is a join.
import { createHash } from 'node:crypto';
import { installationId } from '@idsync/contracts';
import { texts } from '../../arrays.js';
import type { Database, Transaction } from '../../database.js';
import { OperatorSessionEntity } from '../../entities/session.entities.js';
import { findRow, insertRow } from '../../rows.js';
import type { Page, Rows } from '../page.js';
import { findServiceToken, type ServiceTokenRow } from './service-tokens.js';

export type SessionRow = OperatorSessionEntity;

const tenantId = installationId;

/** The sign-in of an operator, with its role and tenants. */
export type NewSession = Pick<SessionRow, 'id' | 'kind' | 'secretHash' | 'expiresAt'> &
  Partial<
    Pick<SessionRow, 'serviceTokenId' | 'issuer' | 'subject' | 'providerSession' | 'name' | 'role' | 'tenantIds'>
  >;

export function insertSession(tx: Transaction, session: NewSession): Promise<SessionRow> {
  return insertRow(tx, OperatorSessionEntity, { ...session, tenantId });
}

/** Finds a session, with the service token that it began with. */
export function findSession(
  database: Database,
  id: string,
): Promise<{ session: SessionRow; token?: ServiceTokenRow } | undefined> {
  return database.readTransaction(tenantId, async (tx) => {
    const session = await findRow(tx, OperatorSessionEntity, { where: { tenantId, id } });
    if (!session) return undefined;
    const token = session.serviceTokenId ? await findServiceToken(tx, session.serviceTokenId) : undefined;
    return { session, token };
  });
}

/** A session without its hash. Name, role and tenants are those of its service token if it began with one. */
export type ListedSessionRow = Omit<SessionRow, 'secretHash' | 'providerSession' | 'tenantId'>;

/** Lists sessions of these kinds that have not ended, the last used first. */
export async function listSessions(
  tx: Transaction,
  { limit, offset }: Page,
  { kinds, idleSeconds }: { kinds: readonly SessionRow['kind'][]; idleSeconds: number },
): Promise<Rows<ListedSessionRow>> {
  const values = [tenantId, texts(kinds), idleSeconds];
  const total = await tx.count(`select count(*)::int as count ${live}`, values);
  const rows = await tx.query<ListedSessionRow>(
    `select ${listed} ${live} order by s.last_used_at desc, s.id limit $4 offset $5`,
    [...values, limit, offset],
  );
  return { rows, total };
}

/** Finds a session for its end, also if it is idle. */
export async function findListedSession(tx: Transaction, id: string): Promise<ListedSessionRow | undefined> {
  return tx.row<ListedSessionRow>(`select ${listed} ${all} and s.id = $2`, [tenantId, id]);
}

const listed = `s.id, s.kind, s.service_token_id as "serviceTokenId", s.issuer, s.subject,
  coalesce(t.name, s.name) as name, coalesce(t.role, s.role) as role,
  case when t.id is null then s.tenant_ids else t.tenant_ids end as "tenantIds",
  s.created_at as "createdAt", s.last_used_at as "lastUsedAt", s.expires_at as "expiresAt"`;
const all = `from operator_sessions s
  left join service_tokens t on t.tenant_id = s.tenant_id and t.id = s.service_token_id
 where s.tenant_id = $1`;
const live = `${all} and s.kind = any($2::text[])
   and s.expires_at > now() and s.last_used_at > now() - $3 * interval '1 second'
   and (s.kind <> 'service_token' or (t.revoked_at is null and (t.expires_at is null or t.expires_at > now())))`;

export async function touchSession(database: Database, id: string): Promise<void> {
  await database.transaction(tenantId, (tx) =>
    tx.manager.update(OperatorSessionEntity, { tenantId, id }, { lastUsedAt: () => 'now()' }),
  );
}

/** Returns whether the session existed. */
export async function deleteSession(tx: Transaction, id: string): Promise<boolean> {
  const { affected } = await tx.manager.delete(OperatorSessionEntity, { tenantId, id });
  return affected === 1;
}

/** Deletes sessions that ended by one of their timeouts. Returns their number. */
export function deleteEndedSessions(database: Database, idleSeconds: number, limit: number): Promise<number> {
  return database.transaction(tenantId, async (tx) => {
    const deleted = await tx.query(
      `delete from operator_sessions where tenant_id = $1 and id = any(array(
         select id from operator_sessions
          where tenant_id = $1 and (expires_at < now() or last_used_at < now() - $2 * interval '1 second')
          limit $3 for update skip locked))
       returning id`,
      [tenantId, idleSeconds, limit],
    );
    return deleted.length;
  });
}

/** Sessions of a person at the identity provider. */
export interface ProviderLogout {
  /** `jti` of the token. */
  id: string;
  issuer: string;
  subject?: string;
  providerSession?: string;
  /** The token is refused after this time, so it need not be remembered longer. */
  expiresAt: Date;
}

/** Returns false if the token was used before. */
export async function rememberLogout(tx: Transaction, { id, issuer, expiresAt }: ProviderLogout): Promise<boolean> {
  const hash = createHash('sha256')
    .update(JSON.stringify([issuer, id]))
    .digest('hex');
  return tx.any(
    'insert into logout_tokens (id, tenant_id, expires_at) values ($1, $2, $3) on conflict do nothing returning id',
    [hash, installationId, expiresAt],
  );
}

/** Deletes the sessions that a logout ends, and returns them. */
export function deleteSessionsOf(
  tx: Transaction,
  { issuer, subject, providerSession }: ProviderLogout,
): Promise<Pick<SessionRow, 'id' | 'name' | 'subject' | 'role'>[]> {
  return tx.query(
    `delete from operator_sessions
      where tenant_id = $1 and kind = 'oidc' and issuer = $2
        and ($3::text is null or subject = $3) and ($4::text is null or provider_session = $4)
        and ($3::text is not null or $4::text is not null)
     returning id, name, subject, role`,
    [installationId, issuer, subject ?? null, providerSession ?? null],
  );
}

/** Forgets tokens that are too old to be used again. Returns their number. */
export function forgetLogouts(database: Database, limit: number): Promise<number> {
  return database.transaction(installationId, async (tx) => {
    const deleted = await tx.query(
      `delete from logout_tokens where tenant_id = $1 and id in (
         select id from logout_tokens where tenant_id = $1 and expires_at < now() limit $2)
       returning id`,
      [installationId, limit],
    );
    return deleted.length;
  });
}
