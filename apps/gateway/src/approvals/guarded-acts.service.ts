import {
  defaultMatchingRules,
  encodeId,
  type GuardedAction,
  installationId,
  type OperationInput,
  type OperationType,
  type responses,
} from '@idsync/contracts';
import { asTenant, type Transaction } from '@idsync/database';
import { enqueue } from '@idsync/database/bus';
import {
  type ConnectorRow,
  findConnector,
  findDeletedConnector,
  findJob,
  findOperation,
  findOperatorPolicy,
  findPersonRecords,
  findQueuedOperation,
  type JobRow,
  lockConnector,
  lockTenant,
  type OperationRow,
  queueRetirement,
  requestOperation,
  requestTenantDeletion,
  saveOperatorPolicy,
} from '@idsync/database/gateway';
import { findAttributePriorities, findLifecyclePolicy, findMatchingRules } from '@idsync/database/settings';
import { Injectable } from '@nestjs/common';
import { KeyRing } from '../access/key-ring.service.js';
import { AuditLog } from '../audit/audit-log.service.js';
import { type ActDetails, describeAct } from '../audit/describe-act.js';
import { currentRequest } from '../audit/request-context.js';
import { changeConnector, requireOnlyGuarded } from '../connectors/change-connector.js';
import { presentDeletedConnector } from '../connectors/present-connector.js';
import { badRequest, orNotFound } from '../http/api-error.js';
import { uuidOf } from '../http/ids.js';
import { suppressionsOf } from '../identities/suppressions.js';
import { changeSettings, changesLifecycle, findSettings } from '../settings/change-settings.js';
import {
  presentLifecyclePolicy,
  presentPriorities,
  storedLifecyclePolicy,
  storedPriorities,
} from '../settings/rule-inputs.js';
import { GatewaySettings } from '../shared/gateway-settings.service.js';
import { requireName, showDeletion } from '../tenants/tenant-deletion.js';
import type { GuardedInputs } from './guarded-inputs.js';

/** Characters of the names of both operators in the decision of a job. */
const maxBy = 200;

interface GuardedAct<Input> {
  /**
   * Returns the state that the act changes, as an approver sees it. An approval is stale if it has changed since the
   * request. Throws what refuses the act.
   */
  basis(tx: Transaction, input: Input): Promise<unknown>;
  /** Returns the settings that the act replaces, for the audit log. */
  before?(tx: Transaction): Promise<unknown>;
  /** Performs the act. `by` names both operators of an approval. */
  perform(tx: Transaction, input: Input, by?: string): Promise<Performed>;
  /** The act is also accepted while a deletion of the tenant is in progress. */
  alsoWhileDeleting?: true;
}

export interface Performed {
  /** The work that completes the act, if it is not complete. */
  operation?: OperationRow;
  job?: responses.SyncJobReference;
  connector?: ConnectorRow;
  deletion?: responses.TenantDeletion;
  /** For the audit entry of an act without approval. */
  details?: ActDetails;
}

/** Acts that need a second operator: what each one depends on, and how it is performed once it is approved. */
@Injectable()
export class GuardedActs {
  constructor(
    private readonly settings: GatewaySettings,
    private readonly audit: AuditLog,
    private readonly keyRing: KeyRing,
  ) {}

