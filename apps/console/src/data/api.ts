import { answerOf, createOperatorClient, IdsyncError, type OperatorPaths } from '@idsync/client/operator';
import { send } from './session';

export type * from '@idsync/client/operator';
export { answerOf, IdsyncError };

/** Whether the service has refused a request because there is no such resource. */
export function isNotFound(error: unknown): boolean {
  return error instanceof IdsyncError && error.status === 404;
}

/** Typed requests to the operator routes that are not below a tenant: `answerOf(api.GET('/admin/v1/system'))`. */
export const api = createOperatorClient({ baseUrl: location.origin, fetch: send });

type Base = '/admin/v1/tenants/{tenantId}';
type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
type Operations = {
  [Path in keyof OperatorPaths as Path extends `${Base}${infer Rest}`
    ? { [M in Method]: OperatorPaths[Path] extends Record<Lowercase<M>, object> ? `${M} ${Rest}` : never }[Method]
    : never]: OperatorPaths[Path];
};
/** An operation below a tenant by its method and the rest of its path: `GET /cases/{caseId}`. */
type TenantOperation = keyof Operations;
type OperationOf<Name extends TenantOperation> = Name extends `${infer M} ${string}`
  ? Operations[Name][Lowercase<M> & keyof Operations[Name]]
  : never;
type Json<Part> = Part extends { content: { 'application/json': infer Body } } ? Body : undefined;
type Ids<Operation> = Operation extends { parameters: { path: infer Path } } ? Path : never;
/** The query of a `GET`, the body of another request. */
export type Input<Name extends TenantOperation> = Name extends `GET ${string}`
  ? OperationOf<Name> extends { parameters: { query?: infer Query } }
    ? Query
    : undefined
  : OperationOf<Name> extends { requestBody?: infer Body }
    ? Json<NonNullable<Body>>
    : undefined;
export type Answer<Name extends TenantOperation> =
  OperationOf<Name> extends { responses: infer Responses }
    ? { [Status in keyof Responses & (200 | 201 | 202 | 204)]: Json<Responses[Status]> }[keyof Responses &
        (200 | 201 | 202 | 204)]
    : never;

/** Sends a typed request below a tenant: `call('POST /cases/{caseId}/resolve', { tenantId, caseId }, body)`. */
export function call<Name extends TenantOperation>(
  name: Name,
  ids: Ids<OperationOf<Name>>,
  input?: Input<Name>,
): Promise<Answer<Name>> {
  const [method, path] = name.split(' ') as [Method, string];
  const given = method === 'GET' ? { params: { path: ids, query: input } } : { params: { path: ids }, body: input };
  const request = api.request as (method: string, path: string, init: object) => Parameters<typeof answerOf>[0];
  return answerOf(request(method.toLowerCase(), `/admin/v1/tenants/{tenantId}${path}`, given)) as Promise<Answer<Name>>;
}
