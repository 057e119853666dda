import { deliveryStatuses } from '../webhooks.js';
import * as shown from './delivery-resources.js';
import * as requests from './requests.js';
import { limit, ok, operator, type QueryParameter, type RouteDefinition, tenantPath } from './route.js';

const webhookPath = `${tenantPath}/webhooks/{webhookId}`;
const deliveryPath = `${tenantPath}/deliveries/{deliveryId}`;
const replayPath = `${tenantPath}/replays/{replayId}`;
const cursor: QueryParameter = {
  name: 'cursor',
  description: 'The `next_cursor` of the page before.',
  schema: { type: 'string' },
};
const replayed = { status: 202, schema: shown.replay };
const sameReplay =
  'Who asks for the same before it has begun gets the same replay. 400 while the webhook is switched off.';

/** What operators see of webhooks and their deliveries, and what they do about them. */
export const deliveryRoutes: RouteDefinition[] = [
  operator('GET', `${tenantPath}/webhooks`, 'List webhooks with how they fare', ok(shown.webhookHealthList), [404]),
  operator(
    'GET',
    webhookPath,
    'Get one webhook with how it fared in the last 24 hours',
    ok(shown.webhookHealth),
    [404],
  ),
  {
    ...operator(
      'POST',
      `${webhookPath}/test`,
      'Send a test event to a webhook, whatever it subscribes to',
      { status: 202, schema: shown.testEvent },
      [400, 404],
      requests.testBody,
    ),
    bodyOptional: true,
  },
  {
    ...operator(
      'POST',
      `${webhookPath}/requeue`,
      'Send again what was given up',
      replayed,
      [400, 404],
      requests.againBody,
    ),
    bodyOptional: true,
    description: sameReplay,
  },
  {
    ...operator(
      'POST',
      `${webhookPath}/replay`,
      'Send what occurred in a time again, and what was never sent of it',
      replayed,
      [400, 404],
      requests.replayBody,
    ),
    description: `Of what the webhook subscribes to now; tests are left out. ${sameReplay}`,
  },
  {
    ...operator(
      'GET',
      `${tenantPath}/deliveries`,
      'List deliveries, the newest events first',
      ok(shown.deliveryPage),
      [400, 404],
    ),
    description:
      'One request looks at 20 000 deliveries or so: a page may hold fewer than `limit`, or none, although there are more. The list ends where `next_cursor` is absent.',
    query: [
      limit,
      cursor,
      { name: 'webhook_id', description: 'Only to this webhook.', schema: { type: 'string' } },
      { name: 'status', description: 'Only in this status.', schema: { type: 'string', enum: [...deliveryStatuses] } },
      { name: 'event_type', description: 'Only of events of this type.', schema: { type: 'string' } },
      {
        name: 'since',
        description: 'Only of events that occurred from here on.',
        schema: { type: 'string', format: 'date-time' },
      },
      {
        name: 'until',
        description: 'Only of events that occurred before.',
        schema: { type: 'string', format: 'date-time' },
      },
    ],
  },
  operator('GET', deliveryPath, 'Get one delivery with its attempts and what is sent', ok(shown.delivery), [404]),
  {
    ...operator('POST', `${deliveryPath}/resend`, 'Send one delivery again', replayed, [400, 404], requests.againBody),
    bodyOptional: true,
    description: `Also one that was delivered; an attempt that is under way is left to end. ${sameReplay}`,
  },
  operator(
    'GET',
    `${tenantPath}/replays`,
    'List replays, the newest first',
    ok(shown.replayPage),
    [400, 404],
    undefined,
    [limit, cursor],
  ),
  operator('GET', replayPath, 'Get one replay and how far it has come', ok(shown.replay), [404]),
  {
    ...operator('POST', `${replayPath}/cancel`, 'Cancel a replay', replayed, [400, 404]),
    description: 'What it has made due is sent; the rest of it is not.',
  },
];
