import { entryOf, sentenceOf } from '../../components/words';

const known: Readonly<Record<string, string>> = {
  createSyncJob: 'Started a run',
  syncConnectorRecord: 'Read one record',
  replaceMatchingRules: 'Changed the matching rules',
  previewMatchingRules: 'Previewed matching rules',
  replaceAttributePriorities: 'Changed the source precedence',
  replaceFindingPolicy: 'Changed the rules of findings',
  replaceLifecyclePolicy: 'Changed joiner and leaver rules',
  replaceOperatorPolicy: 'Changed four eyes',
  replaceQuotas: 'Changed quotas',
  updateSettings: 'Changed settings',
  deleteApiKey: 'Revoked an API key',
  deleteConnectorToken: 'Revoked a source token',
  deleteServiceToken: 'Revoked a service token',
  deleteSuppression: 'Lifted a suppression',
  resendDelivery: 'Sent a delivery again',
  requeueSystemDeadLetter: 'Sent a dead letter again',
  discardSystemDeadLetter: 'Discarded a dead letter',
  rotateWebhookSecret: 'Rotated a webhook secret',
  revokeWebhookPortalLinks: 'Revoked portal links',
  testWebhook: 'Sent a test event',
  handDeletedConnectorOver: 'Handed a source over',
  approveApproval: 'Approved a request',
  rejectApproval: 'Rejected a request',
  resolveCase: 'Decided a case',
  endSession: 'Ended a session',
  signIn: 'Signed in',
  signOut: 'Signed out',
  signInFailed: 'Sign-in failed',
  getIdentity: 'Read a person',
  explainIdentity: 'Read why a person is so',
  getIdentityHistory: 'Read the history of a person',
  listIdentities: 'Read people',
  getOperation: 'Read an operation',
};

const verbs: Readonly<Record<string, string>> = {
  accept: 'Accepted',
  apply: 'Applied',
  cancel: 'Cancelled',
  create: 'Created',
  delete: 'Deleted',
  discover: 'Discovered fields of',
  erase: 'Erased',
  export: 'Exported',
  get: 'Read',
  list: 'Read',
  merge: 'Merged',
  release: 'Released',
  reopen: 'Opened again',
  replace: 'Changed',
  replay: 'Replayed',
  requeue: 'Requeued',
  retire: 'Retired',
  revert: 'Reverted',
  revoke: 'Revoked',
  rotate: 'Rotated',
  split: 'Split',
  test: 'Tested',
  undo: 'Undid',
  update: 'Changed',
};

const nouns: Readonly<Record<string, string>> = {
  'sync job': 'run',
  'sync jobs': 'runs',
  connector: 'source',
  'connector token': 'source token',
  'deleted connector': 'deleted source',
  identity: 'person',
  identities: 'people',
  'api key': 'API key',
  'machine identity': 'machine',
  'machine identities': 'machines',
};

/** An act of the audit log in words; one that is not known by the words of its name. */
export function actWords(action: string): string {
  const own = entryOf(known, action);
  if (own) return own;
  const [first = '', ...rest] = action
    .replace(/([A-Z])/g, ' $1')
    .toLowerCase()
    .trim()
    .split(' ');
  const name = rest.join(' ');
  const verb = entryOf(verbs, first);
  if (!verb || name === '') return sentenceOf([first, ...rest].join(' '));
  const noun = entryOf(nouns, name) ?? name;
  return `${verb} ${articleOf(noun)}${noun}`;
}

function articleOf(noun: string): string {
  if (noun.endsWith('s') || noun === 'people') return '';
  return /^[aeio]/i.test(noun) ? 'an ' : 'a ';
}
