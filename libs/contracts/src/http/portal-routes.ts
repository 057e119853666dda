import * as shown from './portal-resources.js';
import * as requests from './requests.js';
import { created, operator, type RouteDefinition, tenantPath } from './route.js';

const revoke = 'Revoke all portal links of a webhook';
const alsoOthers = 'A link to several webhooks is revoked as a whole.';

/** Routes for links to the subscriber portal. A link reaches none of them. */
export const portalRoutes: RouteDefinition[] = [
  {
    method: 'POST',
    path: '/v1/portal-links',
    summary: 'Create a short-lived link to the subscriber portal',
    description:
      'The holder of the link sees these webhooks in a browser, without an API key. The link never exceeds what the API key that issued it may do, also after a change of the key, works from the same addresses only, and ends with it.',
    auth: 'key',
    scope: 'webhooks:read',
    body: requests.portalLinkBody,
    bodyRefers: true,
    success: created(shown.portalLink),
  },
  {
    method: 'DELETE',
    path: '/v1/webhooks/{id}/portal-links',
    summary: revoke,
    description: alsoOthers,
    auth: 'key',
    scope: 'webhooks:write',
    success: { status: 204 },
  },
  {
    ...operator(
      'POST',
      `${tenantPath}/portal-links`,
      'Create a short-lived link to the subscriber portal',
      created(shown.portalLink),
      requests.portalLinkBody,
    ),
    bodyRefers: true,
  },
  {
    ...operator('DELETE', `${tenantPath}/webhooks/{webhookId}/portal-links`, revoke, { status: 204 }),
    description: alsoOthers,
  },
];
