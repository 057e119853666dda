import type { Client } from 'openapi-fetch';
import type { paths } from './generated/api.js';
import { answerOf } from './idsync-error.js';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
type MethodOf<Path extends keyof paths> = {
  [M in Method]: paths[Path] extends Record<Lowercase<M>, object> ? M : never;
}[Method];

/** The operations below a path, by their method and the rest of their path: `GET /cases/{caseId}`. */
export type OperationName<Base extends string> = {
  [Path in keyof paths]: Path extends `${Base}${infer Rest}` ? `${MethodOf<Path>} ${Rest}` : never;
}[keyof paths];

type Operation<Base extends string, Name> = Name extends `${infer M} ${infer Rest}`
  ? `${Base}${Rest}` extends infer Path extends keyof paths
    ? paths[Path][Lowercase<M> & keyof paths[Path]]
    : never
  : never;
type Json<Part> = Part extends { content: { 'application/json': infer Body } } ? Body : undefined;
type Succeeded = 200 | 201 | 202 | 204;

/** The ids in the path of an operation. */
export type Ids<Base extends string, Name extends OperationName<Base>> =
  Operation<Base, Name> extends { parameters: { path: infer Path } } ? Path : object;

/** The query of a `GET` or a `DELETE`, the body of another request. */
export type Input<Base extends string, Name extends OperationName<Base>> = Name extends `${'GET' | 'DELETE'} ${string}`
  ? Operation<Base, Name> extends { parameters: { query?: infer Query } }
    ? Query
    : undefined
  : Operation<Base, Name> extends { requestBody?: infer Body }
    ? Json<NonNullable<Body>>
    : undefined;

export type Answer<Base extends string, Name extends OperationName<Base>> =
  Operation<Base, Name> extends { responses: infer Responses }
    ? { [Status in keyof Responses & Succeeded]: Json<Responses[Status]> }[keyof Responses & Succeeded]
    : never;

/** Returns a function that sends typed requests: `call('POST /cases/{caseId}/resolve', { tenantId, caseId }, body)`. */
export function callBelow<Base extends string>(client: Client<paths>, base: Base) {
  const request = client.request as (method: string, path: string, init: object) => Parameters<typeof answerOf>[0];
  return <Name extends OperationName<Base>>(name: Name, ids: Ids<Base, Name>, input?: Input<Base, Name>) => {
    const [method, rest] = name.split(' ') as [Method, string];
    const hasQuery = method === 'GET' || method === 'DELETE';
    const given = hasQuery ? { params: { path: ids, query: input } } : { params: { path: ids }, body: input };
    return answerOf(request(method.toLowerCase(), `${base}${rest}`, given)) as Promise<Answer<Base, Name>>;
  };
}