  readonly acts: { [Action in GuardedAction]: GuardedAct<GuardedInputs[Action]> } = {
    releaseSyncJob: {
      basis: async (tx, { job_id }) => {
        const { status, decision } = await quarantinedJob(tx, job_id);
        return { status, decision };
      },
      perform: async (tx, { job_id, reason }, by) => {
        const { id } = await quarantinedJob(tx, job_id);
        const data = { job_id: id, reason, by: by?.slice(0, maxBy) ?? '' };
        await enqueue(tx, { type: 'sync.job.release_requested', tenantId: tx.tenantId, data });
        return {};
      },
    },
    applySyncJob: {
      basis: (tx, { job_id }) => stateOfJob(tx, job_id),
      perform: (tx, { job_id, ...rest }) => operate(tx, 'plan.apply', { job_id: uuidOf('job', job_id), ...rest }),
    },
    undoSyncJob: {
      basis: (tx, { job_id }) => stateOfJob(tx, job_id),
      perform: (tx, { job_id, ...rest }) =>
        operate(tx, 'job.undo', { job_id: uuidOf('job', job_id), preview: false, ...rest }),
    },
    eraseIdentity: {
      // After a merge, an erasure would concern more than what was requested.
      basis: async (tx, { identity_id }) => {
        const records = await findPersonRecords(tx, uuidOf('identity', identity_id));
        return records.map(({ id }) => id);
      },
      perform: async (tx, { identity_id, keep_out, ...rest }) => {
        const id = uuidOf('identity', identity_id);
        const suppress = keep_out ? await suppressionsOf(tx, id, this.settings.encryptionKeys) : undefined;
        return operate(tx, 'identity.erase', { identity_id: id, suppress, ...rest });
      },
    },
    replaceMatchingRules: replacing(
      'rules.change',
      async (tx) => (await findMatchingRules(tx)) ?? defaultMatchingRules,
      (rules) => ({ rules, preview: false }),
    ),
    replaceAttributePriorities: replacing(
      'attributes.rank',
      async (tx) => presentPriorities(await findAttributePriorities(tx)),
      (body) => ({ priorities: storedPriorities(body) }),
    ),
    replaceLifecyclePolicy: replacing(
      'lifecycle.change',
      async (tx) => presentLifecyclePolicy(await findLifecyclePolicy(tx)),
      (policy) => ({ policy: storedLifecyclePolicy(policy) }),
    ),
    updateConnector: {
      basis: async (tx, { connector_id, ...patch }) => {
        requireOnlyGuarded(patch);
        const found = await lockConnector(tx, uuidOf('connector', connector_id));
        const { safeguard, priority } = orNotFound(found);
        if (patch.priority !== undefined) await requireNoneQueued(tx, 'attributes.rank');
        return { safeguard, priority };
      },
      perform: async (tx, { connector_id, ...patch }) => {
        const id = uuidOf('connector', connector_id);
        return changeConnector(tx, id, patch, this.settings.encryptionKeys);
      },
    },
    updateSettings: {
      basis: async (tx, patch) => {
        const settings = await findSettings(tx);
        if (changesLifecycle(settings, patch)) await requireNoneQueued(tx, 'lifecycle.change');
        return settings;
      },
      before: findSettings,
      perform: async (tx, patch) => ({ operation: await changeSettings(tx, patch) }),
    },
    confirmOperation: {
      basis: async (tx, { operation_id }) => {
        const found = orNotFound(await findOperation(tx, uuidOf('operation', operation_id)));
        const { type, status, result } = found;
        if (status !== 'held') throw badRequest(`the operation is ${status}, not held`);
        return { type, status, held: result?.held };
      },
      perform: (tx, { operation_id, ...rest }) =>
        operate(tx, 'operation.confirm', {
          operation_id: uuidOf('operation', operation_id),
          ...rest,
        }),
    },
    retireDeletedConnector: {
      basis: (tx, { connector_id }) => deletedConnector(tx, connector_id),
      perform: async (tx, { connector_id }) => {
        await deletedConnector(tx, connector_id);
        const { id, status } = await queueRetirement(tx, uuidOf('connector', connector_id));
        return { job: { job_id: encodeId('job', id), status } };
      },
    },
    handDeletedConnectorOver: {
      basis: async (tx, { connector_id, to }) => {
        const { id, records } = orNotFound(await findConnector(tx, uuidOf('connector', to)));
        return { from: await deletedConnector(tx, connector_id), to: { id, records } };
      },
      perform: (tx, { connector_id, to, ...rest }) =>
        operate(tx, 'connector.hand_over', {
          from_id: uuidOf('connector', connector_id),
          to_id: uuidOf('connector', to),
          ...rest,
        }),
    },
    deleteTenant: {
      alsoWhileDeleting: true,
      basis: async (tx) => ({ name: orNotFound(await lockTenant(tx, tx.tenantId)) }),
      perform: async (tx, { tenant_id, name }, by) => {
        await lockTenant(tx, tx.tenantId);
        await requireName(tx, name);
        await requestTenantDeletion(tx, tx.tenantId);
        tx.afterCommit(() => this.keyRing.clear());
        const deletion = await showDeletion(tx);
        // The log of the tenant is deleted with it, so the one of the installation keeps who deleted it.
        const approved = { resource: tenant_id, after: { action: 'deleteTenant', name, by } };
        const entry = describeAct(currentRequest(), by === undefined ? {} : approved);
        await asTenant(tx, installationId, (installation) => this.audit.append(installation, installationId, entry));
        return { deletion };
      },
    },
    replaceOperatorPolicy: {
      basis: findOperatorPolicy,
      before: findOperatorPolicy,
      perform: async (tx, policy) => {
        await saveOperatorPolicy(tx, policy);
        return {};
      },
    },
  };
}

/** An act that replaces settings, which the directory stores when it has applied them. */
function replacing<Input, Type extends OperationType>(
  type: Type,
  before: (tx: Transaction) => Promise<Input>,
  toInput: (given: Input) => OperationInput<Type>,
): GuardedAct<Input> {
  return {
    before,
    basis: async (tx) => {
      await requireNoneQueued(tx, type);
      return before(tx);
    },
    perform: (tx, given) => operate(tx, type, toInput(given)),
  };
}

async function operate<Type extends OperationType>(
  tx: Transaction,
  type: Type,
  input: OperationInput<Type>,
): Promise<Performed> {
  return { operation: await requestOperation(tx, type, input) };
}

async function quarantinedJob(tx: Transaction, id: string): Promise<JobRow> {
  const job = orNotFound(await findJob(tx, uuidOf('job', id)));
  if (job.status !== 'quarantined') throw badRequest(`the job is ${job.status}, not quarantined`);
  return job;
}

async function stateOfJob(tx: Transaction, id: string): Promise<object> {
  const { status, dryRun } = orNotFound(await findJob(tx, uuidOf('job', id)));
  return { status, dryRun };
}

async function deletedConnector(tx: Transaction, id: string): Promise<object> {
  return presentDeletedConnector(orNotFound(await findDeletedConnector(tx, uuidOf('connector', id))));
}

/** The settings are written by the directory, so a queued change is not in the state that was compared. */
async function requireNoneQueued(tx: Transaction, type: OperationType): Promise<void> {
  const queued = await findQueuedOperation(tx, type);
  if (queued) throw badRequest(`${encodeId('operation', queued)} is still queued: repeat this when it has ended`);
}
