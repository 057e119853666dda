import { SourceError } from '../connector.js';
import { StatusError } from '../http/failures.js';
import { scalarText, valueAt } from '../json/json-value.js';
import { type AccessKey, type Credentials, present } from './credential-report.js';
import { type About, type CallIam, iamPage } from './iam-client.js';

/** Reads the credentials of a user that is not in the report yet; undefined if the user no longer exists. */
export async function liveCredentials(call: CallIam, userName: string, about: About): Promise<Credentials | undefined> {
  const listed = await unlessMissing(call('ListAccessKeys', { UserName: userName }, about));
  if (!listed) return undefined;
  const { items, marker } = iamPage('ListAccessKeys', listed, 'AccessKeyMetadata');
  // A user has at most two access keys.
  if (marker !== undefined)
    throw new SourceError('ListAccessKeys of IAM returned more than two keys of a user', { said: userName });
  const keys: AccessKey[] = [];
  for (const item of items) {
    const id = scalarText(valueAt(item, 'AccessKeyId'));
    const used = await unlessMissing(call('GetAccessKeyLastUsed', { AccessKeyId: id }, about));
    keys.push(keyOf(item, valueAt(used, 'AccessKeyLastUsed')));
  }
  const login = await unlessMissing(call('GetLoginProfile', { UserName: userName }, about));
  return present<Credentials>({
    password_enabled: login !== undefined,
    password_last_changed: scalarText(valueAt(valueAt(login, 'LoginProfile'), 'CreateDate')),
    access_keys: keys,
  });
}

function keyOf(item: unknown, used: unknown): AccessKey {
  const text = (name: string) => {
    const text = scalarText(valueAt(used, name));
    return text === 'N/A' || text === '' ? undefined : text;
  };
  return present<AccessKey>({
    active: valueAt(item, 'Status') === 'Active',
    created: scalarText(valueAt(item, 'CreateDate')),
    last_used: text('LastUsedDate'),
    last_used_service: text('ServiceName'),
    last_used_region: text('Region'),
  });
}

async function unlessMissing<T>(result: Promise<T>): Promise<T | undefined> {
  try {
    return await result;
  } catch (error) {
    if (error instanceof StatusError && error.reason === 'NoSuchEntity') return undefined;
    throw error;
  }
}
