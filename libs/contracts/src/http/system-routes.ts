import { queues } from '../topology.js';
import * as requests from './requests.js';
import { choice, installation, limit, noContent, type RouteDefinition, textParameter } from './route.js';
import * as shown from './system-resources.js';

const letter = '/system/dead-letters/{deadLetterId}';

/** Routes for operators of the installation. */
export const systemRoutes: RouteDefinition[] = [
  installation.get('/system', 'Get versions, processes and queues of the installation', shown.system, {
    description: 'Waits at most two seconds for the broker.',
  }),
  installation.get(
    '/system/dead-letters',
    'List messages that were dead-lettered, the newest first',
    shown.deadLetterPage,
    {
      query: [
        limit,
        textParameter('cursor', '`next_cursor` of an earlier page.'),
        choice('queue', 'Only messages of this queue.', Object.keys(queues)),
      ],
    },
  ),
  installation.get(letter, 'Get one dead letter with its message', shown.deadLetterDetails),
  installation.post(`${letter}/requeue`, 'Send a dead letter again', noContent, {
    description:
      'The message keeps its id and begins with its first attempt. A second request finds no dead letter and responds with 404. 400 if no queue receives messages of this type.',
  }),
  installation.post(`${letter}/discard`, 'Remove a dead letter without handling it', noContent, {
    body: requests.discardBody,
  }),
];
