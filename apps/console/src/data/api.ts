import { answerOf, createOperatorClient, IdsyncError } from '@idsync/client/operator';
import { send } from './session';

export type * from '@idsync/client/operator';
export { answerOf, IdsyncError };

/** Whether the service has refused a request because there is no such resource. */
export function isNotFound(error: unknown): boolean {
  return error instanceof IdsyncError && error.status === 404;
}

/** Typed requests to the operator routes: `answerOf(api.GET('/admin/v1/tenants/{tenantId}', …))`. */
export const api = createOperatorClient({ baseUrl: location.origin, fetch: send });
