import * as shown from './delivery-resources.js';
import * as requests from './requests.js';
import { createdWebhook, rotatedSecret, webhook } from './resources.js';
import { accepted, actions, created, examined, noContent, operators, tenant } from './route.js';

const replayed = accepted(shown.replay);
const resending = { body: requests.resendBody, bodyOptional: true } as const;
const sameReplay =
  'An equal request before the replay begins returns the same replay. 400 while the webhook is disabled.';

/** Operators' routes for webhooks and deliveries. */
export const deliveryRoutes = actions({
  listWebhooks: tenant.get('/webhooks', 'List webhooks with their health', shown.webhookHealthList),
  createWebhook: tenant.post('/webhooks', 'Create a webhook', created(createdWebhook), { body: requests.webhookBody }),
  getWebhook: tenant.get(
    '/webhooks/{webhookId}',
    'Get one webhook with its statistics of the last 24 hours',
    shown.webhookDetails,
  ),
  updateWebhook: tenant.patch('/webhooks/{webhookId}', 'Update a webhook', webhook, {
    body: requests.webhookPatch,
    description: 'Replaces the given fields.',
  }),
  deleteWebhook: tenant.del('/webhooks/{webhookId}', 'Delete a webhook', noContent, {
    description: 'Waiting deliveries are not sent.',
  }),
  testWebhook: operators.post(
    '/webhooks/{webhookId}/test',
    'Send a test event to a webhook, regardless of its subscription',
    accepted(shown.testEvent),
    { body: requests.testBody, bodyOptional: true },
  ),
  rotateWebhookSecret: tenant.post(
    '/webhooks/{webhookId}/rotate-secret',
    'Rotate the signing secret of a webhook',
    rotatedSecret,
    {
      body: requests.rotateBody,
      bodyOptional: true,
      description: 'For a leaked secret, set `overlap_hours` to 0: the earlier secrets expire at once.',
    },
  ),
  requeueWebhook: operators.post('/webhooks/{webhookId}/requeue', 'Send dead deliveries again', replayed, {
    ...resending,
    description: sameReplay,
  }),
  replayWebhook: operators.post(
    '/webhooks/{webhookId}/replay',
    'Send the events of a time range again, including those never sent',
    replayed,
    {
      body: requests.replayBody,
      description: `Covers the events that the webhook currently subscribes to, except test events. ${sameReplay}`,
    },
  ),
  listDeliveries: tenant.get('/deliveries', 'List deliveries, the newest events first', shown.deliveryPage, {
    description: examined,
    query: requests.deliveryQuery,
  }),
  getDelivery: tenant.get(
    '/deliveries/{deliveryId}',
    'Get one delivery with its attempts and its body',
    shown.deliveryDetails,
    { readsPeople: true },
  ),
  resendDelivery: operators.post('/deliveries/{deliveryId}/resend', 'Send one delivery again', replayed, {
    ...resending,
    description: `Also sends a delivered one again; does not interrupt an attempt in progress. ${sameReplay}`,
  }),
  listReplays: tenant.get('/replays', 'List replays, the newest first', shown.replayPage, {
    query: requests.replayQuery,
  }),
  getReplay: tenant.get('/replays/{replayId}', 'Get one replay and its progress', shown.replay),
  cancelReplay: operators.post('/replays/{replayId}/cancel', 'Cancel a replay', replayed, {
    description: 'Deliveries that are already due are still sent; the rest is not.',
  }),
});
