import { isDeepStrictEqual } from 'node:util';
import type { MachineReference, PersonStatus } from '@idsync/contracts';
import type { MachineState, StoredReference } from '@idsync/database';
import { assessRisk } from '../machine-risk.js';
import { type Custody, machineStatus } from '../machines.js';
import type { RecordChange } from '../record-change.js';
import { isTombstone } from './record-keys.js';
import type { NamedPerson } from './resolve-references.js';

/** Whom a machine means in a role. */
export interface Found {
  identityId?: string;
  /** True if the API shows who it is, in the place of what the source wrote. */
  shown: boolean;
}

/**
 * Whose a machine is: where an operator put it, else whom its source names as the owner, else who has its keys, else whoever
 * it was, as long as nothing else is said.
 */
export function ownerOf(
  { record, before, placed }: RecordChange,
  { value }: NamedPerson,
  stored: StoredReference | undefined,
  named: string | undefined,
  keyed: string | undefined,
  keeps: (stored: StoredReference | undefined, value: string | undefined) => string | undefined,
  statuses: ReadonlyMap<string, PersonStatus>,
): Found {
  const put = placed || record.identityId !== before?.identityId || record.decided !== before?.decided;
  const there = record.identityId !== undefined && statuses.has(record.identityId) ? record.identityId : undefined;
  if (record.decided) return { identityId: put ? there : (stored?.identityId ?? there), shown: true };
  if (named !== undefined) return { identityId: named, shown: true };
  if (keyed !== undefined) return { identityId: keyed, shown: value === undefined };
  // Before references were kept, where a machine stood told whose it was.
  const isFirst = before && !record.machine && !stored;
  if (placed || before?.decided || (isFirst && there)) return { identityId: there, shown: value === undefined };
  const kept = keeps(stored, value);
  return { identityId: kept, shown: value === undefined || record.machine?.people.owned_by !== undefined };
}

/** Writes on a machine what it is from now on; one that stays as it was is not touched. */
export function settleMachine(
  change: RecordChange,
  { keeperId, handedOver, status: keeper }: Custody,
  found: ReadonlyMap<MachineReference, Found>,
  statuses: ReadonlyMap<string, PersonStatus>,
  now: Date,
): void {
  const { record } = change;
  const people: MachineState['people'] = {};
  for (const [role, { identityId, shown }] of found) {
    if (shown && identityId !== undefined && statuses.has(identityId)) people[role] = identityId;
  }
  if (handedOver && keeperId !== undefined) people.owned_by = keeperId;
  const status = isTombstone(record) ? 'decommissioned' : machineStatus(record.fields.status?.[0], keeper);
  const risk = assessRisk({ status, hasActiveOwner: keeper === 'active', fields: record.fields }, now);
  const machine: MachineState = { people, handedOver, risk };
  if (status === record.status && isDeepStrictEqual(machine, record.machine)) return;
  change.record = { ...record, status, machine, updatedAt: now };
}
