import {
  encodeId,
  type FindingKind,
  type FindingPolicy,
  findDefinition,
  findingSubjects,
  hasLeft,
  isRealDate,
} from '@idsync/contracts';
import type { NewEvent } from '@idsync/database/bus';
import type { FoundFinding, OtherFacts, SourceFacts, StoredFinding, UserFacts } from '@idsync/database/directory';
import { isNoReference } from '../managers/references.js';

const hourMs = 60 * 60 * 1_000;

/** Returns the findings about a present user. */
export function findingsOfUser(user: UserFacts): FoundFinding[] {
  const findings: FoundFinding[] = [];
  const add = (kind: FindingKind, evidence: object = {}) =>
    findings.push({
      kind,
      subjectId: user.id,
      identityId: user.identityId ?? undefined,
      evidence: { connector_id: encodeId('connector', user.connectorId), ...evidence },
    });
  if (user.earlierIds !== null)
    add('duplicate_in_source', { earlier_user_ids: user.earlierIds.slice(0, mostListed).map(userId) });
  if (user.leftUserId !== null && user.leftConnectorId !== null)
    add('leaver_in_other_source', {
      deleted_user_id: userId(user.leftUserId),
      deleted_connector_id: encodeId('connector', user.leftConnectorId),
      left_at: user.leftAt?.toISOString(),
    });
  if (user.endedUserId !== null && user.endedConnectorId !== null)
    add('employment_conflict', {
      ended_user_id: userId(user.endedUserId),
      ended_connector_id: encodeId('connector', user.endedConnectorId),
      ended_at: user.endedAt?.toISOString(),
    });
  if (user.machineAttribute !== null) add('user_looks_like_machine', { attribute: user.machineAttribute });
  // The value itself may be an address of a person and is shown with the user.
  if (user.managerText !== null && user.managerId === null && !isNoReference(user.managerText)) add('unknown_manager');
  if (user.managerId !== null && user.managerId !== user.identityId && hasLeft({ status: user.managerStatus }))
    add('unknown_manager', {
      manager_id: encodeId('identity', user.managerId),
      manager_status: user.managerStatus,
    });
  return findings;
}

/** Bounds the evidence about a source that repeats a person very often. */
const mostListed = 20;
const userId = (id: string) => encodeId('user', id);

/** Returns the finding about a cycle of managers, which begins with its lowest id. */
export function cycleFinding({ identityId, path }: { identityId: string; path: readonly string[] }): FoundFinding {
  const evidence = { manager_ids: path.map((id) => encodeId('identity', id)) };
  return { kind: 'manager_cycle', subjectId: identityId, identityId, evidence };
}

/** Returns the findings about an account or a machine identity that can be used. */
export function findingsOfOther(other: OtherFacts, policy: FindingPolicy, now: Date): FoundFinding[] {
  const found = other.kind === 'account' ? accountFinding(other, policy, now) : machineFinding(other);
  return [found, likeMachine(other)].flatMap((each) => each ?? []);
}

function likeMachine({ id, kind, identityId, connectorId, machineAttribute }: OtherFacts): FoundFinding | undefined {
  if (machineAttribute === null || kind !== 'account') return undefined;
  const evidence = { connector_id: encodeId('connector', connectorId), attribute: machineAttribute };
  return { kind: 'account_looks_like_machine', subjectId: id, identityId: identityId ?? undefined, evidence };
}

function accountFinding(account: OtherFacts, policy: FindingPolicy, now: Date): FoundFinding | undefined {
  const { id, identityId, identityStatus, connectorId, status, createdAt } = account;
  const evidence = { connector_id: encodeId('connector', connectorId), account_status: status };
  if (identityId === null) {
    const isWaiting = now.getTime() < createdAt.getTime() + policy.unmatched_account_hours * hourMs;
    const since = createdAt.toISOString();
    return isWaiting ? undefined : { kind: 'unmatched_account', subjectId: id, evidence: { ...evidence, since } };
  }
  if (!hasLeft({ status: identityStatus }) && !account.isReturning) return undefined;
  const case_id = account.caseId === null ? undefined : encodeId('case', account.caseId);
  const left = leaver(identityId, identityStatus, account);
  return { kind: 'leaver_with_account', subjectId: id, identityId, evidence: { ...evidence, ...left, case_id } };
}

