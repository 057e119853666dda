import { nextCursor as cursor } from './delivery-parameters.js';
import * as shown from './event-resources.js';
import { limit, type RouteDefinition, tenant, textParameter, timeParameter } from './route.js';

/** Operators' routes for events. */
export const eventRoutes: RouteDefinition[] = [
  tenant.get('/events', 'List events, the newest first', shown.operatorEventPage, {
    description:
      'Without values of people. With a filter, one request examines 5 000 events, so a page may have fewer than `limit` items, or none, although more follow. The list ends where `next_cursor` is absent.',
    query: [
      limit,
      cursor,
      textParameter('types', 'Like the `events` of a subscription, separated by commas: `identity.*,user.created`.'),
      textParameter('identity_id', 'Only events of this identity and of those that were merged into it.'),
      textParameter('subject_id', 'Only events about this user, account or machine identity.'),
      textParameter('job_id', 'Only events that this run caused.'),
      textParameter('connector_id', 'Only events that runs of this connector caused.'),
      timeParameter('since', 'Only events that occurred at this time or later.'),
      timeParameter('until', 'Only events that occurred before this time.'),
    ],
  }),
  tenant.get(
    '/events/stream',
    'Stream references of new events',
    { status: 200, schema: shown.eventStream, type: 'text/event-stream' },
    {
      description:
        'Without values of people. Continues after `Last-Event-ID` or else after `after`, and otherwise begins with the next event. A stream that is more than 1 000 events behind gets a message `reset` instead of them. It ends after 15 minutes, and within 30 s after its session or token has ended. A session, or the callers with tokens of one address, may have 4 streams (429), and a gateway 200 (503).',
      query: [
        {
          name: 'after',
          description: 'Sequence of the last event that is known, or `latest`.',
          schema: {
            oneOf: [
              { type: 'integer', minimum: 0 },
              { type: 'string', const: 'latest' },
            ],
            default: 'latest',
          },
        },
      ],
      resumable: true,
    },
  ),
  tenant.get('/events/{eventId}', 'Get one event with its details and its body', shown.operatorEventDetails),
  tenant.get(
    '/records/{recordId}',
    'Find the source and the identity of a user, account or machine identity',
    shown.operatorRecord,
  ),
  tenant.get('/activity', 'Count events and deliveries by hour', shown.activity, {
    description: 'Counts the newest 20 000 events and 20 000 attempts of the last 24 hours.',
  }),
];
