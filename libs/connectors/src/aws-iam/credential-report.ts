import { parse } from 'csv-parse/sync';
import { SourceError } from '../connector.js';
import { StatusError } from '../http/failures.js';
import { scalarText, valueAt } from '../json/json-value.js';
import { type About, type CallIam, iamPage } from './iam-client.js';

interface AccessKey {
  active: boolean;
  /** Creation time of its secret. */
  created?: string;
  last_used?: string;
  last_used_service?: string;
  last_used_region?: string;
}

/** The credentials of a user. */
export interface Credentials {
  password_enabled: boolean;
  password_last_used?: string;
  password_last_changed?: string;
  mfa_active?: boolean;
  access_keys: AccessKey[];
}

const notYet = new Set(['ReportInProgress', 'ReportNotPresent', 'ReportExpired']);
const needed = ['arn', 'password_enabled', 'access_key_1_active', 'access_key_2_active'];

/**
 * Reads the credentials of all users by ARN from the credential report of the account: one request instead of five per
 * user. An account has at most 5 000 users. AWS creates a report every four hours, so newer users are missing.
 */
export async function credentialReport(call: CallIam, about: About, pollMs: number): Promise<Map<string, Credentials>> {
  // The waiting time of the page limits the polling.
  for (;;) {
    const { State: state } = await call('GenerateCredentialReport', {}, about);
    const report = state === 'COMPLETE' ? await fetchReport(call, about) : undefined;
    if (report) return readReport(report);
    await about.budget.wait(pollMs, about.signal, 'the credential report of the account is not ready');
  }
}

async function fetchReport(call: CallIam, about: About): Promise<string | undefined> {
  try {
    const result = await call('GetCredentialReport', {}, about);
    const content = scalarText(valueAt(result, 'Content'));
    if (!content || valueAt(result, 'ReportFormat') !== 'text/csv') {
      throw new SourceError('the credential report of the account is not CSV');
    }
    return Buffer.from(content, 'base64').toString('utf8');
  } catch (error) {
    if (error instanceof StatusError && notYet.has(error.reason ?? '')) return undefined;
    throw error;
  }
}

function readReport(text: string): Map<string, Credentials> {
  const credentials = new Map<string, Credentials>();
  for (const row of rows(text)) credentials.set(row.arn ?? '', credentialsOf(row));
  return credentials;
}

function rows(text: string): Record<string, string>[] {
  let found: Record<string, string>[];
  try {
    found = parse(text, { columns: true, skip_empty_lines: true });
  } catch {
    throw new SourceError('the credential report of the account cannot be parsed');
  }
  const missing = needed.find((column) => found.length > 0 && found[0]?.[column] === undefined);
  if (missing !== undefined || found.length === 0) {
    throw new SourceError(`the credential report of the account has no ${missing ?? 'rows'}`);
  }
  return found;
}

function credentialsOf(row: Record<string, string>): Credentials {
  const keys = [1, 2].map((number) => keyOf(row, `access_key_${number}_`));
  return {
    password_enabled: row.password_enabled === 'true',
    password_last_used: dateIn(row.password_last_used),
    password_last_changed: dateIn(row.password_last_changed),
    mfa_active: row.mfa_active === undefined ? undefined : row.mfa_active === 'true',
    access_keys: keys.filter((key) => key.created !== undefined || key.active),
  };
}

function keyOf(row: Record<string, string>, prefix: string): AccessKey {
  return {
    active: row[`${prefix}active`] === 'true',
    created: dateIn(row[`${prefix}last_rotated`]),
    last_used: dateIn(row[`${prefix}last_used_date`]),
    last_used_service: valueIn(row[`${prefix}last_used_service`]),
    last_used_region: valueIn(row[`${prefix}last_used_region`]),
  };
}

/** Parses a date. A report has `N/A`, `no_information` or `not_supported` for a missing one. */
function dateIn(text: string | undefined): string | undefined {
  return text !== undefined && /^\d{4}-/.test(text) ? text : undefined;
}

function valueIn(text: string | undefined): string | undefined {
  return text === undefined || text === '' || text === 'N/A' ? undefined : text;
}

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
    keys.push(liveKeyOf(item, valueAt(used, 'AccessKeyLastUsed')));
  }
  const login = await unlessMissing(call('GetLoginProfile', { UserName: userName }, about));
  return {
    password_enabled: login !== undefined,
    password_last_changed: scalarText(valueAt(valueAt(login, 'LoginProfile'), 'CreateDate')),
    access_keys: keys,
  };
}

function liveKeyOf(item: unknown, used: unknown): AccessKey {
  const text = (name: string) => {
    const text = scalarText(valueAt(used, name));
    return text === 'N/A' || text === '' ? undefined : text;
  };
  return {
    active: valueAt(item, 'Status') === 'Active',
    created: scalarText(valueAt(item, 'CreateDate')),
    last_used: text('LastUsedDate'),
    last_used_service: text('ServiceName'),
    last_used_region: text('Region'),
  };
}

async function unlessMissing<T>(result: Promise<T>): Promise<T | undefined> {
  try {
    return await result;
  } catch (error) {
    if (error instanceof StatusError && error.reason === 'NoSuchEntity') return undefined;
    throw error;
  }
}
