import type { Asked, Reply } from './http-server.js';

export interface IamUser {
  UserName: string;
  UserId: string;
  Arn: string;
  GroupList: string[];
  AttachedManagedPolicies: object[];
  Tags: object[];
  /** Columns of the credential report; absent for a user created after the report. */
  report?: Record<string, string>;
  /** Results of the actions for one user. */
  keys?: { AccessKeyId: string; Status: string; CreateDate: string; LastUsedDate?: string }[];
  hasPassword?: boolean;
}

export interface IamAccount {
  users: IamUser[];
  roles: object[];
}

const columns =
  'user,arn,user_creation_time,password_enabled,password_last_used,password_last_changed,password_next_rotation,mfa_active,access_key_1_active,access_key_1_last_rotated,access_key_1_last_used_date,access_key_1_last_used_region,access_key_1_last_used_service,access_key_2_active,access_key_2_last_rotated,access_key_2_last_used_date,access_key_2_last_used_region,access_key_2_last_used_service,cert_1_active,cert_1_last_rotated,cert_2_active,cert_2_last_rotated'.split(
    ',',
  );

/** Serves the IAM Query API for one account. A credential report is ready at the third request for it. */
export function iamApi(account: IamAccount, accessKeyId: string) {
  const state = { polls: 0 };
  return ({ headers, body }: Asked): Reply => {
    const asked = Object.fromEntries(new URLSearchParams(body));
    const { Action: action = '' } = asked;
    const credential = `Credential=${accessKeyId}/${headers['x-amz-date']?.slice(0, 8)}/us-east-1/iam/aws4_request`;
    if (
      !headers.authorization?.startsWith(`AWS4-HMAC-SHA256 ${credential}, SignedHeaders=content-type;host;x-amz-date`)
    ) {
      return failure(403, 'InvalidClientTokenId', 'The security token included in the request is invalid.');
    }
    switch (action) {
      case 'GenerateCredentialReport': {
        const states = ['STARTED', 'INPROGRESS', 'COMPLETE'];
        return result(action, { State: states[state.polls++ % states.length] });
      }
      case 'GetCredentialReport': {
        const Content = Buffer.from(reportOf(account)).toString('base64');
        return result(action, { Content, ReportFormat: 'text/csv', GeneratedTime: '2026-01-31T12:00:00Z' });
      }
      case 'GetAccountSummary': {
        const entries = { Users: account.users.length, UsersQuota: 5000, Groups: 2 };
        const SummaryMap = Object.entries(entries).map(([key, value]) => `<entry>${xml({ key, value })}</entry>`);
        return result(action, { SummaryMap: raw(SummaryMap.join('')) });
      }
      case 'GetAccountAuthorizationDetails':
        return details(account, asked);
      default:
        return ofUser(account, action, asked);
    }
  };
}

function details(account: IamAccount, asked: Record<string, string>): Reply {
  const isUsers = asked['Filter.member.1'] === 'User';
  const all = isUsers ? account.users.map(({ report: _, keys: __, hasPassword: ___, ...user }) => user) : account.roles;
  const from = Number(/^marker-(\d+)/.exec(asked.Marker ?? '')?.[1] ?? 0);
  const items = all.slice(from, from + Number(asked.MaxItems));
  const to = from + items.length;
  return result('GetAccountAuthorizationDetails', {
    IsTruncated: to < all.length,
    [isUsers ? 'UserDetailList' : 'RoleDetailList']: items,
    ...(to < all.length && { Marker: `marker-${to}` }),
  });
}

function ofUser({ users }: IamAccount, action: string, asked: Record<string, string>): Reply {
  const key = users.flatMap(({ keys = [] }) => keys).find(({ AccessKeyId }) => AccessKeyId === asked.AccessKeyId);
  if (action === 'GetAccessKeyLastUsed' && key) {
    const used = key.LastUsedDate
      ? { Region: 'us-west-2', LastUsedDate: key.LastUsedDate, ServiceName: 's3' }
      : { Region: 'N/A', ServiceName: 'N/A' };
    return result(action, { UserName: 'user', AccessKeyLastUsed: used });
  }
  const user = users.find(({ UserName }) => UserName === asked.UserName);
  const missing = failure(404, 'NoSuchEntity', `The user with name ${asked.UserName} cannot be found.`);
  if (!user?.keys) return missing;
  if (action === 'ListAccessKeys') {
    const AccessKeyMetadata = user.keys.map(({ LastUsedDate: _, ...listed }) => ({
      UserName: user.UserName,
      ...listed,
    }));
    return result(action, { IsTruncated: false, AccessKeyMetadata });
  }
  if (action !== 'GetLoginProfile' || !user.hasPassword) return missing;
  return result(action, { LoginProfile: { UserName: user.UserName, CreateDate: '2026-01-30T00:00:00Z' } });
}

function reportOf({ users }: IamAccount): string {
  const root: Record<string, string> = {
    user: '<root_account>',
    arn: 'arn:aws:iam::123456789012:root',
    password_enabled: 'not_supported',
  };
  const rows = users.flatMap(({ UserName: user, Arn: arn, report }) => (report ? [{ user, arn, ...report }] : []));
  const line = (row: Record<string, string>) => columns.map((column) => row[column] ?? 'N/A').join(',');
  return [columns.join(','), ...[root, ...rows].map(line)].join('\n');
}

function result(action: string, value: object): Reply {
  const metadata = '<ResponseMetadata><RequestId>7a62c49f-347e-4fc4-9331-6e8eEXAMPLE</RequestId></ResponseMetadata>';
  const inner = `<${action}Result>${xml(value)}</${action}Result>${metadata}`;
  return {
    headers: { 'content-type': 'text/xml' },
    body: `<${action}Response xmlns="https://iam.amazonaws.com/doc/2010-05-08/">${inner}</${action}Response>`,
  };
}

export function failure(status: number, Code: string, Message: string): Reply {
  const error = `<Error>${xml({ Type: 'Sender', Code, Message })}</Error>`;
  const body = `<ErrorResponse xmlns="https://iam.amazonaws.com/doc/2010-05-08/">${error}<RequestId>x</RequestId></ErrorResponse>`;
  return { status, headers: { 'content-type': 'text/xml' }, body };
}

class Raw {
  constructor(readonly text: string) {}
}

function raw(text: string): Raw {
  return new Raw(text);
}

function xml(value: unknown): string {
  if (value instanceof Raw) return value.text;
  if (Array.isArray(value)) return value.map((item) => `<member>${xml(item)}</member>`).join('\n');
  if (typeof value !== 'object' || value === null) {
    return String(value).replace(/[<>&]/g, (sign) => ({ '<': '&lt;', '>': '&gt;', '&': '&amp;' })[sign] ?? '');
  }
  return Object.entries(value)
    .map(([name, member]) => `<${name}>${xml(member)}</${name}>`)
    .join('\n');
}
