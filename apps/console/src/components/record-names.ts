import { wordsOf } from './status';

const names: Readonly<Record<string, string>> = {
  user: 'People',
  account: 'Accounts',
  machine_identity: 'Machines',
};

/** Names the records that a source lists, as the screens that show them do. */
export const recordsName = (records: string) => names[records] ?? wordsOf(records);
