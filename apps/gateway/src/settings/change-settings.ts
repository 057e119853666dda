import { isDeepStrictEqual } from 'node:util';
import { settingParts, type TenantSettings, type TenantSettingsPatch } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import {
  findOperatorPolicy,
  type OperationRow,
  requestOperation,
  saveFindingPolicy,
  saveOperatorPolicy,
} from '@idsync/database/gateway';
import { findFindingPolicy, findLifecyclePolicy } from '@idsync/database/settings';
import {
  connectorsOf,
  presentFindingPolicy,
  presentLifecyclePolicy,
  requireConnectors,
  storedFindingPolicy,
  storedLifecyclePolicy,
} from './rule-inputs.js';

/** Reads the settings of the three stores as one resource. */
export async function findSettings(tx: Transaction): Promise<TenantSettings> {
  return {
    ...presentLifecyclePolicy(await findLifecyclePolicy(tx)),
    ...presentFindingPolicy(await findFindingPolicy(tx)),
    ...(await findOperatorPolicy(tx)),
  };
}

/** Returns whether a patch changes the rules for dates, which the directory applies with an operation. */
export function changesLifecycle(before: TenantSettings, patch: TenantSettingsPatch): boolean {
  return changes(before, patch, 'lifecycle');
}

/** Returns whether a patch needs a second operator where the tenant has four eyes. */
export function isGuarded(before: TenantSettings, patch: TenantSettingsPatch): boolean {
  return changes(before, patch, 'lifecycle') || changes(before, patch, 'operators');
}

/** Saves changed settings, and returns the operation that applies changed rules for dates. */
export async function changeSettings(tx: Transaction, patch: TenantSettingsPatch): Promise<OperationRow | undefined> {
  const before = await findSettings(tx);
  const after = { ...before, ...patch };
  const part = (name: keyof typeof settingParts) => partOf(after, name) as never;
  if (changes(before, patch, 'findings')) {
    const policy = storedFindingPolicy(part('findings'));
    await requireConnectors(tx, idsOf(policy.connector_stale_hours));
    await saveFindingPolicy(tx, policy);
  }
  if (changes(before, patch, 'operators')) await saveOperatorPolicy(tx, part('operators'));
  if (!changes(before, patch, 'lifecycle')) return undefined;
  const policy = storedLifecyclePolicy(part('lifecycle'));
  await requireConnectors(tx, connectorsOf(policy));
  return requestOperation(tx, 'lifecycle.change', { policy });
}

function changes(before: TenantSettings, patch: TenantSettingsPatch, name: keyof typeof settingParts): boolean {
  return !isDeepStrictEqual(partOf(before, name), partOf({ ...before, ...patch }, name));
}

function partOf(settings: TenantSettings, name: keyof typeof settingParts): object {
  return Object.fromEntries(Object.entries(settings).filter(([field]) => settingParts[name].includes(field)));
}

const idsOf = (list: readonly { connector_id: string }[]) => list.map(({ connector_id }) => connector_id);
