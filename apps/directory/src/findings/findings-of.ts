import { encodeId, type FindingPolicy, findDefinition, findingSubjects, hasLeft, isRealDate } from '@idsync/contracts';
import type { NewEvent } from '@idsync/database/bus';
import type { FoundFinding, OtherFacts, SourceFacts, StoredFinding, UserFacts } from '@idsync/database/directory';
import { isNoReference } from '../managers/references.js';

const hourMs = 60 * 60 * 1_000;

/** Returns the findings about a present user. */
export function findingsOfUser(user: UserFacts): FoundFinding[] {
  const about = { subjectId: user.id, ...(user.identityId !== null && { identityId: user.identityId }) };
  const source = { connector_id: encodeId('connector', user.connectorId) };
  const findings: FoundFinding[] = [];
  if (user.earlierIds !== null) {
    const evidence = { ...source, earlier_user_ids: user.earlierIds.slice(0, mostListed).map(userId) };
    findings.push({ kind: 'duplicate_in_source', ...about, evidence });
  }
  if (user.leftUserId !== null && user.leftConnectorId !== null) {
    const evidence = {
      ...source,
      deleted_user_id: userId(user.leftUserId),
      deleted_connector_id: encodeId('connector', user.leftConnectorId),
      ...(user.leftAt && { left_at: user.leftAt.toISOString() }),
    };
    findings.push({ kind: 'leaver_in_other_source', ...about, evidence });
  }
  if (user.endedUserId !== null && user.endedConnectorId !== null) {
    const evidence = {
      ...source,
      ended_user_id: userId(user.endedUserId),
      ended_connector_id: encodeId('connector', user.endedConnectorId),
      ...(user.endedAt && { ended_at: user.endedAt.toISOString() }),
    };
    findings.push({ kind: 'employment_conflict', ...about, evidence });
  }
  if (user.machineAttribute !== null)
    findings.push({
      kind: 'user_looks_like_machine',
      ...about,
      evidence: { ...source, attribute: user.machineAttribute },
    });
  // The value itself may be an address of a person and is shown with the user.
  if (user.managerText !== null && user.managerId === null && !isNoReference(user.managerText))
    findings.push({ kind: 'unknown_manager', ...about, evidence: source });
  if (user.managerId !== null && user.managerId !== user.identityId && hasLeft({ status: user.managerStatus })) {
    const evidence = {
      ...source,
      manager_id: encodeId('identity', user.managerId),
      manager_status: user.managerStatus,
    };
    findings.push({ kind: 'unknown_manager', ...about, evidence });
  }
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
  return { kind: 'account_looks_like_machine', subjectId: id, ...(identityId !== null && { identityId }), evidence };
}

function accountFinding(account: OtherFacts, policy: FindingPolicy, now: Date): FoundFinding | undefined {
  const { id, identityId, identityStatus, connectorId, status, createdAt } = account;
  const evidence = { connector_id: encodeId('connector', connectorId), account_status: status };
  if (identityId === null) {
    const isWaiting = now.getTime() < createdAt.getTime() + policy.unmatched_account_hours * hourMs;
    const since = { since: createdAt.toISOString() };
    return isWaiting ? undefined : { kind: 'unmatched_account', subjectId: id, evidence: { ...evidence, ...since } };
  }
  if (!hasLeft({ status: identityStatus }) && !account.isReturning) return undefined;
  const ofAnother = account.caseId !== null && { case_id: encodeId('case', account.caseId) };
  return {
    kind: 'leaver_with_account',
    subjectId: id,
    identityId,
    evidence: { ...evidence, ...leaver(identityId, identityStatus, account), ...ofAnother },
  };
}

/** The owner by the source counts, because a leaver still knows the secret after a handover. */
function machineFinding(machine: OtherFacts): FoundFinding | undefined {
  const { id, ownerId, ownerStatus, connectorId, status, handedOver } = machine;
  const evidence = { connector_id: encodeId('connector', connectorId), machine_status: status };
  if (ownerId === null || ownerStatus === null) return { kind: 'machine_without_owner', subjectId: id, evidence };
  if (!hasLeft({ status: ownerStatus }) && !machine.isReturning) return undefined;
  return {
    kind: 'leaver_with_machine_secret',
    subjectId: id,
    identityId: ownerId,
    evidence: { ...evidence, ...leaver(ownerId, ownerStatus, machine), handed_over: handedOver },
  };
}

function leaver(identityId: string, status: string | null, facts: OtherFacts): Record<string, unknown> {
  const leftAt = timeOfLeaving(facts);
  return {
    identity_id: encodeId('identity', identityId),
    identity_status: status,
    ...(leftAt && { left_at: leftAt }),
  };
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
  const complete = source.completeAsOf && { complete_as_of: source.completeAsOf.toISOString() };
  const evidence = { ...complete, allowed_hours: allowedHours(source, policy) };
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
      ...(identityId && { identity_id: encodeId('identity', identityId) }),
      evidence,
      opened_at: openedAt.toISOString(),
      ...(resolvedAt && { resolved_at: resolvedAt.toISOString() }),
      ...(operationId && { operation_id: encodeId('operation', operationId) }),
    },
  };
}
