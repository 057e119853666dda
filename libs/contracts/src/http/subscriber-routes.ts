import * as shown from './delivery-resources.js';
import * as requests from './requests.js';
import { accepted, actions, created, examined, routesAt } from './route.js';

const base = '/v1/webhooks/{id}';
const read = routesAt(base, { auth: 'key', scope: 'webhooks:read', portal: 'read' });
const send = routesAt(base, { auth: 'key', scope: 'webhooks:write', portal: 'send' });
const change = routesAt(base, { auth: 'key', scope: 'webhooks:write', portal: 'change' });
const replayed = accepted(shown.replay);
const empty = { body: requests.emptyBody, bodyOptional: true } as const;
const sameReplay = `An equal request before the replay begins returns the same replay. 400 while the webhook is inactive, 429 while ${requests.maxQueuedReplays} replays of it wait.`;

/** Routes with which subscribers examine their webhooks and have deliveries sent again. */
export const subscriberRoutes = actions({
  getWebhook: read.get('', 'Get one webhook with its health', shown.webhookDetails, {
    description: 'Includes why an inactive webhook is inactive, and statistics of the last 24 hours.',
  }),
  testWebhook: send.post(
    '/test',
    'Send a test event to a webhook, regardless of its subscription',
    accepted(shown.testEvent),
    {
      description: `400 while the webhook is inactive, 429 within ${requests.testIntervalSeconds} seconds of its last test.`,
      body: requests.testBody,
      bodyOptional: true,
    },
  ),
  listWebhookDeliveries: read.get(
    '/deliveries',
    'List the deliveries of a webhook, the newest events first',
    shown.deliveryPage,
    {
      description: examined,
      query: requests.webhookDeliveryQuery,
    },
  ),
  getWebhookDelivery: read.get(
    '/deliveries/{deliveryId}',
    'Get one delivery with its attempts and its body',
    shown.deliveryDetails,
    {
      description:
        'The `body` contains event data, so it is only shown to a key that also has the scope `events:read`.',
    },
  ),
  resendWebhookDelivery: send.post('/deliveries/{deliveryId}/resend', 'Send one delivery again', replayed, {
    ...empty,
    description: `Also sends a delivered one again; does not interrupt an attempt in progress. ${sameReplay}`,
  }),
  requeueWebhook: send.post('/requeue', 'Send the dead deliveries of a webhook again', replayed, {
    ...empty,
    description: sameReplay,
  }),
  getWebhookReplay: read.get('/replays/{replayId}', 'Get the progress of sending deliveries again', shown.replay),
  createWebhookSigningKey: change.post(
    '/signing-keys',
    'Create a key pair for asymmetric signatures, or rotate it',
    created(shown.signingKey),
    {
      description: `Requests are then signed with this key (\`v1a\`, Ed25519) beside the signing secret. Earlier keys remain valid for ${requests.overlapHours.default} hours, or for \`overlap_hours\`. The private key never leaves the service.`,
      body: requests.rotateBody,
      bodyOptional: true,
    },
  ),
  listWebhookSigningKeys: read.get(
    '/signing-keys',
    'List the public keys of a webhook that are valid now, the newest first',
    shown.signingKeyList,
  ),
});
