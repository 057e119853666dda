// The parts of the code that `npm run mutants` changes, each with the specs that must notice. Specs run in this order:
// the fast ones first, and a mutant that one of them noticed is not tried with the next.

/** @type {Record<string, { sources: string[], without?: string[], specs: string[] }>} */
export const areas = {
  matching: {
    sources: ['apps/directory/src/{matching,machines}/*.ts'],
    specs: [
      'apps/directory/src/{matching,machines}/*.spec.ts',
      'apps/directory/src/matching/{propose-matches,match-keys,addresses}.int.spec.ts',
      'apps/directory/src/operations/{review,operations,merge-and-split}.int.spec.ts',
      'apps/directory/src/{machines/machines,batch/apply-batch}.int.spec.ts',
      'apps/directory/src/sweep/sweep.int.spec.ts',
    ],
  },
  lifecycle: {
    sources: [
      'apps/directory/src/lifecycle/*.ts',
      'apps/directory/src/changes/{settle-identities,describe-changes,field-changes}.ts',
      'apps/directory/src/{render/merge-attributes,shared/collections,background/due-work}.ts',
    ],
    specs: [
      'apps/directory/src/lifecycle/*.spec.ts',
      'apps/directory/src/changes/{settle-identities,describe-changes,field-changes}.spec.ts',
      'apps/directory/src/{render/merge-attributes,render/documents,shared/collections}.spec.ts',
      'apps/directory/src/{background/due-work,batch/apply-batch,operations/merge-and-split}.int.spec.ts',
    ],
  },
  sweep: {
    sources: [
      'apps/directory/src/sweep/*.ts',
      'apps/sync-worker/src/{job-messages,choose-mode,job-counts}.ts',
    ],
    without: ['apps/directory/src/sweep/plan*.ts'],
    specs: [
      'apps/directory/src/sweep/*.spec.ts',
      'apps/sync-worker/src/{choose-mode,jobs}.spec.ts',
      'apps/directory/src/sweep/{sweep,special-jobs,external-ids,additions}.int.spec.ts',
      'apps/directory/src/batch/limits.int.spec.ts',
      'apps/sync-worker/src/{progress-and-sweeps,jobs}.int.spec.ts',
    ],
  },
  plans: {
    sources: [
      'apps/directory/src/sweep/plan*.ts',
      'apps/directory/src/operations/apply-plan.ts',
      'libs/database/src/directory/{plans,delete-planned}.ts',
    ],
    specs: [
      'libs/database/src/directory/keys-and-references.int.spec.ts',
      'apps/directory/src/sweep/{special-jobs,additions,sweep}.int.spec.ts',
      'apps/directory/src/batch/limits.int.spec.ts',
      'apps/directory/src/operations/{erase-identity,erase-references}.int.spec.ts',
    ],
  },
  leases: {
    sources: [
      'libs/database/src/sync/{leases,jobs,sweeps,schedules}.ts',
      'apps/sync-worker/src/{keep-lease,claim-job,scheduled-runs,job-counts,divide-by-weight}.ts',
      'libs/runtime/src/next-run.ts',
    ],
    specs: [
      'apps/sync-worker/src/{jobs,divide-by-weight}.spec.ts',
      'libs/runtime/src/next-run.spec.ts',
      'libs/database/src/sync/schedules.int.spec.ts',
      'apps/sync-worker/src/{jobs,scheduling,chores,progress-and-sweeps}.int.spec.ts',
    ],
  },
  bus: {
    sources: ['libs/messaging/src/*.ts', 'libs/messaging/src/postgres/*.ts', 'libs/database/src/bus/*.ts'],
    without: ['libs/messaging/src/{metrics,index}.ts'],
    specs: [
      'libs/messaging/src/{handlers,housekeeping,service-checks}.spec.ts',
      'libs/messaging/src/postgres/*.spec.ts',
      'libs/messaging/src/postgres/claim-messages.int.spec.ts',
      'libs/messaging/src/relay-lease.int.spec.ts',
      'libs/database/src/bus/bus.int.spec.ts',
      'libs/messaging/src/{bus-contract,bus.module,service-checks}.int.spec.ts',
    ],
  },
  delivery: {
    sources: [
      'apps/webhook-dispatcher/src/delivery/*.ts',
      'apps/webhook-dispatcher/src/sending/*.ts',
      'apps/webhook-dispatcher/src/{sign,fan-out,match-subscription,housekeeping.service}.ts',
      'libs/database/src/delivery/*.ts',
      'libs/runtime/src/outbound/*.ts',
    ],
    without: ['libs/database/src/delivery/{replays,erase-payloads}.ts'],
    specs: [
      'apps/webhook-dispatcher/src/delivery/*.spec.ts',
      'apps/webhook-dispatcher/src/{sign,match-subscription}.spec.ts',
      'apps/webhook-dispatcher/src/sending/*.spec.ts',
      'libs/runtime/src/outbound/*.spec.ts',
      'libs/database/src/delivery/*.int.spec.ts',
      'apps/webhook-dispatcher/src/{fan-out,chores}.int.spec.ts',
      'apps/webhook-dispatcher/src/sending/http-sender.int.spec.ts',
      'apps/webhook-dispatcher/src/delivery/{delivery-engine.service,isolation}.int.spec.ts',
    ],
  },
  auth: {
    sources: ['apps/gateway/src/access/*.ts', 'libs/database/src/gateway/access/api-keys.ts'],
    specs: [
      'apps/gateway/src/access/*.spec.ts',
      'apps/gateway/src/access/{access,api-keys,operator-roles,sessions}.int.spec.ts',
      'apps/gateway/src/webhooks/portal-links.int.spec.ts',
    ],
  },
  tenancy: {
    sources: [
      'libs/database/src/{database,run-transaction,by-tenant,data-source,service-client,fair-shares,sql-state}.ts',
      'libs/database/src/transaction-with-lock-retries.ts',
    ],
    specs: [
      'libs/database/src/{by-tenant,data-source,service-client,database,fair-shares,sql-state}.spec.ts',
      'libs/database/src/migrations.spec.ts',
      'libs/database/src/{statements,tenant-isolation,database}.int.spec.ts',
    ],
  },
  reads: {
    sources: ['libs/database/src/{read-replica,often-used,single-statement}.ts'],
    specs: [
      'libs/database/src/{often-used,read-replica}.spec.ts',
      'libs/database/src/{statements,read-replica}.int.spec.ts',
    ],
  },
  scim: {
    sources: ['apps/gateway/src/scim/*.ts', 'libs/database/src/scim/*.ts'],
    specs: [
      'apps/gateway/src/scim/*.spec.ts',
      'libs/database/src/scim/*.int.spec.ts',
      'apps/gateway/src/scim/*.int.spec.ts',
    ],
  },
  parsing: {
    sources: [
      'libs/connectors/src/{csv,ldif,json,jsonl}/*.ts',
      'libs/connectors/src/{transform,map-record,read-text,read-pages}.ts',
      'libs/connectors/src/http/paging.ts',
      'libs/connectors/src/ldap/{parse-filter,ldap-messages,account-state}.ts',
      'libs/contracts/src/parse-date.ts',
    ],
    specs: [
      'libs/connectors/src/{csv,ldif,json,jsonl}/*.spec.ts',
      'libs/connectors/src/{map-record,source-files}.spec.ts',
      'libs/connectors/src/http/lists.spec.ts',
      'libs/connectors/src/ldap/*.spec.ts',
      'libs/contracts/src/values.spec.ts',
      'libs/connectors/src/file-conformance.spec.ts',
    ],
  },
  erasure: {
    sources: [
      'apps/directory/src/operations/{erase-identity,references-to-person,remove-references}.ts',
      'libs/database/src/directory/{erase-person-data,erase-record-errors}.ts',
      'libs/database/src/delivery/erase-payloads.ts',
    ],
    specs: ['apps/directory/src/operations/{erase-identity,erase-references}.int.spec.ts'],
  },
  undo: {
    sources: [
      'apps/directory/src/operations/{undo-job,revert-operation,move-records,outcome}.ts',
      'apps/directory/src/operations/{resolve-case,change-settings,run-operation}.ts',
    ],
    specs: [
      'apps/directory/src/operations/operations.int.spec.ts',
      'apps/directory/src/{changes/history,matching/link-evidence}.int.spec.ts',
      'apps/directory/src/operations/{review,merge-and-split}.int.spec.ts',
      'apps/directory/src/sweep/additions.int.spec.ts',
    ],
  },
  replay: {
    sources: ['apps/webhook-dispatcher/src/replay.ts', 'libs/database/src/delivery/replays.ts'],
    specs: ['apps/webhook-dispatcher/src/{chores,replay}.int.spec.ts'],
  },
  lists: {
    sources: [
      'libs/database/src/gateway/page.ts',
      'libs/database/src/gateway/*/{documents,history,jobs,deliveries,webhook-replays,event-feed}.ts',
      'apps/gateway/src/shared/cursor.ts',
      'apps/gateway/src/identities/document-page.ts',
    ],
    specs: [
      'apps/gateway/src/shared/cursor.spec.ts',
      'apps/gateway/src/shared/cursors.int.spec.ts',
      'libs/database/src/gateway/point-reads.int.spec.ts',
      'libs/database/src/gateway/*/{documents,events,jobs,webhooks}.int.spec.ts',
    ],
  },
  filters: {
    sources: [
      'libs/contracts/src/webhook-filter.ts',
      'libs/database/src/gateway/identities/{filter-documents,filters}.ts',
    ],
    specs: [
      'libs/contracts/src/webhooks.spec.ts',
      'libs/database/src/gateway/identities/filter-documents.int.spec.ts',
      'apps/gateway/src/identities/lists.int.spec.ts',
    ],
  },
  groups: {
    sources: [
      'apps/directory/src/changes/group-changes.ts',
      'libs/database/src/directory/group-id.ts',
      'libs/database/src/gateway/identities/groups.ts',
    ],
    specs: [
      'apps/directory/src/changes/group-changes.spec.ts',
      'libs/database/src/directory/group-id.spec.ts',
      'apps/directory/src/changes/events.int.spec.ts',
      'apps/gateway/src/identities/lists.int.spec.ts',
    ],
  },
  'scim-reader': {
    sources: ['apps/gateway/src/scim-reader/*.ts'],
    specs: ['apps/gateway/src/scim-reader/*.spec.ts', 'apps/gateway/src/scim-reader/*.int.spec.ts'],
  },
  audit: {
    sources: ['apps/gateway/src/audit/*.ts', 'libs/database/src/gateway/audit/*.ts'],
    specs: [
      'apps/gateway/src/audit/*.spec.ts',
      'libs/database/src/gateway/audit/*.spec.ts',
      'libs/database/src/gateway/audit/*.int.spec.ts',
      'apps/gateway/src/audit/*.int.spec.ts',
    ],
  },
  findings: {
    sources: [
      'apps/directory/src/findings/*.ts',
      'apps/directory/src/operations/decide-finding.ts',
      'libs/database/src/directory/{findings,finding-facts,finding-passes}.ts',
    ],
    specs: [
      'apps/directory/src/findings/*.spec.ts',
      'apps/directory/src/findings/findings.int.spec.ts',
      'apps/directory/src/managers/managers.int.spec.ts',
    ],
  },
  evidence: {
    sources: ['apps/directory/src/changes/describe-evidence.ts', 'apps/directory/src/operations/revert-operation.ts'],
    specs: [
      'apps/directory/src/changes/describe-evidence.spec.ts',
      'apps/directory/src/{matching/link-evidence,operations/merge-and-split}.int.spec.ts',
    ],
  },
  suppressions: {
    sources: [
      'libs/database/src/suppression-hashes.ts',
      'libs/database/src/{directory,sync}/suppressions.ts',
      'apps/directory/src/operations/erase-identity.ts',
      'apps/sync-worker/src/leave-out-suppressed.ts',
    ],
    specs: [
      'libs/database/src/secrets.spec.ts',
      'apps/directory/src/operations/erase-identity.int.spec.ts',
      'apps/sync-worker/src/left-out-records.int.spec.ts',
    ],
  },
  cli: {
    sources: ['apps/cli/src/**/*.ts'],
    without: ['apps/cli/src/main.ts'],
    specs: ['apps/cli/src/*.spec.ts'],
  },
};
