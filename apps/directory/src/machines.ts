import type { PersonStatus } from '@idsync/contracts';

/** Somebody a machine names; without a status if they are in the directory no more. */
export interface Standing {
  id: string;
  status?: PersonStatus;
}

/** Who answers for a machine at present. */
export interface Custody {
  /** Absent: nobody, and it stands on its own. */
  keeperId?: string;
  /** The technical inheritor stands in for an owner who left. */
  handedOver: boolean;
  status?: PersonStatus;
}

/** "No access": suspended, inactive, deleted, or gone altogether. */
function hasLeft({ status }: Standing): boolean {
  return status !== 'active' && status !== 'pending';
}

/**
 * Its owner answers for a machine. While they have left, an active technical inheritor does; the owner who comes back has it
 * again, as their source still says. An owner nobody has heard of yet has not left. It follows from how things stand, not
 * from how they came about.
 */
export function custodyOf(owner: Standing | undefined, inheritor: Standing | undefined): Custody {
  if (!owner) return { handedOver: false };
  if (hasLeft(owner) && inheritor?.status === 'active') {
    return { keeperId: inheritor.id, handedOver: true, status: 'active' };
  }
  if (owner.status === undefined) return { handedOver: false };
  return { keeperId: owner.id, handedOver: false, status: owner.status };
}

/** A machine identity that works but that no active person owns is orphaned; what its source switched off stays off. */
export function machineStatus(said: string | undefined, owner: PersonStatus | undefined): string {
  if (said === 'disabled' || said === 'decommissioned') return said;
  return owner === 'active' ? 'active' : 'orphaned';
}
