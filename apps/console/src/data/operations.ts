import { notify } from '../components/notices';
import { type Approval, answerOf, api, type Operation } from './api';

const everyMs = 500;
const mostMs = 60_000;

export function isApproval(answer: object): answer is Approval {
  return 'approval_id' in answer;
}

/**
 * Waits until an operation has ended, and reports it with the text `done`. Throws if the directory refused it, with its reason. Returns
 * undefined if a second operator must approve the act first.
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
  for (const end = Date.now() + mostMs; current.status === 'queued' && Date.now() < end; ) {
    await new Promise((resolve) => setTimeout(resolve, everyMs));
    current = await answerOf(
      api.GET('/admin/v1/tenants/{tenantId}/operations/{operationId}', {
        params: { path: { tenantId, operationId: current.operation_id } },
      }),
    );
  }
  if (current.status === 'refused') throw new Error(String(current.result?.error ?? 'The operation was refused.'));
  if (current.status === 'queued') throw new Error('The operation is still queued. It continues in the background.');
  if (done) notify(done);
  return current;
}
