import * as requests from './requests.js';
import { created, installation, noContent, page, type RouteDefinition } from './route.js';
import * as shown from './service-token-resources.js';

const issue = 'Issue a token with a role, for all tenants or some';

/** Routes for tokens of operators and programs. */
export const serviceTokenRoutes: RouteDefinition[] = [
  installation.post('/service-tokens', issue, created(shown.createdServiceToken), { body: requests.serviceTokenBody }),
  installation.get('/service-tokens', 'List service tokens', shown.serviceTokenPage, { query: page }),
  installation.del('/service-tokens/{serviceTokenId}', 'Revoke a service token', noContent),
];
