import type { ConnectorType } from '@idsync/contracts';
import type { Connector } from './connector.js';
import type { ConfigOf } from './connector-registry.js';

type LeftOut = { [Type in ConnectorType]?: (config: ConfigOf<Type>, records: string) => (string | false)[] };

/** The records that the settings of each type leave out. LDAP and CSV examine the source instead. */
const leftOut: LeftOut = {
  'aws-iam': ({ users: given, roles, aws_roles: awsRoles }, records) => {
    const machines = records === 'machine_identity';
    const users = given ?? (machines ? 'without_password' : 'with_password');
    return [
      users === 'with_password' && 'users without a password are not read',
      users === 'without_password' && 'users with a password are not read',
      users === 'none' && 'users are not read, because users is none',
      machines && !roles && 'roles are not read, because roles is false',
      machines && roles && !awsRoles && 'roles that AWS created are not read, because aws_roles is false',
    ];
  },
  entra: ({ user_types: types, microsoft_apps: apps }, records) => [
    ...(['member', 'guest'] as const).map(
      (type) =>
        records !== 'machine_identity' &&
        !types.includes(type) &&
        `users of type ${type} are not read, because user_types does not contain it`,
    ),
    records === 'machine_identity' &&
      !apps &&
      'service principals of Microsoft applications are not read, because microsoft_apps is false',
  ],
  github: ({ machines }, records) =>
    (['apps', 'deploy_keys', 'fine_grained_tokens'] as const).map(
      (kind) =>
        records === 'machine_identity' &&
        !machines.includes(kind) &&
        `${kind} are not read, because machines does not contain them`,
    ),
  google: ({ query, deleted }) => [
    query !== undefined && 'users that do not match query are not read',
    !deleted && 'deleted users are not read, because deleted is false',
  ],
  kubernetes: ({ namespaces, label_selector: selector }) => [
    namespaces !== undefined && `service accounts outside the namespaces ${namespaces.join(', ')} are not read`,
    selector !== undefined && 'service accounts that do not match label_selector are not read',
  ],
  ldif: ({ object_class: objectClass }) => [
    objectClass !== undefined && `entries without the object class ${objectClass} are not read`,
  ],
  okta: ({ deprovisioned }, records) => [
    records === 'machine_identity' && 'apps that only sign in users are not read',
    records !== 'machine_identity' &&
      !deprovisioned &&
      'deactivated users are not read, because deprovisioned is false',
  ],
  scim: ({ filter, resource }) => [filter !== undefined && `${resource} that do not match filter are not read`],
};

/** Returns sentences about records that a connector never reads because of its type and settings. */
export function leftOutBySettings<Type extends ConnectorType>(
  type: Type,
  config: ConfigOf<Type>,
  records: string,
): string[] {
  const sentences = leftOut[type]?.(config, records) ?? [];
  return sentences.filter((sentence) => sentence !== false);
}

/** Returns a sentence about deletions that incremental runs cannot detect. */
export function unseenDeletions({ reportsChanges, reportsEveryChange, reportsDeletions }: Connector): string[] {
  if (!reportsChanges || reportsEveryChange || reportsDeletions) return [];
  return ['incremental runs do not see every deleted record: only full runs detect all deletions'];
}
