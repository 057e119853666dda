// SQL by hand: cursors, so that an export of any size needs the memory of a few rows.
import { encodeId, type IdKind, isUuid } from '@idsync/contracts';
import type { Transaction } from '../../database.js';
import { shownDetails } from '../../event-details.js';
import { type ExportedKind, exportedKinds } from './exported-kinds.js';

/** Rows that are read at once. A document can have hundreds of kilobytes. */
const rowsAtOnce = 50;

export type WriteLine = (line: string) => Promise<void>;

/**
 * Writes everything of a tenant as JSON lines, without secrets. The transaction must have one snapshot. The last line
 * has the number of lines of each kind, so that a truncated export is recognised.
 */
export async function exportTenant(tx: Transaction, tenantId: string, write: WriteLine): Promise<void> {
  // An index of the tenant's rows: the tables have rows of other tenants, and may lack statistics.
  await tx.query('set local enable_seqscan = off');
  await tx.query(`set local timezone = 'UTC'`);
  const [tenant] = await tx.query<object>(
    `select id, name, created_at, suspended_at, now() as exported_at,
            (select last from event_sequences where tenant_id = $1) as last_sequence
       from tenants where id = $1`,
    [tenantId],
  );
  await write(lineOf('tenant', { idKind: 'tenant' }, tenant ?? {}));
  const lines: Record<string, number> = { tenant: 1 };
  for (const [kind, exported] of Object.entries(exportedKinds)) {
    lines[kind] = 0;
    for (const select of exported.selects) {
      lines[kind] += await writeRows(tx, [kind, exported], { select, tenantId, write });
    }
  }
  await write(`${JSON.stringify({ kind: 'end', lines })}\n`);
}

async function writeRows(
  tx: Transaction,
  [kind, exported]: [string, ExportedKind],
  { select, tenantId, write }: { select: string; tenantId: string; write: WriteLine },
): Promise<number> {
  await tx.query(`declare exported no scroll cursor for ${select}`, [tenantId]);
  for (let count = 0; ; ) {
    const rows = await tx.query<object>(`fetch ${rowsAtOnce} from exported`);
    for (const row of rows) await write(lineOf(kind, exported, row));
    count += rows.length;
    if (rows.length === rowsAtOnce) continue;
    await tx.query('close exported');
    return count;
  }
}

interface ExportedRow {
  document?: string | null;
  id?: unknown;
  /** Only of events, in which ids are public. */
  details?: Record<string, unknown>;
}

/** The document is JSON that is sent as it is stored. */
function lineOf(kind: string, { idKind }: Pick<ExportedKind, 'idKind'>, row: object): string {
  const { document, id, details, ...rest } = row as ExportedRow;
  const shown = JSON.stringify({
    kind,
    ...(typeof id === 'string' && { id: idKind ? encodeId(idKind, id) : id, uuid: idKind ? id : undefined }),
    ...(withPublicIds(rest) as object),
    ...(details && { details: shownDetails(details) }),
  });
  return document ? `${shown.slice(0, -1)},"document":${document}}\n` : `${shown}\n`;
}

const idKinds: Record<string, IdKind> = {
  identity_id: 'identity',
  into_id: 'identity',
  manager_id: 'identity',
  connector_id: 'connector',
  job_id: 'job',
  operation_id: 'operation',
  reverted_by: 'operation',
  case_id: 'case',
};
/** Values of sources and of operators, in which nothing is an id of idsync. */
const asStored = new Set(['fields', 'config', 'details', 'pushed']);

/** Replaces the ids of other resources at any depth, and leaves out null. */
function withPublicIds(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(withPublicIds);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, part]) => {
      if (part === null) return [];
      if (asStored.has(name)) return [[name, part]];
      const kind = Object.hasOwn(idKinds, name) ? idKinds[name] : undefined;
      return [[name, kind && typeof part === 'string' && isUuid(part) ? encodeId(kind, part) : withPublicIds(part)]];
    }),
  );
}
