import type { EventType, PersonStatus } from '@idsync/contracts';

const dayMs = 24 * 60 * 60 * 1_000;
/** How long somebody who left can come back before they count as deleted. */
export const graceMs = 30 * dayMs;
/** How long what is deleted can still be read. */
export const retentionMs = 30 * dayMs;

export interface LifecycleState {
  status: PersonStatus;
  since: Date;
}

/** What is known of a user's employment. */
export interface LifecycleFacts {
  /** The status its source gives; absent if it gives none. */
  said?: PersonStatus;
  hireDate?: Date;
}

/**
 * The status a user has at a moment. The source's word counts; what it leaves open, time decides: pending becomes active on
 * the hire date, and who was inactive for the grace period is deleted until the source says something better.
 */
export function nextStatus(before: LifecycleState | undefined, facts: LifecycleFacts, now: Date): PersonStatus {
  const hired = facts.hireDate === undefined || facts.hireDate <= now;
  switch (facts.said) {
    case undefined:
      return hired ? 'active' : 'pending';
    case 'pending':
      return facts.hireDate !== undefined && hired ? 'active' : 'pending';
    case 'inactive':
      return before !== undefined && hasLeftForGood(before, now) ? 'deleted' : 'inactive';
    default:
      return facts.said;
  }
}

function hasLeftForGood({ status, since }: LifecycleState, now: Date): boolean {
  if (status === 'deleted') return true;
  return status === 'inactive' && since.getTime() + graceMs <= now.getTime();
}

/** When time alone will change the state next; undefined if never. */
export function nextDue(state: LifecycleState, facts: LifecycleFacts): Date | undefined {
  if (state.status === 'pending') return facts.hireDate;
  if (state.status === 'inactive') return new Date(state.since.getTime() + graceMs);
  return undefined;
}

/** What a change of an identity's status means for the person: `from` is undefined for one that is new. */
export function lifecycleEvent(from: PersonStatus | undefined, to: PersonStatus): EventType | undefined {
  const had = from === 'active' || from === 'suspended';
  if (to === 'active' && (from === undefined || from === 'pending')) return 'lifecycle.joiner';
  if (to === 'active' && (from === 'inactive' || from === 'deleted')) return 'lifecycle.rejoiner';
  if (had && (to === 'inactive' || to === 'deleted')) return 'lifecycle.leaver';
  return undefined;
}
