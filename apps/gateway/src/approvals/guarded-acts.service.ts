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
  basis(tx: Transaction, tenantId: string, input: Input): Promise<unknown>;
  /** Returns the settings that the act replaces, for the audit log. */
  before?(tx: Transaction, tenantId: string): Promise<unknown>;
  /** Performs the act. `by` names both operators of an approval. */
  perform(tx: Transaction, tenantId: string, input: Input, by?: string): Promise<Performed>;
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
      basis: async (tx, tenantId, { job_id }) => {
        const { status, decision } = await quarantinedJob(tx, tenantId, job_id);
        return { status, decision };
      },
      perform: async (tx, tenantId, { job_id, reason }, by) => {
        const { id } = await quarantinedJob(tx, tenantId, job_id);
        const data = { job_id: id, reason, by: by?.slice(0, maxBy) ?? '' };
        await enqueue(tx, { type: 'sync.job.release_requested', tenantId, data });
        return {};
      },
    },
    applySyncJob: {
      basis: (tx, tenantId, { job_id }) => stateOfJob(tx, tenantId, job_id),
      perform: (tx, tenantId, { job_id, ...rest }) =>
        operate(tx, tenantId, 'plan.apply', { job_id: uuidOf('job', job_id), ...rest }),
    },
    undoSyncJob: {
      basis: (tx, tenantId, { job_id }) => stateOfJob(tx, tenantId, job_id),
      perform: (tx, tenantId, { job_id, ...rest }) =>
        operate(tx, tenantId, 'job.undo', { job_id: uuidOf('job', job_id), preview: false, ...rest }),
    },
    eraseIdentity: {
      // After a merge, an erasure would concern more than what was requested.
      basis: async (tx, tenantId, { identity_id }) => {
        const records = await findPersonRecords(tx, tenantId, uuidOf('identity', identity_id));
        return records.map(({ id }) => id);
      },
      perform: async (tx, tenantId, { identity_id, keep_out, ...rest }) => {
        const id = uuidOf('identity', identity_id);
        const suppress = keep_out ? await suppressionsOf(tx, tenantId, id, this.settings.encryptionKeys) : undefined;
        return operate(tx, tenantId, 'identity.erase', { identity_id: id, suppress, ...rest });
      },
    },
    replaceMatchingRules: replacing(
      'rules.change',
      async (tx, tenantId) => (await findMatchingRules(tx, tenantId)) ?? defaultMatchingRules,
      (rules) => ({ rules, preview: false }),
    ),
    replaceAttributePriorities: replacing(
      'attributes.rank',
      async (tx, tenantId) => presentPriorities(await findAttributePriorities(tx, tenantId)),
      (body) => ({ priorities: storedPriorities(body) }),
    ),
    replaceLifecyclePolicy: replacing(
      'lifecycle.change',
      async (tx, tenantId) => presentLifecyclePolicy(await findLifecyclePolicy(tx, tenantId)),
      (policy) => ({ policy: storedLifecyclePolicy(policy) }),
    ),
    updateConnector: {
      basis: async (tx, tenantId, { connector_id, ...patch }) => {
        requireOnlyGuarded(patch);
        const found = await lockConnector(tx, tenantId, uuidOf('connector', connector_id));
        const { safeguard, priority } = orNotFound(found);
        if (patch.priority !== undefined) await requireNoneQueued(tx, tenantId, 'attributes.rank');
        return { safeguard, priority };
      },
      perform: async (tx, tenantId, { connector_id, ...patch }) => {
        const id = uuidOf('connector', connector_id);
        return changeConnector(tx, tenantId, id, patch, this.settings.encryptionKeys);
      },
    },
    updateSettings: {
      basis: async (tx, tenantId, patch) => {
        const settings = await findSettings(tx, tenantId);
        if (changesLifecycle(settings, patch)) await requireNoneQueued(tx, tenantId, 'lifecycle.change');
        return settings;
      },
      before: findSettings,
      perform: async (tx, tenantId, patch) => ({ operation: await changeSettings(tx, tenantId, patch) }),
    },
    confirmOperation: {
      basis: async (tx, tenantId, { operation_id }) => {
        const found = orNotFound(await findOperation(tx, tenantId, uuidOf('operation', operation_id)));
        const { type, status, result } = found;
        if (status !== 'held') throw badRequest(`the operation is ${status}, not held`);
        return { type, status, held: result?.held };
      },
      perform: (tx, tenantId, { operation_id, ...rest }) =>
        operate(tx, tenantId, 'operation.confirm', {
          operation_id: uuidOf('operation', operation_id),
          ...rest,
        }),
    },
    retireDeletedConnector: {
      basis: (tx, tenantId, { connector_id }) => deletedConnector(tx, tenantId, connector_id),
      perform: async (tx, tenantId, { connector_id }) => {
        await deletedConnector(tx, tenantId, connector_id);
        const { id, status } = await queueRetirement(tx, tenantId, uuidOf('connector', connector_id));
        return { job: { job_id: encodeId('job', id), status } };
      },
    },
    handDeletedConnectorOver: {
      basis: async (tx, tenantId, { connector_id, to }) => {
        const { id, records } = orNotFound(await findConnector(tx, tenantId, uuidOf('connector', to)));
        return { from: await deletedConnector(tx, tenantId, connector_id), to: { id, records } };
      },
      perform: (tx, tenantId, { connector_id, to, ...rest }) =>
        operate(tx, tenantId, 'connector.hand_over', {
          from_id: uuidOf('connector', connector_id),
          to_id: uuidOf('connector', to),
          ...rest,
        }),
    },
    deleteTenant: {
      alsoWhileDeleting: true,
      basis: async (tx, tenantId) => ({ name: orNotFound(await lockTenant(tx, tenantId)) }),
      perform: async (tx, tenantId, { tenant_id, name }, by) => {
        await lockTenant(tx, tenantId);
        await requireName(tx, tenantId, name);
        await requestTenantDeletion(tx, tenantId);
        tx.afterCommit(() => this.keyRing.clear());
        const deletion = await showDeletion(tx, tenantId);
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
      perform: async (tx, tenantId, policy) => {
        await saveOperatorPolicy(tx, tenantId, policy);
        return {};
      },
    },
  };
}

