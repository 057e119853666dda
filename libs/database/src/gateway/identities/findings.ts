// SQL by hand: ranges of one index merged, with the names of different subjects.
import {
  type FindingKind,
  type FindingPolicy,
  type FindingState,
  findingKinds,
  findingStates,
  findingSubjects,
} from '@idsync/contracts';
import { texts } from '../../arrays.js';
import type { Transaction } from '../../database.js';
import { type FindingEntity, FindingPolicyEntity } from '../../entities/findings.entities.js';
import { lowestId } from '../../rows.js';
import { noteDue } from '../../settings/tenant-settings.js';
import { useIndexScans } from '../../transaction-settings.js';
import { maxCounted } from '../page.js';

export interface FindingRow extends Omit<FindingEntity, 'tenantId' | 'tenant'> {
  /** Name and connector of the subject, while it exists. */
  name: string | null;
  connectorId: string | null;
}

export interface FindingFilter {
  limit: number;
  kind?: FindingKind;
  state?: FindingState;
  /** A record or connector. */
  subjectId?: string;
  identityId?: string;
  since?: Date;
  /** Findings before this one. */
  beforeId?: string;
}

const subjectsThatAre = (kinds: readonly string[]) =>
  findingKinds.filter((kind) => kinds.includes(findingSubjects[kind])).map((kind) => `'${kind}'`);

const shown = (page: string) => `
  select f.id, f.kind, f.subject_id as "subjectId", f.identity_id as "identityId", f.evidence, f.state,
         f.opened_at as "openedAt", f.resolved_at as "resolvedAt", f.accepted_by as "acceptedBy",
         f.accepted_reason as "acceptedReason", f.accepted_at as "acceptedAt", f.accepted_until as "acceptedUntil",
         coalesce(r.name, c.name, i.name) as name,
         coalesce(r.connector_id, c.id) as "connectorId"
    from (${page}) as f
    left join lateral (
      select connector_id, coalesce(fields -> 'display_name' ->> 0,
                                    nullif(concat_ws(' ', fields -> 'first_name' ->> 0, fields -> 'last_name' ->> 0), ''),
                                    external_id) as name
        from source_records where tenant_id = $1 and id = f.subject_id limit 1) r
      on f.kind in (${subjectsThatAre(['user', 'account', 'machineIdentity'])})
    left join lateral (select id, name from connectors where tenant_id = $1 and id = f.subject_id limit 1) c
      on f.kind in (${subjectsThatAre(['connector'])})
    left join lateral (
      select display_name as name from identities where tenant_id = $1 and id = f.subject_id limit 1) i
      on f.kind in (${subjectsThatAre(['identity'])})`;

export async function findFinding(tx: Transaction, id: string): Promise<FindingRow | undefined> {
  return tx.row<FindingRow>(shown('select * from findings where tenant_id = $1 and id = $2'), [tx.tenantId, id]);
}

const highest = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Lists findings, the newest first, with one more than the limit if more follow. */
export async function listFindings(tx: Transaction, filter: FindingFilter): Promise<FindingRow[]> {
  await useIndexScans(tx);
  const kinds = filter.kind ? [filter.kind] : findingKinds;
  const states = filter.state ? [filter.state] : findingStates;
  const aboutOne = filter.subjectId ?? filter.identityId;
  const values = [
    tx.tenantId,
    texts(states),
    texts(kinds),
    filter.since ? firstIdAt(filter.since) : lowestId,
    filter.beforeId ?? highest,
    filter.since ?? '-infinity',
    filter.limit + 1,
  ];
  const range = 'id >= $4 and id < $5 and opened_at >= $6 order by id desc limit $7';
  const page = aboutOne
    ? `select * from findings where tenant_id = $1 and ${filter.subjectId ? 'subject_id' : 'identity_id'} = $8
          and state = any($2) and kind = any($3) and ${range}`
    : `select each.* from unnest($2::text[]) as s (state) cross join unnest($3::text[]) as k (kind)
        cross join lateral (
          select * from findings where tenant_id = $1 and state = s.state and kind = k.kind and ${range}) each
        order by each.id desc limit $7`;
  return tx.query(`${shown(page)} order by f.id desc`, aboutOne ? [...values, aboutOne] : values);
}

/** Counts the open findings of each kind, up to one more than `maxCounted`. */
export async function countOpenFindings(tx: Transaction): Promise<{ kind: FindingKind; count: number }[]> {
  await useIndexScans(tx);
  return tx.query(
    `select kind, (select count(*) from (
              select from findings where tenant_id = $1 and state = 'open' and kind = each.kind
               order by id limit ${maxCounted + 1}) as found) as count
       from unnest($2::text[]) with ordinality as each (kind, place) order by place`,
    [tx.tenantId, texts(findingKinds)],
  );
}

/** The lowest id that a finding of this time may have: ids begin with the milliseconds of their creation. */
function firstIdAt(time: Date): string {
  const hex = Math.max(0, time.getTime()).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-0000-0000-000000000000`;
}

export async function saveFindingPolicy(tx: Transaction, policy: FindingPolicy): Promise<void> {
  await tx.manager.upsert(FindingPolicyEntity, { tenantId: tx.tenantId, policy, updatedAt: new Date() }, ['tenantId']);
  await noteDue(tx);
}
