// SQL by hand: cursors, so that an export of any size needs the memory of a few rows.
import { encodeId, type IdKind, isUuid, parseDate } from '@idsync/contracts';
import type { Transaction } from '../../database.js';
import { shownDetails } from '../../event-details.js';
import { useIndexOrder } from '../../transaction-settings.js';
import { type ExportedKind, exportedKinds, type KeyType, selectOf } from './exported-kinds.js';

/** Rows that are read at once. A document can have hundreds of kilobytes. */
const rowsAtOnce = 50;

export type WriteLine = (line: string) => Promise<void>;

/** Bytes between two positions from which an export can be continued. */
const bytesBetweenPositions = 256 * 1_024;

/** Where an export is continued. */
export interface ExportPosition {
  kind: string;
  /** The key of the last row that was written. */
  key: string[];
  /** The number of lines of each kind up to it. */
  lines: Record<string, number>;
}

/**
 * Writes everything of a tenant as JSON lines, without secrets. The transaction must have one snapshot. The last line
 * has the number of lines of each kind, so that a truncated export is recognised. Some lines have a position, after which
 * another export continues: the rows of each kind are in the order of a key that does not change.
 */
export async function exportTenant(tx: Transaction, write: WriteLine, after?: ExportPosition): Promise<void> {
  // The index of the key, up to the next rows: the tables have rows of other tenants, and may lack statistics.
  await useIndexOrder(tx);
  await tx.query(`set local timezone = 'UTC'`);
  const [tenant] = await tx.query<object>(
    `select id, name, created_at, suspended_at, now() as exported_at,
            (select last from event_sequences where tenant_id = $1) as last_sequence
       from tenants where id = $1`,
    [tx.tenantId],
  );
  const kind = after ? 'continued' : 'tenant';
  await write(lineOf(kind, { idKind: 'tenant' }, tenant ?? {}));
  const lines: Record<string, number> = { ...after?.lines, [kind]: (after?.lines[kind] ?? 0) + 1 };
  const kinds = Object.keys(exportedKinds);
  for (const kind of kinds.slice(after ? kinds.indexOf(after.kind) : 0)) {
    lines[kind] ??= 0;
    await writeRows(tx, {
      kind,
      lines,
      tenantId: tx.tenantId,
      write,
      after: after?.kind === kind ? after.key : undefined,
    });
  }
  await write(`${JSON.stringify({ kind: 'end', lines })}\n`);
}

const keyFormats: Record<KeyType, RegExp> = {
  uuid: /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/,
  text: /^[^\0]*$/,
  bigint: /^\d{1,18}$/,
  timestamptz: /^(?!0000)\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?\+00$/,
};

/** True if PostgreSQL accepts the text of a key. */
function isKey(type: KeyType, text: string): boolean {
  return keyFormats[type].test(text) && (type !== 'timestamptz' || parseDate(text) !== undefined);
}

/** Returns undefined for text that is not a position of an export. */
export function readExportPosition(text: string): ExportPosition | undefined {
  try {
    const [kind, key, lines] = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    const types = Object.hasOwn(exportedKinds, kind) ? Object.values(exportedKinds[kind]?.key ?? {}) : [];
    const fits = types.length > 0 && types.every((type, nth) => isKey(type, key[nth]));
    const counted = Object.values(lines).every((count) => Number.isSafeInteger(count));
    return fits && counted && key.length === types.length ? { kind, key, lines } : undefined;
  } catch {
    return undefined;
  }
}

interface Part {
  kind: string;
  /** The number of lines of each kind, which is increased. */
  lines: Record<string, number>;
  tenantId: string;
  write: WriteLine;
  /** The key of the row before the first one. */
  after: string[] | undefined;
}

async function writeRows(tx: Transaction, { kind, lines, tenantId, write, after }: Part): Promise<void> {
  const exported = exportedKinds[kind] as ExportedKind;
  const select = selectOf(exported, after !== undefined);
  await tx.query(`declare exported no scroll cursor for ${select}`, [tenantId, ...(after ?? [])]);
  for (let bytes = 0; ; ) {
    const rows = await tx.query<{ place?: string[] }>(`fetch ${rowsAtOnce} from exported`);
    for (const { place: key, ...row } of rows) {
      lines[kind] = (lines[kind] ?? 0) + 1;
      const isDue = key && bytes >= bytesBetweenPositions;
      const line = lineOf(kind, exported, row, isDue ? positionOf({ kind, key, lines }) : undefined);
      bytes = isDue ? 0 : bytes + line.length;
      await write(line);
    }
    if (rows.length === rowsAtOnce) continue;
    await tx.query('close exported');
    return;
  }
}

function positionOf({ kind, key, lines }: ExportPosition): string {
  return Buffer.from(JSON.stringify([kind, key, lines])).toString('base64url');
}

interface ExportedRow {
  document?: string | null;
  id?: unknown;
  /** Only of events, in which ids are public. */
  details?: Record<string, unknown>;
}

/** The document is JSON that is sent as it is stored. */
function lineOf(kind: string, { idKind }: Pick<ExportedKind, 'idKind'>, row: object, position?: string): string {
  const { document, id, details, ...rest } = row as ExportedRow;
  const shown = JSON.stringify({
    kind,
    position,
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
