import { isDeepStrictEqual } from 'node:util';
import type { MachineReference, PersonStatus } from '@idsync/contracts';
import type { MachineState } from '@idsync/database/directory';
import type { RecordChange } from '../changes/record-change.js';
import { isTombstone } from '../matching/record-keys.js';
import { assessRisk } from './machine-risk.js';

/** Resolved reference of a machine in a role. */
export interface Found {
  identityId?: string;
  /** True if the API shows the identity id instead of the source's text. */
  shown: boolean;
}

/**
 * Returns the owner of a machine: by a manual link, else by the source's owner reference, else by match keys, else the
 * previous owner while its reference is unchanged.
 */
export function ownerOf(
  { record, before, placed }: RecordChange,
  value: string | undefined,
  { named, keyed, earlier, kept }: Partial<Record<'named' | 'keyed' | 'earlier' | 'kept', string | undefined>>,
  statuses: ReadonlyMap<string, PersonStatus>,
): Found {
  const isMoved = placed || record.identityId !== before?.identityId || record.decided !== before?.decided;
  const currentId = record.identityId !== undefined && statuses.has(record.identityId) ? record.identityId : undefined;
  if (record.decided) return { identityId: isMoved ? currentId : (earlier ?? currentId), shown: true };
  if (named !== undefined) return { identityId: named, shown: true };
  if (keyed !== undefined) return { identityId: keyed, shown: value === undefined };
  if (placed || before?.decided) return { identityId: currentId, shown: value === undefined };
  return { identityId: kept, shown: value === undefined || record.machine?.people.owned_by !== undefined };
}

/** Updates status, people and risk of a machine, if one of them changes. */
export function settleMachine(
  change: RecordChange,
  { ownerId, handedOver, status: ownerStatus }: EffectiveOwner,
  found: ReadonlyMap<MachineReference, Found>,
  statuses: ReadonlyMap<string, PersonStatus>,
  now: Date,
): void {
  const { record } = change;
  const people: MachineState['people'] = {};
  for (const [role, { identityId, shown }] of found) {
    if (shown && identityId !== undefined && statuses.has(identityId)) people[role] = identityId;
  }
  if (handedOver && ownerId !== undefined) people.owned_by = ownerId;
  const status = isTombstone(record) ? 'decommissioned' : machineStatus(record.fields.status?.[0], ownerStatus);
  const risk = assessRisk({ status, hasActiveOwner: ownerStatus === 'active', fields: record.fields }, now);
  const machine: MachineState = { people, handedOver, risk };
  if (status === record.status && isDeepStrictEqual(machine, record.machine)) return;
  change.record = { ...record, status, machine, updatedAt: now };
}

/** Identity that a machine refers to; without a status if it is no longer in the directory. */
export interface PersonState {
  id: string;
  status?: PersonStatus;
}

/** Effective owner of a machine. */
export interface EffectiveOwner {
  /** Absent if the machine has no owner; it then is its own identity. */
  ownerId?: string;
  /** True if the technical inheritor replaces an owner without access. */
  handedOver: boolean;
  status?: PersonStatus;
}

/** True without access: suspended, inactive, deleted or removed. */
function hasLeft({ status }: PersonState): boolean {
  return status !== 'active' && status !== 'pending';
}

/**
 * Returns the effective owner: the owner, or an active technical inheritor while the owner has no access. Without a
 * resolved owner there is none. Depends on the current state only, not on its history.
 */
export function effectiveOwner(owner: PersonState | undefined, inheritor: PersonState | undefined): EffectiveOwner {
  if (!owner) return { handedOver: false };
  if (hasLeft(owner) && inheritor?.status === 'active') {
    return { ownerId: inheritor.id, handedOver: true, status: 'active' };
  }
  if (owner.status === undefined) return { handedOver: false };
  return { ownerId: owner.id, handedOver: false, status: owner.status };
}

/** A machine is orphaned if no active person owns it, unless its source has disabled or decommissioned it. */
export function machineStatus(sourceStatus: string | undefined, owner: PersonStatus | undefined): string {
  if (sourceStatus === 'disabled' || sourceStatus === 'decommissioned') return sourceStatus;
  return owner === 'active' ? 'active' : 'orphaned';
}
