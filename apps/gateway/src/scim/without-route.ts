import type { FastifyRequest } from 'fastify';
import { ApiError, notFound } from '../http/api-error.js';

/** The path after the base of a service, with the connector of the service for pushes. */
const service = /^\/scim\/v2(?<connector>\/con_[^/]*)?\/(?<path>[^?]*)/;
const unsupported = /^(Bulk|Me|((Users|Groups)\/)?\.search)$/;
/** Methods of the service for pushes. The other one reads only. */
const methods: readonly [path: RegExp, allowed: string][] = [
  [/^(Users|Groups)$/, 'GET, HEAD, POST'],
  [/^(Users|Groups)\/[^/]+$/, 'GET, HEAD, PUT, PATCH, DELETE'],
  [/^(ServiceProviderConfig|(ResourceTypes|Schemas)(\/[^/]+)?)$/, 'GET, HEAD'],
];

export class MethodNotAllowed extends ApiError {
  constructor(
    method: string,
    /** Value of `Allow`. */
    readonly allowed: string,
  ) {
    super(405, `the method must be one of ${allowed}, got ${method}`);
  }
}

const readsOnly = 'this service reads only; identity providers push to /scim/v2/{connector}';

/** Returns the error for a request with valid credentials to which no SCIM route belongs. */
export function withoutRoute({ method, url }: Pick<FastifyRequest, 'method' | 'url'>): ApiError {
  const { connector, path = '' } = service.exec(url)?.groups ?? {};
  const isUnsupported = unsupported.test(path);
  const found = methods.find(([each]) => each.test(path))?.[1] ?? '';
  const allowed = found && connector === undefined ? 'GET, HEAD' : found;
  if (!isUnsupported && (allowed === '' || allowed.split(', ').includes(method))) return notFound();
  if (connector === undefined) return new ApiError(501, readsOnly);
  if (isUnsupported) return new ApiError(501, 'Bulk, Me and .search are not supported');
  return new MethodNotAllowed(method, allowed);
}
