import { nextCursor as cursor, deliveryParameters, examined } from './delivery-parameters.js';
import * as shown from './delivery-resources.js';
import * as requests from './requests.js';
import { createdWebhook, rotatedSecret, webhook } from './resources.js';
import { accepted, created, limit, noContent, type RouteDefinition, tenant, textParameter } from './route.js';

const replayed = accepted(shown.replay);
const resending = { body: requests.resendBody, bodyOptional: true };
const sameReplay =
  'An equal request before the replay begins returns the same replay. 400 while the webhook is disabled.';

/** Operators' routes for webhooks and deliveries. */
export const deliveryRoutes: RouteDefinition[] = [
  tenant.get('/webhooks', 'List webhooks with their health', shown.webhookHealthList),
  tenant.post('/webhooks', 'Create a webhook', created(createdWebhook), { body: requests.webhookBody }),
  tenant.get('/webhooks/{webhookId}', 'Get one webhook with its statistics of the last 24 hours', shown.webhookDetails),
  tenant.patch('/webhooks/{webhookId}', 'Update a webhook', webhook, {
    body: requests.webhookPatch,
    description: 'Replaces the given fields.',
  }),
  tenant.del('/webhooks/{webhookId}', 'Delete a webhook', noContent, {
    description: 'Waiting deliveries are not sent.',
  }),
  tenant.post(
    '/webhooks/{webhookId}/test',
    'Send a test event to a webhook, regardless of its subscription',
    accepted(shown.testEvent),
    { body: requests.testBody, bodyOptional: true },
  ),
  tenant.post('/webhooks/{webhookId}/rotate-secret', 'Rotate the signing secret of a webhook', rotatedSecret, {
    body: requests.rotateBody,
    bodyOptional: true,
    description: 'For a leaked secret, set `overlap_hours` to 0: the earlier secrets expire at once.',
  }),
  tenant.post('/webhooks/{webhookId}/requeue', 'Send dead deliveries again', replayed, {
    ...resending,
    description: sameReplay,
  }),
  tenant.post(
    '/webhooks/{webhookId}/replay',
    'Send the events of a time range again, including those never sent',
    replayed,
    {
      body: requests.replayBody,
      description: `Covers the events that the webhook currently subscribes to, except test events. ${sameReplay}`,
    },
  ),
  tenant.get('/deliveries', 'List deliveries, the newest events first', shown.deliveryPage, {
    description: examined,
    query: [...deliveryParameters, textParameter('webhook_id', 'Only deliveries to this webhook.')],
  }),
  tenant.get('/deliveries/{deliveryId}', 'Get one delivery with its attempts and its body', shown.deliveryDetails),
  tenant.post('/deliveries/{deliveryId}/resend', 'Send one delivery again', replayed, {
    ...resending,
    description: `Also sends a delivered one again; does not interrupt an attempt in progress. ${sameReplay}`,
  }),
  tenant.get('/replays', 'List replays, the newest first', shown.replayPage, { query: [limit, cursor] }),
  tenant.get('/replays/{replayId}', 'Get one replay and its progress', shown.replay),
  tenant.post('/replays/{replayId}/cancel', 'Cancel a replay', replayed, {
    description: 'Deliveries that are already due are still sent; the rest is not.',
  }),
];
