import * as requests from './requests.js';
import { created, ok, operator, page, type RouteDefinition } from './route.js';
import * as shown from './service-token-resources.js';

const path = '/admin/v1/service-tokens';

/** Routes for tokens of operators and programs. */
export const serviceTokenRoutes: RouteDefinition[] = [
  operator(
    'POST',
    path,
    'Issue a token with a role, for all tenants or some',
    created(shown.createdServiceToken),
    requests.serviceTokenBody,
  ),
  operator('GET', path, 'List service tokens', ok(shown.serviceTokenPage), undefined, page),
  operator('DELETE', `${path}/{serviceTokenId}`, 'Revoke a service token', { status: 204 }),
];
