// SQL by hand: the directory reads them for every batch.
import {
  defaultFindingPolicy,
  defaultLifecyclePolicy,
  defaultMatchingRules,
  type FindingPolicy,
  type LifecyclePolicy,
  type MatchingRules,
  type TenantQuotas,
} from '@idsync/contracts';
import type { Transaction } from '../database.js';
import { FindingPolicyEntity } from '../entities/findings.entities.js';
import type { AttributePriorityEntity } from '../entities/history.entities.js';
import { findRow } from '../rows.js';

export type AttributePriority = Pick<AttributePriorityEntity, 'field' | 'connectorId' | 'priority'>;

export async function findAttributePriorities(tx: Transaction): Promise<AttributePriority[]> {
  return tx.query<AttributePriority>(
    `select field, connector_id as "connectorId", priority from attribute_priorities
      where tenant_id = $1 order by field, priority, connector_id`,
    [tx.tenantId],
  );
}

/** Returns the tenant's settings for findings, with the default of each field that it lacks. */
export async function findFindingPolicy(tx: Transaction): Promise<FindingPolicy> {
  const row = await findRow(tx, FindingPolicyEntity, { where: { tenantId: tx.tenantId } });
  return { ...defaultFindingPolicy, ...row?.policy };
}

/** Returns the tenant's policy, with the default of each field that it lacks. */
export async function findLifecyclePolicy(tx: Transaction): Promise<LifecyclePolicy> {
  const [row] = await tx.query<{ policy: Partial<LifecyclePolicy> }>(
    'select policy from lifecycle_policies where tenant_id = $1',
    [tx.tenantId],
  );
  return { ...defaultLifecyclePolicy, ...row?.policy };
}

/** Returns the tenant's rules, with the default of each field that they lack; undefined if the defaults apply. */
export async function findMatchingRules(tx: Transaction): Promise<MatchingRules | undefined> {
  const [row] = await tx.query<{ rules: Partial<MatchingRules> }>(
    'select rules from matching_rules where tenant_id = $1',
    [tx.tenantId],
  );
  return row && { ...defaultMatchingRules, ...row.rules };
}

/** Returns earlier rules by which some records are still matched. */
export async function findFormerRules(tx: Transaction): Promise<MatchingRules[]> {
  const [row] = await tx.query<{ former: MatchingRules[] | null }>(
    'select former from matching_rules where tenant_id = $1 and former is not null',
    [tx.tenantId],
  );
  return row?.former ?? [];
}

/** Returns the limits of the tenant; an absent one is unlimited. */
export async function findTenantQuotas(tx: Transaction): Promise<TenantQuotas> {
  const [row] = await tx.query<{ quotas: TenantQuotas }>('select quotas from tenant_quotas where tenant_id = $1', [
    tx.tenantId,
  ]);
  return row?.quotas ?? {};
}

/** Counts the users that are not deleted. */
export async function countPeople(tx: Transaction): Promise<number> {
  return tx.count(
    `select coalesce(sum(count), 0)::int as count from directory_counters
      where tenant_id = $1 and resource = 'user' and status <> 'deleted'`,
    [tx.tenantId],
  );
}

/** Counts all identities, deleted ones too. */
export async function countIdentities(tx: Transaction): Promise<number> {
  return tx.count(
    `select coalesce(sum(count), 0)::int as count from directory_counters where tenant_id = $1 and resource = 'identity'`,
    [tx.tenantId],
  );
}

/** Counts the people with access: active identities, of which there are more than users where machines have their own. */
export async function countActivePeople(tx: Transaction): Promise<number> {
  return tx.count(
    `select least(coalesce(sum(count) filter (where resource = 'identity' and status = 'active'), 0),
                  coalesce(sum(count) filter (where resource = 'user' and status <> 'deleted'), 0))::int as count
       from directory_counters where tenant_id = $1`,
    [tx.tenantId],
  );
}

/** Makes the directory look at a tenant in `seconds`, in the transaction that adds work for it. */
export async function noteDue(tx: Transaction, seconds = 0): Promise<void> {
  await tx.query(
    `insert into due_tenants (tenant_id, next_at, notes) values ($1, now() + make_interval(secs => $2), 1)
     on conflict (tenant_id) do update
        set next_at = least(due_tenants.next_at, excluded.next_at), notes = due_tenants.notes + 1`,
    [tx.tenantId, seconds],
  );
}
