import { accessNotice, askAboutHeld } from '../components/held-operation';
import { notify } from '../components/notices';
import { type Approval, call, type Operation } from './api';

const everyMs = 500;
const mostMs = 60_000;

export function isApproval(answer: object): answer is Approval {
  return 'approval_id' in answer;
}

/**
 * Waits until an operation has ended, and reports it with the text `done` and the people whose access it has changed. One that is held is performed if the operator
 * confirms it. Throws if the directory refused it, with its reason, or if the operator does not confirm it. Returns undefined
 * if a second operator must approve the act first.
 */
export async function operationDone(
  tenantId: string,
  answer: Operation | Approval,
  done?: string,
): Promise<Operation | undefined> {
  if (isApproval(answer)) {
    notify('Requested. A second operator must approve it.');
    return undefined;
  }
  let current = answer;
  for (const end = Date.now() + mostMs; isUnfinished(current) && Date.now() < end; ) {
    await new Promise((resolve) => setTimeout(resolve, everyMs));
    current = await operationOf(tenantId, current.operation_id);
  }
  if (current.status === 'held') return operationDone(tenantId, await confirmed(tenantId, current), done);
  if (current.status === 'refused') throw new Error(String(current.result?.error ?? 'The operation was refused.'));
  if (current.status === 'cancelled') throw new Error(`The operation was cancelled${recordsOf(current)}.`);
  if (isUnfinished(current)) {
    throw new Error(`The operation is still ${current.status}${recordsOf(current)}. It continues in the background.`);
  }
  if (done) notify(done);
  const access = current.preview ? undefined : accessNotice(current.result);
  if (access) notify(access);
  return current;
}

function isUnfinished({ status }: Operation): boolean {
  return status === 'queued' || status === 'running';
}

function recordsOf({ progress }: Operation): string {
  return progress ? ` (${progress.done} of ${progress.total} records)` : '';
}

/** As `operationDone`, for a response that names an operation if one completes the change. Returns whether it is made. */
export async function changeDone(
  tenantId: string,
  answer: { operation_id?: string | undefined } | Approval,
  done?: string,
): Promise<boolean> {
  const { operation_id: id } = answer;
  const started = isApproval(answer) ? answer : id && (await operationOf(tenantId, id));
  if (started) return (await operationDone(tenantId, started, done)) !== undefined;
  if (done) notify(done);
  return true;
}

async function confirmed(tenantId: string, { operation_id: operationId, result }: Operation) {
  const reason = await askAboutHeld({ operationId, result });
  if (reason === undefined) throw new Error('Nothing was changed, because it was not confirmed.');
  return call('POST /operations/{operationId}/confirm', { tenantId, operationId }, { reason });
}

function operationOf(tenantId: string, operationId: string): Promise<Operation> {
  return call('GET /operations/{operationId}', { tenantId, operationId });
}
