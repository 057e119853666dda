import { queues } from '../topology.js';
import * as requests from './requests.js';
import { limit, ok, operator, type RouteDefinition } from './route.js';
import * as shown from './system-resources.js';

const path = '/admin/v1/system';
const letter = `${path}/dead-letters/{deadLetterId}`;

/** Routes for operators of the installation. */
export const systemRoutes: RouteDefinition[] = [
  {
    ...operator('GET', path, 'Get versions, processes and queues of the installation', ok(shown.system)),
    description: 'Waits at most two seconds for the broker.',
  },
  operator(
    'GET',
    `${path}/dead-letters`,
    'List messages that were dead-lettered, the newest first',
    ok(shown.deadLetterPage),
    undefined,
    [
      limit,
      { name: 'cursor', description: '`next_cursor` of an earlier page.', schema: { type: 'string' } },
      {
        name: 'queue',
        description: 'Only messages of this queue.',
        schema: { type: 'string', enum: Object.keys(queues) },
      },
    ],
  ),
  operator('GET', letter, 'Get one dead letter with its message', ok(shown.deadLetterDetails)),
  {
    ...operator('POST', `${letter}/requeue`, 'Send a dead letter again', { status: 204 }),
    description:
      'The message keeps its id and begins with its first attempt. A second request finds no dead letter and responds with 404. 400 if no queue receives messages of this type.',
  },
  operator(
    'POST',
    `${letter}/discard`,
    'Remove a dead letter without handling it',
    { status: 204 },
    requests.discardBody,
  ),
];
