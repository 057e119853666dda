import { answerOf, createOperatorClient, IdsyncError } from '@idsync/client/operator';
import { send } from './session';

export type * from '@idsync/client/operator';
export { answerOf, IdsyncError };

/** Typed requests to the operator routes: `answerOf(api.GET('/admin/v1/tenants/{tenantId}', …))`. */
export const api = createOperatorClient({ baseUrl: location.origin, fetch: send });
