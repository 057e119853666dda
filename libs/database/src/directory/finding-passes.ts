// SQL by hand: progress that is locked in passing, with the database clock.
import { machineAttributeField } from '@idsync/contracts';
import type { Transaction } from '../database.js';
import { lowestId } from '../rows.js';
import { useIndexScans } from '../transaction-settings.js';
import { otherEvents } from './record-changes.js';

/** Phases of a pass: users, then accounts and machine identities, then the findings that are not resolved. */
export type FindingPhase = 'users' | 'others' | 'findings';

export interface FindingPass {
  phase: FindingPhase;
  /** The last item of the phase that was evaluated. */
  afterAt: Date | null;
  afterId: string | null;
}

/** The events whose subjects are evaluated while no pass is due. */
export interface FollowedChanges {
  phase: 'changes';
  /** The last event that was followed. */
  since: number;
}

/** More changes are left to the next pass, which reads a record for less. */
const mostFollowed = 20_000;

/** A pass begins without an event at this age, because some findings depend on time. */
const longestPause = '1 hour';
/** Passes take at most a tenth of the time. */
const pauseFactor = 9;

/** True for a row of `finding_passes p` if a record of the tenant changed after this event; `types` are other events. */
const hasChanges = (types: string, after: 'began_sequence' | 'followed_sequence') => `exists (
  select from (select sequence from events e
                where e.tenant_id = $1 and e.sequence > p.${after} and e.type <> all(${types})
                order by e.sequence limit 1) as changes)`;
const areFew = `(select last from event_sequences where tenant_id = $1) - p.followed_sequence <= ${mostFollowed}`;
const pauseEnd = `p.ended_at + make_interval(secs => ${pauseFactor} * p.spent_ms / 1000.0)`;

const otherTypes = `'{${otherEvents.join(',')}}'::text[]`;

/**
 * The time at which the next part or pass of the tenant is due; its first pass, parts of a pass, and changes that can be
 * followed, are due at once.
 */
export const nextPassAt = `coalesce((
  select case when p.ended_at is null or (${areFew} and ${hasChanges(otherTypes, 'followed_sequence')}) then now()
              when ${hasChanges(otherTypes, 'began_sequence')} then ${pauseEnd}
              else greatest(${pauseEnd}, p.began_at + interval '${longestPause}') end
    from finding_passes p where p.tenant_id = $1), now())`;

/**
 * Locks a pass of the tenant that has not ended, and begins one if it is due: after a change of a record, or an hour.
 * A pause follows each pass, nine times as long as its work, in which changes are followed; `force` skips it. Returns
 * undefined if nothing is due or another process has the lock.
 */
export async function lockFindingPass(
  tx: Transaction,
  force = false,
): Promise<FindingPass | FollowedChanges | undefined> {
  const { tenantId } = tx;
  await tx.query(
    `insert into finding_passes (tenant_id, began_at, began_sequence, followed_sequence)
     select tenant_id, now(), last, last from event_sequences
      where tenant_id = $1 and not exists (select from finding_passes where tenant_id = $1)
     on conflict do nothing`,
    [tenantId],
  );
  const [found] = await tx.query<FindingPass & { ended: boolean; due: boolean; since: number; changed: boolean }>(
    `select phase, after_at as "afterAt", after_id as "afterId", ended_at is not null as ended,
            ${pauseEnd} <= now() and (began_at < now() - interval '${longestPause}'
                                      or ${hasChanges('$2::text[]', 'began_sequence')}) as due,
            followed_sequence::float8 as since, ${areFew} and ${hasChanges('$2::text[]', 'followed_sequence')} as changed
       from finding_passes p where tenant_id = $1 for update skip locked`,
    [tenantId, otherEvents],
  );
  if (!found?.ended) return found;
  if (!found.due && !force) return found.changed ? { phase: 'changes', since: found.since } : undefined;
  await tx.query(
    `update finding_passes p
        set phase = 'users', after_at = null, after_id = null, began_at = now(), began_sequence = s.last,
            followed_sequence = s.last, spent_ms = 0, ended_at = null
       from event_sequences s where s.tenant_id = $1 and p.tenant_id = $1`,
    [tenantId],
  );
  return { phase: 'users', afterAt: null, afterId: null };
}

/** Saves the progress of a locked pass, with the time that the last part has taken; undefined ends the pass. */
export async function saveFindingPass(tx: Transaction, pass: FindingPass | undefined, spentMs: number): Promise<void> {
  await tx.query(
    `update finding_passes
        set phase = coalesce($2, phase), after_at = $3, after_id = $4, spent_ms = spent_ms + $5,
            ended_at = case when $2::text is null then clock.now end
       from (select clock_timestamp() as now) as clock where tenant_id = $1`,
    [tx.tenantId, pass?.phase ?? null, pass?.afterAt ?? null, pass?.afterId ?? null, Math.round(spentMs)],
  );
}

/** Saves that the subjects of the events up to this one were evaluated. */
export async function saveFollowed(tx: Transaction, sequence: number): Promise<void> {
  await tx.query('update finding_passes set followed_sequence = $2 where tenant_id = $1', [tx.tenantId, sequence]);
}

export interface UsersOfPart {
  /** Ids of those that name a manager or look like a machine, that another record may repeat, or that another source has deleted; the others, nearly all, have no findings. */
  ids: string[];
  /** All of the part. */
  count: number;
  /** Position of the last one. */
  afterAt: Date | null;
  afterId: string | null;
}

/**
 * Reads the next present users in the order of an index that contains only them. Returns no row for most of them, because
 * a pass reads all people of the tenant.
 */
export async function findUsersAfter(
  tx: Transaction,
  { afterAt, afterId }: Pick<FindingPass, 'afterAt' | 'afterId'>,
  limit: number,
): Promise<UsersOfPart> {
  await useIndexScans(tx);
  // `offset 0`: one index lookup for each user, also in a table without statistics.
  const [part] = await tx.query<UsersOfPart>(
    `with part as materialized (
       select id, created_at, identity_id, connector_id, fields ?| '{manager_id,${machineAttributeField}}' or manager_id is not null as refers
         from source_records
        where tenant_id = $1 and kind = 'user' and status <> 'deleted' and (created_at, id) > ($2, $3)
        order by created_at, id limit $4)
     select coalesce(array_agg(id) filter (where refers or is_repeated), '{}') as ids, count(*)::int as count,
            max(created_at) as "afterAt", (array_agg(id order by created_at desc, id desc))[1] as "afterId"
       from part
      cross join lateral (
        select exists (select from (select id, kind, connector_id, status, content_hash from source_records
                                     where tenant_id = $1 and identity_id = part.identity_id offset 0) other
                        where other.id <> part.id and other.kind = 'user'
                          and (other.connector_id = part.connector_id or other.status = 'inactive' or (other.status = 'deleted' and other.content_hash = '')))
               or (select exists (select from contested_keys where tenant_id = $1))
                  and exists (select from contested_keys where tenant_id = $1 and record_id = part.id offset 0) as is_repeated
        offset 0) each`,
    [tx.tenantId, afterAt ?? '-infinity', afterId ?? lowestId, limit],
  );
  return part ?? { ids: [], count: 0, afterAt: null, afterId: null };
}

/** Returns the next accounts and machine identities. */
export async function findOthersAfter(tx: Transaction, afterId: string | null, limit: number): Promise<string[]> {
  await useIndexScans(tx);
  return tx.ids(
    `select id from source_records
      where tenant_id = $1 and kind <> 'user' and id > $2
      order by id limit $3`,
    [tx.tenantId, afterId ?? lowestId, limit],
  );
}
