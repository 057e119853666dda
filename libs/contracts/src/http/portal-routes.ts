import * as shown from './portal-resources.js';
import * as requests from './requests.js';
import { actions, created, noContent, routesAt, tenant } from './route.js';

const read = routesAt('/v1', { auth: 'key', scope: 'webhooks:read' });
const write = routesAt('/v1', { auth: 'key', scope: 'webhooks:write' });
const create = 'Create a short-lived link to the subscriber portal';
const creation = { body: requests.portalLinkBody, bodyRefers: true } as const;
const revoke = 'Revoke all portal links of a webhook';
const revocation = { description: 'A link to several webhooks is revoked as a whole.' };

/** Routes for links to the subscriber portal. A link reaches none of them. */
export const portalRoutes = actions({
  createPortalLink: read.post('/portal-links', create, created(shown.portalLink), {
    ...creation,
    recorded: true,
    description:
      'The holder of the link sees these webhooks in a browser, without an API key. The link never exceeds what the API key that issued it may do, also after a change of the key, works from the same addresses only, and ends with it.',
  }),
  revokeWebhookPortalLinks: write.del('/webhooks/{id}/portal-links', revoke, noContent, {
    ...revocation,
    recorded: true,
  }),
});
export const operatorPortalRoutes = actions({
  createPortalLink: tenant.post('/portal-links', create, created(shown.portalLink), creation),
  revokeWebhookPortalLinks: tenant.del('/webhooks/{webhookId}/portal-links', revoke, noContent, revocation),
});
