// SQL by hand: the batch of ended sessions.
import { installationId } from '@idsync/contracts';
import type { Database, Transaction } from '../database.js';
import { OperatorSessionEntity } from '../entities/session.entities.js';
import { findRow, insertRow } from '../rows.js';
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
      `delete from operator_sessions where tenant_id = $1 and id in (
         select id from operator_sessions
          where tenant_id = $1 and (expires_at < now() or last_used_at < now() - $2 * interval '1 second')
          limit $3 for update skip locked)
       returning id`,
      [tenantId, idleSeconds, limit],
    );
    return deleted.length;
  });
}
