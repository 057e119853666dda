import { createHash } from 'node:crypto';
import { encodeId, type responses } from '@idsync/contracts';
import type { GroupRow, NamedGroup } from '@idsync/database/gateway';
import { type AttributeSelection, selected } from '../scim/present-resource.js';
import { enterpriseSchema, groupSchema, userSchema } from '../scim/scim-schemas.js';

type Attributes = Readonly<Record<string, unknown>>;

export type Member = Pick<responses.User, 'id' | 'display_name'>;

/** A resource before the selection of its attributes. */
export interface Presented {
  schemas: readonly string[];
  id: string;
  attributes: Attributes;
  version: string;
}

/** Returns the userName of a user: sources need not deliver one. */
export function userNameOf({ user_principal_name, email, external_id }: responses.User): string {
  return user_principal_name ?? email ?? external_id;
}

/** Presents a user of `/v1/users` with its groups as a SCIM user. */
export function presentUser(user: responses.User, groups: readonly NamedGroup[], base: string): Presented {
  const [department] = user.departments;
  const name = { givenName: user.first_name, familyName: user.last_name };
  return presented('User', user.id, base, [userSchema.id, ...(department === undefined ? [] : [enterpriseSchema.id])], {
    externalId: user.external_id,
    userName: userNameOf(user),
    displayName: user.display_name,
    ...((user.first_name ?? user.last_name) !== undefined && { name }),
    title: user.job_title,
    active: user.status === 'active',
    ...(user.email !== undefined && { emails: [{ value: user.email, type: 'work', primary: true }] }),
    ...(user.roles.length > 0 && { roles: user.roles.map((value) => ({ value })) }),
    ...(groups.length > 0 && { groups: groups.map((group) => groupLink(group, base)) }),
    ...(department !== undefined && { [enterpriseSchema.id]: { department } }),
    meta: { resourceType: 'User', created: user.created_at, lastModified: user.updated_at },
  });
}

function groupLink(group: NamedGroup, base: string): object {
  const id = encodeId('group', group.id);
  return { value: id, $ref: `${base}/Groups/${id}`, display: group.name };
}

/** Presents a group of `/v1/groups`. Members are absent unless the client has requested them. */
export function presentGroup(row: GroupRow, members: readonly Member[] | undefined, base: string): Presented {
  return presented('Group', encodeId('group', row.id), base, [groupSchema.id], {
    displayName: row.name,
    ...(members && {
      members: members.map((user) => ({
        value: user.id,
        $ref: `${base}/Users/${user.id}`,
        display: user.display_name,
        type: 'User',
      })),
    }),
    meta: {
      resourceType: 'Group',
      created: row.createdAt.toISOString(),
      ...(row.updatedAt && { lastModified: row.updatedAt.toISOString() }),
    },
  });
}

function presented(
  kind: 'User' | 'Group',
  id: string,
  base: string,
  schemas: readonly string[],
  { meta, ...attributes }: Attributes & { meta: object },
): Presented {
  const hash = createHash('sha256')
    .update(JSON.stringify([attributes, meta]))
    .digest('base64url')
    .slice(0, 22);
  const version = `W/"${hash}"`;
  const location = `${base}/${kind}s/${id}`;
  return { schemas, id, version, attributes: { ...attributes, meta: { ...meta, location, version } } };
}

/** Reduces a resource to the requested attributes; `schemas` and `id` are always returned. */
export function reduced({ schemas, id, attributes }: Presented, selection: AttributeSelection): object {
  return { schemas, id, ...selected(attributes, selection) };
}
