import { expect, it } from '@jest/globals';
import { actWords } from './act-words.js';

it.each([
  ['resendDelivery', 'Sent a delivery again'],
  ['createSyncJob', 'Started a run'],
  ['releaseSyncJob', 'Released a run'],
  ['updateConnector', 'Changed a source'],
  ['createApiKey', 'Created an API key'],
  ['eraseIdentity', 'Erased a person'],
  ['listMachineIdentities', 'Read machines'],
  ['listAccounts', 'Read accounts'],
  ['archiveTenant', 'Archive tenant'],
  ['constructor', 'Constructor'],
  ['unknown', 'Unknown'],
])('calls %s %j', (action, words) => {
  expect(actWords(action)).toBe(words);
});
