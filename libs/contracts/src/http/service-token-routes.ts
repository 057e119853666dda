import * as requests from './requests.js';
import { actions, created, noContent, wholeInstallation } from './route.js';
import * as shown from './service-token-resources.js';

const issue = 'Issue a token with a role, for all tenants or some';

/** Routes for tokens of operators and programs. */
export const serviceTokenRoutes = actions({
  createServiceToken: wholeInstallation.post('/service-tokens', issue, created(shown.createdServiceToken), {
    body: requests.serviceTokenBody,
  }),
  listServiceTokens: wholeInstallation.get('/service-tokens', 'List service tokens', shown.serviceTokenPage, {
    query: requests.pageQuery,
    role: 'auditor',
  }),
  deleteServiceToken: wholeInstallation.del('/service-tokens/{serviceTokenId}', 'Revoke a service token', noContent),
});
