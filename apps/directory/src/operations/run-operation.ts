import { type Message, type OperationInput, type OperationType, operationInputs } from '@idsync/contracts';
import type { Database, Transaction } from '@idsync/database';
import { markReceived } from '@idsync/database/bus';
import { endOperation, lockOperation, type Operation } from '@idsync/database/directory';
import { noteDue } from '@idsync/database/settings';
import { type Cause, causedAt, loadTenant } from '../cause.js';
import { NotApplicable } from '../divide-batch.js';
import { acceptFinding } from './accept-finding.js';
import { applyPlan } from './apply-plan.js';
import { changeLifecycle } from './change-lifecycle.js';
import { changeRules } from './change-rules.js';
import { eraseIdentity } from './erase-identity.js';
import { handOverRecords } from './hand-over-records.js';
import { mergeIdentities } from './merge-identities.js';
import { type Outcome, Previewed, Refused } from './outcome.js';
import { rankAttributes } from './rank-attributes.js';
import { reopenFinding } from './reopen-finding.js';
import { resolveCase } from './resolve-case.js';
import { revertOperation } from './revert-operation.js';
import { splitIdentity } from './split-identity.js';
import { undoJob } from './undo-job.js';

type Handler<T extends OperationType> = (
  tx: Transaction,
  cause: Cause,
  input: OperationInput<T>,
) => Promise<Outcome<T>>;

const handlers: { [T in OperationType]: Handler<T> } = {
  'case.resolve': resolveCase,
  'identity.erase': eraseIdentity,
  'identity.merge': mergeIdentities,
  'identity.split': splitIdentity,
  'attributes.rank': rankAttributes,
  'connector.hand_over': handOverRecords,
  'job.undo': undoJob,
  'plan.apply': applyPlan,
  'operation.revert': revertOperation,
  'lifecycle.change': changeLifecycle,
  'rules.change': changeRules,
  'finding.accept': acceptFinding,
  'finding.reopen': reopenFinding,
};

/** Runs an operation in one transaction with its result, so that it takes effect exactly once or not at all. */
export async function runOperation(
  database: Database,
  message: Message<'directory.operation.requested'>,
  fixedTime?: Date,
): Promise<void> {
  const { tenant_id: tenantId, data } = message;
  const end = async (tx: Transaction, status: 'done' | 'refused', result: object, undo?: object) =>
    endOperation(tx, data.operation_id, { status, result, undo });
  try {
    await database.transaction(tenantId, async (tx) => {
      if (!(await markReceived(tx, message.id))) return;
      const tenant = await loadTenant(tx, tenantId, 'alone');
      const operation = await lockOperation(tx, tenantId, data.operation_id);
      if (operation?.status !== 'queued') return;
      const cause = { ...tenant, operationId: operation.id, ...causedAt(fixedTime) };
      const { result, undo } = await handle(tx, cause, operation);
      await noteDue(tx, tenantId);
      await end(tx, 'done', result, undo);
    });
  } catch (error) {
    if (!(error instanceof Refused || error instanceof Previewed || error instanceof NotApplicable)) throw error;
    await database.transaction(tenantId, async (tx) => {
      const operation = await lockOperation(tx, tenantId, data.operation_id);
      if (!(await markReceived(tx, message.id)) || operation?.status !== 'queued') return;
      if (error instanceof Previewed) await end(tx, 'done', error.result);
      else await end(tx, 'refused', { error: error.message });
    });
  }
}

/** Refuses an operation whose message was dead-lettered, because it will not be retried. */
export async function giveUpOperation(
  database: Database,
  { tenant_id: tenantId, data }: Message<'directory.operation.requested'>,
): Promise<void> {
  await database.transaction(tenantId, async (tx) => {
    const operation = await lockOperation(tx, tenantId, data.operation_id);
    if (operation?.status !== 'queued') return;
    const error = 'the operation failed and changed nothing; see the log of the directory';
    await endOperation(tx, operation.id, { status: 'refused', result: { error } });
  });
}

/** Validates the input again, because an older gateway may have stored it. */
function handle<T extends OperationType>(
  tx: Transaction,
  cause: Cause,
  operation: Operation & { type: T },
): Promise<Outcome<T>> {
  const input = operationInputs[operation.type].safeParse(operation.input);
  if (!input.success) throw new Refused(`malformed input: ${input.error.message}`);
  const handler = handlers[operation.type] as Handler<T>;
  return handler(tx, cause, input.data as OperationInput<T>);
}
