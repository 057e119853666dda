// SQL by hand: size-limited pages, benchmarked.
import type { Transaction } from '../database.js';
import { useIndexOrder } from '../transaction-settings.js';
import { findScimMemberships, type ScimMembership } from './scim-members.js';
import { waitForPush } from './scim-positions.js';
import { alone, type ScimDocument } from './scim-resources.js';

/** A position in the pushed users of a connector, in the order of changes. */
export interface PushedPosition {
  position: number;
  id: string;
}

/** A pushed user with the groups that contain it; without a document it is a tombstone. */
export interface PushedUser extends PushedPosition {
  document: ScimDocument | null;
  groups: ScimMembership[];
}

/** Users after a position, in the order of their last change. */
export interface PushedPage {
  users: PushedUser[];
  /** True if no user follows. */
  last: boolean;
}

/** A page ends with the user that exceeds this size, since users may be large and in many groups. */
const pageBytes = 8 * 1024 * 1024;
/** The groups of a page: those of at least one user, with names of this length. */
const ofPage = { max: 20_000, nameLength: 1_024, atLeast: 1 };
const rowsAtOnce = 32;

/** Reads at most `limit` users after a position. */
export async function readPushedUsers(
  tx: Transaction,
  connectorId: string,
  { position, id }: PushedPosition,
  { limit, deletedToo }: { limit: number; deletedToo: boolean },
): Promise<PushedPage> {
  await waitForPush(tx, connectorId);
  await useIndexOrder(tx);
  const rows: PushedText[] = [];
  let [bytes, last] = [0, false];
  for (let after = { position, id }; rows.length < limit && bytes < pageBytes && !last; ) {
    const atOnce = Math.min(limit - rows.length, rowsAtOnce);
    const chunk = await tx.query<PushedText>(
      `select id, position, case when deleted_at is null then document::text end as text from scim_resources
        where tenant_id = $1 and connector_id = $2 and position is not null and (position, id) > ($3, $4)
          ${deletedToo ? '' : 'and deleted_at is null'} order by position, id limit $5`,
      [tx.tenantId, connectorId, after.position, after.id, atOnce],
    );
    rows.push(...chunk);
    bytes += chunk.reduce((sum, { text }) => sum + Buffer.byteLength(text ?? ''), 0);
    last = chunk.length < atOnce;
    after = chunk.at(-1) ?? after;
  }
  const ids = rows.map((row) => row.id);
  const groups = await findScimMemberships(tx, connectorId, 'groups', ids, ofPage);
  const users = rows.slice(0, groups.size).map(({ id: of, position: at, text }) => ({
    id: of,
    position: at,
    document: text === null ? null : (JSON.parse(text) as ScimDocument),
    groups: groups.get(of) ?? [],
  }));
  return { users, last: last && users.length === rows.length };
}

interface PushedText {
  id: string;
  position: number;
  text: string | null;
}

/** Returns undefined if the user does not exist or was deleted. */
export async function readPushedUser(
  tx: Transaction,
  connectorId: string,
  id: string,
): Promise<PushedUser | undefined> {
  await waitForPush(tx, connectorId);
  const [row] = await tx.query<{ position: number; document: ScimDocument }>(
    `select position, document from (
       select position, document, deleted_at from scim_resources
        where tenant_id = $1 and connector_id = $2 and kind = 'User' and id = $3 ${alone}) as named
      where deleted_at is null`,
    [tx.tenantId, connectorId, id],
  );
  if (!row) return undefined;
  const groups = await findScimMemberships(tx, connectorId, 'groups', [id], ofPage);
  return { id, position: row.position, document: row.document, groups: groups.get(id) ?? [] };
}

/** Returns the number of the last push, and the position up to which tombstones are deleted. */
export async function findPushPosition(
  tx: Transaction,
  connectorId: string,
): Promise<{ last: number; forgotten: number }> {
  const [row] = await tx.query<{ last: number; forgotten: number }>(
    'select last, forgotten from scim_positions where tenant_id = $1 and connector_id = $2',
    [tx.tenantId, connectorId],
  );
  return row ?? { last: 0, forgotten: 0 };
}
