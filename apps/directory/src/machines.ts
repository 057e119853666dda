import type { PersonStatus } from '@idsync/contracts';

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
