import { SourceError } from '../connector.js';
import { isObject, type JsonObject, scalarText, valueAt } from '../json/json-value.js';
import type { ChunkRequest, Listing } from '../listing/listing.js';
import { type Credentials, credentialReport } from './credential-report.js';
import { type About, type CallIam, iamPage } from './iam-client.js';
import { isAdministrator } from './iam-roles.js';
import { liveCredentials } from './live-credentials.js';

const maxItems = 100;
const details = 'GetAccountAuthorizationDetails';

/** Lists the users of an account: all, or only those with or without a password. */
export function iamUsers(call: CallIam, wanted: 'all' | 'with_password' | 'without_password', pollMs: number): Listing {
  let report: Map<string, Credentials> | undefined;
  return {
    name: 'users',
    async read({ at, limit, signal, budget }: ChunkRequest) {
      const about = { signal, budget };
      report ??= await credentialReport(call, about, pollMs);
      const before = at ? Number(at.least) : await countUsers(call, about);
      const result = await call(
        details,
        {
          'Filter.member.1': 'User',
          MaxItems: String(Math.min(limit, maxItems)),
          Marker: at && String(at.marker),
        },
        about,
      );
      const { items, marker } = iamPage(details, result, 'UserDetailList');
      const seen = (at?.seen ?? 0) + items.length;
      if (marker === undefined) {
        // Users created or deleted during the read are in only one of the two counts.
        const least = Math.min(before, await countUsers(call, about));
        if (seen < least) {
          throw new SourceError(`${details} of IAM returned ${seen} of ${least} users, so the list is incomplete`);
        }
      }
      const documents: JsonObject[] = [];
      for (const item of items) {
        const user = isObject(item) ? await asDocument(call, item, report, about) : {};
        if (user && isWanted(user, wanted)) documents.push(user);
      }
      return {
        documents,
        ...(marker !== undefined && { next: { marker, seen, least: before } }),
        fraction: before === 0 ? 1 : seen / before,
        from: `${details} of IAM`,
      };
    },
  };
}

async function countUsers(call: CallIam, about: About): Promise<number> {
  const { SummaryMap: map } = await call('GetAccountSummary', {}, about);
  const users = Number(scalarText(valueAt(map, 'Users')) ?? Number.NaN);
  if (!Number.isSafeInteger(users)) throw new SourceError('GetAccountSummary of IAM answered without Users');
  return users;
}

/** Returns whether a user is selected. An invalid user is selected, so that it becomes a record error. */
function isWanted(user: JsonObject, wanted: string): boolean {
  const credentials = valueAt(user, 'credentials');
  if (wanted === 'all' || credentials === undefined) return true;
  return valueAt(credentials, 'password_enabled') === (wanted === 'with_password');
}

/** Reads a user; undefined if it was deleted after the list was read. */
async function asDocument(
  call: CallIam,
  user: JsonObject,
  report: Map<string, Credentials>,
  about: About,
): Promise<JsonObject | undefined> {
  const id = scalarText(valueAt(user, 'UserId'));
  const name = scalarText(valueAt(user, 'UserName'));
  if (id === undefined || name === undefined) return {};
  const reported = report.get(scalarText(valueAt(user, 'Arn')) ?? '');
  const credentials = reported ?? (await liveCredentials(call, name, about));
  if (!credentials) return undefined;
  const active = credentials.access_keys.filter((key) => key.active);
  const used = [credentials.password_last_used, ...credentials.access_keys.map((key) => key.last_used)];
  return {
    ...user,
    credentials,
    '@id': id,
    '@type': 'user',
    '@name': name,
    '@classification': 'service_account',
    '@status': credentials.password_enabled || active.length > 0 ? 'active' : 'disabled',
    '@privileged': isAdministrator(user),
    '@secret_created_at': earliest(active.map((key) => key.created)),
    '@last_used_at': earliest(used, -1),
  };
}

/** Returns the earliest of ISO 8601 dates, or the latest if `order` is -1. */
function earliest(dates: readonly (string | undefined)[], order = 1): string | undefined {
  const known = dates.filter((date) => date !== undefined);
  return known.sort((a, b) => order * (Date.parse(a) - Date.parse(b)))[0];
}
