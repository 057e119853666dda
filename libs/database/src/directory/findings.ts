// SQL by hand: writes in bulk that leave unchanged findings untouched.
import { type FindingKind, type FindingState, newUuid } from '@idsync/contracts';
import { arraysOf, jsons, texts, uuids } from '../arrays.js';
import type { Transaction } from '../database.js';
import { FindingEntity } from '../entities/findings.entities.js';
import { selectList } from '../naming-strategy.js';
import { findRow, lowestId } from '../rows.js';
import { useIndexScans } from '../transaction-settings.js';

const columns = [
  'id',
  'kind',
  'subjectId',
  'identityId',
  'evidence',
  'state',
  'openedAt',
  'resolvedAt',
  'acceptedBy',
  'acceptedReason',
  'acceptedAt',
  'acceptedUntil',
] as const;
export type StoredFinding = Pick<FindingEntity, (typeof columns)[number]>;
export type Acceptance = Pick<FindingEntity, 'acceptedBy' | 'acceptedReason' | 'acceptedAt' | 'acceptedUntil'>;

/** A finding that the evaluation has made. */
export interface FoundFinding {
  kind: FindingKind;
  subjectId: string;
  identityId?: string;
  evidence: Record<string, unknown>;
}

/** Opens those of these findings that are new and returns them. Changed evidence of the others is replaced. */
export async function openFindings(
  tx: Transaction,
  found: readonly FoundFinding[],
  now: Date,
): Promise<StoredFinding[]> {
  if (found.length === 0) return [];
  return tx.query(
    `with n as materialized (
       select * from unnest($2::uuid[], $3::text[], $4::uuid[], $5::uuid[], $6::jsonb[])
         as n (id, kind, subject_id, identity_id, evidence)),
     known as materialized (
       select n.*, f.id as known_id, f.evidence is distinct from n.evidence as changed
         from n left join lateral (
           select id, evidence from findings
            where tenant_id = $1 and kind = n.kind and subject_id = n.subject_id and state <> 'resolved' limit 1) f on true),
     changed as (
       update findings f set evidence = known.evidence, identity_id = known.identity_id
         from known where f.tenant_id = $1 and f.id = known.known_id and known.changed)
     insert into findings (tenant_id, id, kind, subject_id, identity_id, evidence, opened_at)
     select $1, id, kind, subject_id, identity_id, evidence, $7 from known where known_id is null
     on conflict (tenant_id, kind, subject_id) where state <> 'resolved' do nothing
     returning ${selectList(columns)}`,
    [
      tx.tenantId,
      uuids(found.map(() => newUuid())),
      ...arraysOf(found, { kind: texts, subjectId: uuids, identityId: uuids, evidence: jsons }),
      now,
    ],
  );
}

/** Resolves findings and returns them. */
export async function resolveFindings(tx: Transaction, ids: readonly string[], now: Date): Promise<StoredFinding[]> {
  if (ids.length === 0) return [];
  return tx.query(
    `update findings set state = 'resolved', resolved_at = $3
      where tenant_id = $1 and id = any($2) and state <> 'resolved'
     returning ${selectList(columns)}`,
    [tx.tenantId, uuids(ids), now],
  );
}

export type UnresolvedFinding = Pick<StoredFinding, 'id' | 'kind' | 'subjectId'>;

/** Returns the next findings that are not resolved, in the order of their ids. */
export async function findUnresolved(
  tx: Transaction,
  afterId: string | null,
  limit: number,
): Promise<UnresolvedFinding[]> {
  await useIndexScans(tx);
  return tx.query(
    `select id, kind, subject_id as "subjectId" from findings
      where tenant_id = $1 and state <> 'resolved' and id > $2
      order by id limit $3`,
    [tx.tenantId, afterId ?? lowestId, limit],
  );
}

/** Returns the findings about these subjects that are not resolved. */
export async function findUnresolvedAbout(
  tx: Transaction,
  subjectIds: readonly string[],
): Promise<UnresolvedFinding[]> {
  if (subjectIds.length === 0) return [];
  return tx.query(
    `select f.id, f.kind, f.subject_id as "subjectId" from unnest($2::uuid[]) as n (id)
      cross join lateral (select id, kind, subject_id, state from findings
                           where tenant_id = $1 and subject_id = n.id offset 0) f
      where f.state <> 'resolved'`,
    [tx.tenantId, uuids([...new Set(subjectIds)])],
  );
}

/** Returns the findings of a kind that are not resolved; for kinds with a few. */
export async function findUnresolvedOf(tx: Transaction, kind: FindingKind): Promise<UnresolvedFinding[]> {
  return tx.query(
    `select id, kind, subject_id as "subjectId" from findings
      where tenant_id = $1 and kind = $2 and state <> 'resolved'`,
    [tx.tenantId, kind],
  );
}

/** Opens accepted findings again whose acceptance has ended, and returns them. */
export async function endAcceptances(tx: Transaction, now: Date, limit: number): Promise<StoredFinding[]> {
  return tx.query(
    `update findings
        set state = 'open', accepted_by = null, accepted_reason = null, accepted_at = null, accepted_until = null
      where tenant_id = $1 and id = any(array(
        select id from findings where tenant_id = $1 and state = 'accepted' and accepted_until <= $2
         order by accepted_until limit $3 for update skip locked))
     returning ${selectList(columns)}`,
    [tx.tenantId, now, limit],
  );
}

/** Deletes findings that were resolved before this time. */
export async function purgeFindings(tx: Transaction, before: Date, limit: number): Promise<void> {
  await tx.query(
    `delete from findings where tenant_id = $1 and id = any(array(
       select id from findings where tenant_id = $1 and state = 'resolved' and resolved_at < $2
        order by resolved_at limit $3 for update skip locked))`,
    [tx.tenantId, before, limit],
  );
}

export function lockFinding(tx: Transaction, id: string): Promise<FindingEntity | undefined> {
  return findRow(tx, FindingEntity, { where: { tenantId: tx.tenantId, id }, lock: { mode: 'pessimistic_write' } });
}

/** Saves the acceptance of a locked finding, or its end. */
export async function saveAcceptance(
  tx: Transaction,
  id: string,
  acceptance: Acceptance & { state: FindingState },
): Promise<void> {
  await tx.manager.update(FindingEntity, { tenantId: tx.tenantId, id }, acceptance);
}

/** The metric shows at most so many findings of a kind, which bounds the part of the index that it reads. */
const mostCounted = 10_000;

/** Counts the open findings of all tenants by kind. */
export async function countOpenFindings(
  tx: Transaction,
  kinds: readonly FindingKind[],
): Promise<{ kind: FindingKind; count: number }[]> {
  return tx.query(
    `select k.kind, f.count::int as count from unnest($1::text[]) as k (kind)
      cross join lateral (
        select count(*) from (select from findings where state = 'open' and kind = k.kind limit ${mostCounted}) f) f`,
    [texts(kinds)],
  );
}