/** The owner by the source counts, because a leaver still knows the secret after a handover. */
function machineFinding(machine: OtherFacts): FoundFinding | undefined {
  const { id, ownerId, ownerStatus, connectorId, status, handedOver } = machine;
  const evidence = { connector_id: encodeId('connector', connectorId), machine_status: status };
  if (ownerId === null || ownerStatus === null) return { kind: 'machine_without_owner', subjectId: id, evidence };
  if (!hasLeft({ status: ownerStatus }) && !machine.isReturning) return undefined;
  const left = { ...leaver(ownerId, ownerStatus, machine), handed_over: handedOver };
  return {
    kind: 'leaver_with_machine_secret',
    subjectId: id,
    identityId: ownerId,
    evidence: { ...evidence, ...left },
  };
}

function leaver(identityId: string, status: string | null, facts: OtherFacts): object {
  return { identity_id: encodeId('identity', identityId), identity_status: status, left_at: timeOfLeaving(facts) };
}

/** Returns the termination date if it was over when idsync recorded that the person had left, else that time. */
function timeOfLeaving({ leftAt, hireDate, terminationDates }: OtherFacts): string | undefined {
  const recordedAt = leftAt?.toISOString();
  const endedAt = terminationDates?.find(isRealDate);
  if (recordedAt === undefined || endedAt === undefined) return recordedAt;
  const isOfEarlierEmployment = hireDate !== null && endedAt < hireDate;
  return endedAt < recordedAt && !isOfEarlierEmployment ? endedAt : recordedAt;
}

/** Returns the finding about a source that has not been read completely for too long. */
export function findingOfSource(source: SourceFacts, policy: FindingPolicy, now: Date): FoundFinding | undefined {
  const staleAt = staleTime(source, policy);
  if (staleAt === undefined || now < staleAt) return undefined;
  const evidence = {
    complete_as_of: source.completeAsOf?.toISOString(),
    allowed_hours: allowedHours(source, policy),
  };
  return { kind: 'stale_source', subjectId: source.id, evidence };
}

/** Returns when a source becomes stale unless it is read completely; never, if a provider pushes every deletion to it. */
export function staleTime(source: SourceFacts, policy: FindingPolicy): Date | undefined {
  if (findDefinition(source.type)?.isPushed) return undefined;
  const since = source.completeAsOf ?? source.createdAt;
  return new Date(since.getTime() + allowedHours(source, policy) * hourMs);
}

function allowedHours({ id }: SourceFacts, policy: FindingPolicy): number {
  const own = policy.connector_stale_hours.find(({ connector_id }) => connector_id === id);
  return own?.hours ?? policy.stale_source_hours;
}

/** Returns the event of a finding, which contains ids and statuses only, so that an erasure need not change it. */
export function findingEvent(finding: StoredFinding, operationId?: string): NewEvent {
  const { id, kind, state, subjectId, identityId, evidence, openedAt, resolvedAt } = finding;
  return {
    type: state === 'resolved' ? 'finding.resolved' : 'finding.opened',
    subjectId: id,
    details: {
      id: encodeId('finding', id),
      kind,
      state,
      subject_id: encodeId(findingSubjects[kind], subjectId),
      identity_id: identityId ? encodeId('identity', identityId) : undefined,
      evidence,
      opened_at: openedAt.toISOString(),
      resolved_at: resolvedAt?.toISOString(),
      operation_id: operationId && encodeId('operation', operationId),
    },
  };
}
