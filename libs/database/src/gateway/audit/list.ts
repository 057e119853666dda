// SQL by hand: ranges of one index, of which each request examines a bounded part.
import type { Transaction } from '../../database.js';
import { useIndexOrder } from '../../transaction-settings.js';

export interface AuditFilter {
  actor?: string;
  action?: string;
  resource?: string;
  requestId?: string;
  since?: Date;
  until?: Date;
}

export interface AuditRow {
  tenantId: string;
  sequence: number;
  id: string;
  at: Date;
  entry: string;
  hash: Buffer;
}

export interface AuditPage<Position> {
  rows: AuditRow[];
  /** Position of the next page; absent at the end. A page may be shorter than the limit although more follow. */
  next?: Position;
}

/** Rows that one request examines, which bounds the cost of filters without matches. */
const maxExamined = 20_000;
const columns = `tenant_id as "tenantId", sequence, id, at, entry, hash`;
const matches = (filter: AuditFilter, first: number) => {
  const given = Object.entries({
    request_id: filter.requestId,
    resource: filter.resource,
    actor: filter.actor,
    action: filter.action,
  }).filter(([, value]) => value !== undefined);
  return {
    lane: given[0]?.[0],
    values: given.map(([, value]) => value),
    conditions: given.map(([column], at) => `${column} = $${first + at}`),
  };
};

/** Lists entries of one chain. The first filter selects an index, whose range is examined for the other ones. */
export async function listAudit(
  tx: Transaction,
  chain: string,
  filter: AuditFilter & { limit: number; after?: number; oldestFirst?: boolean },
  examined = maxExamined,
): Promise<AuditPage<number>> {
  await useIndexOrder(tx);
  const { low, high } = await rangeOf(tx, chain, filter);
  const { lane, values, conditions } = matches(filter, 4);
  const order = filter.oldestFirst ? 'asc' : 'desc';
  const from = filter.oldestFirst ? Math.max(low, (filter.after ?? 0) + 1) : low;
  const to = filter.oldestFirst ? high : Math.min(high, (filter.after ?? Number.MAX_SAFE_INTEGER) - 1);
  // In the order of the index of the lane: with an equality, wrong statistics make the primary key look as good.
  const [inLane, by] = lane
    ? [
        `${lane} is not null and (${lane}, sequence) between ($4, $2) and ($4, $3)`,
        `${lane} ${order}, sequence ${order}`,
      ]
    : ['sequence between $2 and $3', `sequence ${order}`];
  const range = `from audit_entries where tenant_id = $1 and ${inLane} order by ${by} limit`;
  const rows = await tx.query<AuditRow>(
    `select ${columns} from (select * ${range} ${examined}) e where ${['true', ...conditions].join(' and ')}
      order by ${by} limit $${4 + values.length}`,
    [chain, from, to, ...values, filter.limit + 1],
  );
  if (rows.length > filter.limit) {
    const page = rows.slice(0, filter.limit);
    return { rows: page, next: page.at(-1)?.sequence };
  }
  const [edge] = await tx.query<{ count: number; sequence: number }>(
    `select count(*) as count, ${filter.oldestFirst ? 'max' : 'min'}(sequence) as sequence
       from (select sequence ${range} ${examined}) e`,
    [chain, from, to, ...values.slice(0, 1)],
  );
  return edge && edge.count === examined ? { rows, next: edge.sequence } : { rows };
}

/** Times follow the sequence of a chain, so a window of time is a range of sequences. */
async function rangeOf(tx: Transaction, chain: string, { since, until }: AuditFilter) {
  const edge = async (condition: string, order: string, time: Date | undefined, open: number, none: number) => {
    if (!time) return open;
    const [row] = await tx.query<{ sequence: number }>(
      `select sequence from audit_entries where tenant_id = $1 and at ${condition} $2
        order by at ${order}, sequence ${order} limit 1`,
      [chain, time],
    );
    return row?.sequence ?? none;
  };
  return {
    low: await edge('>=', 'asc', since, 0, Number.MAX_SAFE_INTEGER),
    high: await edge('<', 'desc', until, Number.MAX_SAFE_INTEGER, -1),
  };
}

export interface TimePosition {
  /** Milliseconds. */
  createdAt: number;
  id: string;
}

/** Lists entries of all chains, or of some, the newest first. */
export async function listAuditEverywhere(
  tx: Transaction,
  filter: AuditFilter & { limit: number; after?: TimePosition; chains?: readonly string[] },
  examined = maxExamined,
): Promise<AuditPage<TimePosition>> {
  await useIndexOrder(tx);
  const { values, conditions } = matches(filter, 7);
  const range = `from audit_entries
                  where (at, id) < ($1, $2::uuid) and at >= $3 and at < $4 order by at desc, id desc limit ${examined}`;
  const bounds = [
    filter.after ? new Date(filter.after.createdAt) : 'infinity',
    filter.after?.id ?? 'ffffffff-ffff-ffff-ffff-ffffffffffff',
    filter.since ?? '-infinity',
    filter.until ?? 'infinity',
  ];
  const rows = await tx.query<AuditRow>(
    `select ${columns} from (select * ${range}) e
      where ${['($6::uuid[] is null or tenant_id = any($6))', ...conditions].join(' and ')}
      order by at desc, id desc limit $5`,
    [...bounds, filter.limit + 1, filter.chains ? [...filter.chains] : null, ...values],
  );
  if (rows.length > filter.limit) {
    const page = rows.slice(0, filter.limit);
    const last = page.at(-1);
    return { rows: page, ...(last && { next: { createdAt: last.at.getTime(), id: last.id } }) };
  }
  const [edge] = await tx.query<{ count: number; at: Date; id: string }>(
    `select count(*) as count, (array_agg(at order by at, id))[1] as at, (array_agg(id order by at, id))[1] as id
       from (select at, id ${range}) e`,
    bounds,
  );
  return edge && edge.count === examined ? { rows, next: { createdAt: edge.at.getTime(), id: edge.id } } : { rows };
}
