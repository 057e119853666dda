import { deliveryParameters, examined } from './delivery-parameters.js';
import * as shown from './delivery-resources.js';
import * as requests from './requests.js';
import { created, ok, type RouteDefinition } from './route.js';

const webhookPath = '/v1/webhooks/{id}';
const deliveryPath = `${webhookPath}/deliveries/{deliveryId}`;
const read = { auth: 'key', scope: 'webhooks:read', portal: 'read' } as const;
const send = { auth: 'key', scope: 'webhooks:write', portal: 'send' } as const;
const change = { ...send, portal: 'change' } as const;
const replayed = { status: 202, schema: shown.replay };
const sameReplay = `An equal request before the replay begins returns the same replay. 400 while the webhook is inactive, 429 while ${requests.maxQueuedReplays} replays of it wait.`;

/** Routes with which subscribers examine their webhooks and have deliveries sent again. */
export const subscriberRoutes: RouteDefinition[] = [
  {
    ...read,
    method: 'GET',
    path: webhookPath,
    summary: 'Get one webhook with its health',
    description: 'Includes why an inactive webhook is inactive, and statistics of the last 24 hours.',
    success: ok(shown.webhookDetails),
  },
  {
    ...send,
    method: 'POST',
    path: `${webhookPath}/test`,
    summary: 'Send a test event to a webhook, regardless of its subscription',
    description: `400 while the webhook is inactive, 429 within ${requests.testIntervalSeconds} seconds of its last test.`,
    body: requests.testBody,
    bodyOptional: true,
    success: { status: 202, schema: shown.testEvent },
  },
  {
    ...read,
    method: 'GET',
    path: `${webhookPath}/deliveries`,
    summary: 'List the deliveries of a webhook, the newest events first',
    description: examined,
    query: deliveryParameters,
    success: ok(shown.deliveryPage),
  },
  {
    ...read,
    method: 'GET',
    path: deliveryPath,
    summary: 'Get one delivery with its attempts and its body',
    description: 'The `body` contains event data, so it is only shown to a key that also has the scope `events:read`.',
    success: ok(shown.deliveryDetails),
  },
  {
    ...send,
    method: 'POST',
    path: `${deliveryPath}/resend`,
    summary: 'Send one delivery again',
    description: `Also sends a delivered one again; does not interrupt an attempt in progress. ${sameReplay}`,
    body: requests.emptyBody,
    bodyOptional: true,
    success: replayed,
  },
  {
    ...send,
    method: 'POST',
    path: `${webhookPath}/requeue`,
    summary: 'Send the dead deliveries of a webhook again',
    description: sameReplay,
    body: requests.emptyBody,
    bodyOptional: true,
    success: replayed,
  },
  {
    ...read,
    method: 'GET',
    path: `${webhookPath}/replays/{replayId}`,
    summary: 'Get the progress of sending deliveries again',
    success: ok(shown.replay),
  },
  {
    ...change,
    method: 'POST',
    path: `${webhookPath}/signing-keys`,
    summary: 'Create a key pair for asymmetric signatures, or rotate it',
    description: `Requests are then signed with this key (\`v1a\`, Ed25519) beside the signing secret. Earlier keys remain valid for ${requests.overlapHours.default} hours, or for \`overlap_hours\`. The private key never leaves the service.`,
    body: requests.rotateBody,
    bodyOptional: true,
    success: created(shown.signingKey),
  },
  {
    ...read,
    method: 'GET',
    path: `${webhookPath}/signing-keys`,
    summary: 'List the public keys of a webhook that are valid now, the newest first',
    success: ok(shown.signingKeyList),
  },
];
