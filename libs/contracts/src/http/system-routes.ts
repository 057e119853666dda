import * as requests from './requests.js';
import { actions, noContent, wholeInstallation } from './route.js';
import * as shown from './system-resources.js';

const letter = '/system/dead-letters/{deadLetterId}';

/** Routes for operators of the installation. */
export const systemRoutes = actions({
  getSystem: wholeInstallation.get('/system', 'Get versions, processes and queues of the installation', shown.system, {
    description: 'Waits at most two seconds for the broker.',
  }),
  listSystemDeadLetters: wholeInstallation.get(
    '/system/dead-letters',
    'List messages that were dead-lettered, the newest first',
    shown.deadLetterPage,
    { query: requests.deadLetterQuery },
  ),
  getSystemDeadLetter: wholeInstallation.get(letter, 'Get one dead letter with its message', shown.deadLetterDetails),
  requeueSystemDeadLetter: wholeInstallation.post(`${letter}/requeue`, 'Send a dead letter again', noContent, {
    description:
      'The message keeps its id and begins with its first attempt. A second request finds no dead letter and responds with 404. 400 if no queue receives messages of this type.',
  }),
  discardSystemDeadLetter: wholeInstallation.post(
    `${letter}/discard`,
    'Remove a dead letter without handling it',
    noContent,
    { body: requests.discardBody },
  ),
});
