import { nextCursor as cursor, deliveryParameters, examined } from './delivery-parameters.js';
import * as shown from './delivery-resources.js';
import * as requests from './requests.js';
import { createdWebhook, rotatedSecret, webhook } from './resources.js';
import { created, limit, ok, operator, type RouteDefinition, tenantPath } from './route.js';

const webhookPath = `${tenantPath}/webhooks/{webhookId}`;
const deliveryPath = `${tenantPath}/deliveries/{deliveryId}`;
const replayPath = `${tenantPath}/replays/{replayId}`;
const replayed = { status: 202, schema: shown.replay };
const sameReplay =
  'An equal request before the replay begins returns the same replay. 400 while the webhook is disabled.';

/** Operators' routes for webhooks and deliveries. */
export const deliveryRoutes: RouteDefinition[] = [
  operator('GET', `${tenantPath}/webhooks`, 'List webhooks with their health', ok(shown.webhookHealthList)),
  operator('POST', `${tenantPath}/webhooks`, 'Create a webhook', created(createdWebhook), requests.webhookBody),
  operator('GET', webhookPath, 'Get one webhook with its statistics of the last 24 hours', ok(shown.webhookDetails)),
  {
    ...operator('PATCH', webhookPath, 'Update a webhook', ok(webhook), requests.webhookPatch),
    description: 'Replaces the given fields.',
  },
  {
    ...operator('DELETE', webhookPath, 'Delete a webhook', { status: 204 }),
    description: 'Waiting deliveries are not sent.',
  },
  {
    ...operator(
      'POST',
      `${webhookPath}/test`,
      'Send a test event to a webhook, regardless of its subscription',
      { status: 202, schema: shown.testEvent },
      requests.testBody,
    ),
    bodyOptional: true,
  },
  {
    ...operator(
      'POST',
      `${webhookPath}/rotate-secret`,
      'Rotate the signing secret of a webhook',
      ok(rotatedSecret),
      requests.rotateBody,
    ),
    bodyOptional: true,
    description: 'For a leaked secret, set `overlap_hours` to 0: the earlier secrets expire at once.',
  },
  {
    ...operator('POST', `${webhookPath}/requeue`, 'Send dead deliveries again', replayed, requests.resendBody),
    bodyOptional: true,
    description: sameReplay,
  },
  {
    ...operator(
      'POST',
      `${webhookPath}/replay`,
      'Send the events of a time range again, including those never sent',
      replayed,
      requests.replayBody,
    ),
    description: `Covers the events that the webhook currently subscribes to, except test events. ${sameReplay}`,
  },
  {
    ...operator('GET', `${tenantPath}/deliveries`, 'List deliveries, the newest events first', ok(shown.deliveryPage)),
    description: examined,
    query: [
      ...deliveryParameters,
      { name: 'webhook_id', description: 'Only deliveries to this webhook.', schema: { type: 'string' } },
    ],
  },
  operator('GET', deliveryPath, 'Get one delivery with its attempts and its body', ok(shown.deliveryDetails)),
  {
    ...operator('POST', `${deliveryPath}/resend`, 'Send one delivery again', replayed, requests.resendBody),
    bodyOptional: true,
    description: `Also sends a delivered one again; does not interrupt an attempt in progress. ${sameReplay}`,
  },
  operator('GET', `${tenantPath}/replays`, 'List replays, the newest first', ok(shown.replayPage), undefined, [
    limit,
    cursor,
  ]),
  operator('GET', replayPath, 'Get one replay and its progress', ok(shown.replay)),
  {
    ...operator('POST', `${replayPath}/cancel`, 'Cancel a replay', replayed),
    description: 'Deliveries that are already due are still sent; the rest is not.',
  },
];