/** An act that replaces settings, which the directory stores when it has applied them. */
function replacing<Input, Type extends OperationType>(
  type: Type,
  before: (tx: Transaction, tenantId: string) => Promise<Input>,
  toInput: (given: Input) => OperationInput<Type>,
): GuardedAct<Input> {
  return {
    before,
    basis: async (tx, tenantId) => {
      await requireNoneQueued(tx, tenantId, type);
      return before(tx, tenantId);
    },
    perform: (tx, tenantId, given) => operate(tx, tenantId, type, toInput(given)),
  };
}

async function operate<Type extends OperationType>(
  tx: Transaction,
  tenantId: string,
  type: Type,
  input: OperationInput<Type>,
): Promise<Performed> {
  return { operation: await requestOperation(tx, tenantId, type, input) };
}

async function quarantinedJob(tx: Transaction, tenantId: string, id: string): Promise<JobRow> {
  const job = orNotFound(await findJob(tx, tenantId, uuidOf('job', id)));
  if (job.status !== 'quarantined') throw badRequest(`the job is ${job.status}, not quarantined`);
  return job;
}

async function stateOfJob(tx: Transaction, tenantId: string, id: string): Promise<object> {
  const { status, dryRun } = orNotFound(await findJob(tx, tenantId, uuidOf('job', id)));
  return { status, dryRun };
}

async function deletedConnector(tx: Transaction, tenantId: string, id: string): Promise<object> {
  return presentDeletedConnector(orNotFound(await findDeletedConnector(tx, tenantId, uuidOf('connector', id))));
}

/** The settings are written by the directory, so a queued change is not in the state that was compared. */
async function requireNoneQueued(tx: Transaction, tenantId: string, type: OperationType): Promise<void> {
  const queued = await findQueuedOperation(tx, tenantId, type);
  if (queued) throw badRequest(`${encodeId('operation', queued)} is still queued: repeat this when it has ended`);
}
