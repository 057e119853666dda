import type {
  ApprovalStatus,
  CaseStatus,
  DeliveryStatus,
  FindingKind,
  FindingState,
  JobStatus,
  OperatorRole,
  PersonStatus,
  responses,
} from '@idsync/contracts';

// Values of options. They are repeated here, checked by their types, because loading the contracts takes most of the
// start of a command.

export const personStatuses = namesOf<PersonStatus>({
  pending: true,
  active: true,
  suspended: true,
  inactive: true,
  deleted: true,
});

export const accountStatuses = namesOf<responses.Account['status']>({
  active: true,
  disabled: true,
  locked: true,
  deleted: true,
});

export const machineStatuses = namesOf<responses.MachineIdentity['status']>({
  active: true,
  disabled: true,
  orphaned: true,
  decommissioned: true,
});

export const machineClassifications = namesOf<responses.MachineIdentity['classification']>({
  service_account: true,
  api_key: true,
  oauth_app: true,
  workload: true,
  bot: true,
  ci_cd: true,
  ai_agent: true,
  unknown: true,
});

export const jobStatuses = namesOf<JobStatus>({
  queued: true,
  running: true,
  quarantined: true,
  completed: true,
  completed_with_errors: true,
  failed: true,
  cancelled: true,
});

export const deliveryStatuses = namesOf<DeliveryStatus>({ pending: true, delivered: true, dead: true });

export const caseStatuses = namesOf<CaseStatus>({ open: true, linked: true, new: true, ignored: true, settled: true });

export const findingKinds = namesOf<FindingKind>({
  leaver_with_account: true,
  leaver_with_machine_secret: true,
  unmatched_account: true,
  duplicate_in_source: true,
  machine_without_owner: true,
  stale_source: true,
  unknown_manager: true,
  manager_cycle: true,
  leaver_in_other_source: true,
  user_looks_like_machine: true,
  account_looks_like_machine: true,
  employment_conflict: true,
});

export const findingStates = namesOf<FindingState>({ open: true, accepted: true, resolved: true });

export const approvalStatuses = namesOf<ApprovalStatus>({
  pending: true,
  approved: true,
  rejected: true,
  stale: true,
  expired: true,
});

export const operatorRoles = namesOf<OperatorRole>({ viewer: true, operator: true, auditor: true, admin: true });

function namesOf<Name extends string>(names: Record<Name, true>): Name[] {
  return Object.keys(names) as Name[];
}
