import * as shown from './event-resources.js';
import * as requests from './requests.js';
import { actions, tenant } from './route.js';

/** Operators' routes for events. */
export const eventRoutes = actions({
  listEvents: tenant.get('/events', 'List events, the newest first', shown.operatorEventPage, {
    description:
      'Without values of people. With a filter, one request examines 5 000 events, so a page may have fewer than `limit` items, or none, although more follow. The list ends where `next_cursor` is absent.',
    query: requests.operatorEventQuery,
  }),
  getEventsStream: tenant.get(
    '/events/stream',
    'Stream references of new events',
    { status: 200, schema: shown.eventStream, type: 'text/event-stream' },
    {
      description:
        'Without values of people. Continues after `Last-Event-ID` or else after `after`, and otherwise begins with the next event. A stream that is more than 1 000 events behind gets a message `reset` instead of them. It ends after 15 minutes, and within 30 s after its session or token has ended. A session, or the callers with tokens of one address, may have 4 streams (429), and a gateway 200 (503).',
      query: requests.eventStreamQuery,
      resumable: true,
    },
  ),
  getEvent: tenant.get('/events/{eventId}', 'Get one event with its details and its body', shown.operatorEventDetails, {
    readsPeople: true,
  }),
  getRecord: tenant.get(
    '/records/{recordId}',
    'Find the source and the identity of a user, account or machine identity',
    shown.operatorRecord,
  ),
  getActivity: tenant.get('/activity', 'Count events and deliveries by hour', shown.activity),
});
