import { type Message, type OperationInput, type OperationType, operationInputs } from '@idsync/contracts';
import {
  type Database,
  endOperation,
  lockOperation,
  markReceived,
  type Operation,
  type Transaction,
} from '@idsync/database';
import { type Cause, learnTenant } from '../cause.js';
import { applyPlan } from './apply-plan.js';
import { changeRules } from './change-rules.js';
import { eraseIdentity } from './erase-identity.js';
import { mergeIdentities } from './merge-identities.js';
import { type Outcome, Previewed, Refused } from './outcome.js';
import { rankAttributes } from './rank-attributes.js';
import { resolveCase } from './resolve-case.js';
import { revertOperation } from './revert-operation.js';
import { splitIdentity } from './split-identity.js';
import { undoJob } from './undo-job.js';

type Handler<T extends OperationType> = (tx: Transaction, cause: Cause, input: OperationInput<T>) => Promise<Outcome>;

const handlers: { [T in OperationType]: Handler<T> } = {
  'case.resolve': resolveCase,
  'identity.erase': eraseIdentity,
  'identity.merge': mergeIdentities,
  'identity.split': splitIdentity,
  'attributes.rank': rankAttributes,
  'job.undo': undoJob,
  'plan.apply': applyPlan,
  'operation.revert': revertOperation,
  'rules.change': changeRules,
};

/** Does what an operator asked for, in one transaction with its outcome: killed at any point, it was done once or not at all. */
export async function runOperation(
  database: Database,
  message: Message<'directory.operation.requested'>,
  now: Date = new Date(),
): Promise<void> {
  const { tenant_id: tenantId, data } = message;
  const end = async (tx: Transaction, status: 'done' | 'refused', result: object, undo?: object) =>
    endOperation(tx, data.operation_id, { status, result, undo });
  try {
    await database.transaction(tenantId, async (tx) => {
      if (!(await markReceived(tx, message.id))) return;
      const tenant = await learnTenant(tx, tenantId, 'alone');
      const operation = await lockOperation(tx, tenantId, data.operation_id);
      if (operation?.status !== 'queued') return;
      const cause = { ...tenant, operationId: operation.id, now };
      const { result, undo } = await handle(tx, cause, operation);
      await end(tx, 'done', result, undo);
    });
  } catch (error) {
    if (!(error instanceof Refused || error instanceof Previewed)) throw error;
    await database.transaction(tenantId, async (tx) => {
      const operation = await lockOperation(tx, tenantId, data.operation_id);
      if (!(await markReceived(tx, message.id)) || operation?.status !== 'queued') return;
      if (error instanceof Refused) await end(tx, 'refused', { error: error.message });
      else await end(tx, 'done', error.result);
    });
  }
}

/** It failed each time it was tried: whoever asked is told, since nobody will try again. */
export async function giveUpOperation(
  database: Database,
  { tenant_id: tenantId, data }: Message<'directory.operation.requested'>,
): Promise<void> {
  await database.transaction(tenantId, async (tx) => {
    const operation = await lockOperation(tx, tenantId, data.operation_id);
    if (operation?.status !== 'queued') return;
    const error = 'it could not be done, and nothing has changed; the log of the directory says more';
    await endOperation(tx, operation.id, { status: 'refused', result: { error } });
  });
}

/** The gateway has validated the input; what an older one wrote down is checked again. */
function handle<T extends OperationType>(
  tx: Transaction,
  cause: Cause,
  operation: Operation & { type: T },
): Promise<Outcome> {
  const input = operationInputs[operation.type].safeParse(operation.input);
  if (!input.success) throw new Refused(`malformed input: ${input.error.message}`);
  const handler = handlers[operation.type] as Handler<T>;
  return handler(tx, cause, input.data as OperationInput<T>);
}
