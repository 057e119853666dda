import type { SqlConfig } from '@idsync/contracts';
import { SourceError } from '../connector.js';
import type { Plan } from './page-statement.js';
import type { Column, Dialect, Session } from './session.js';

/**
 * Inspects the columns of the table or query. `mapped` are the columns to read; all if absent. Throws SourceError for
 * missing columns and for a key that cannot be ordered.
 */
export async function makePlan(
  dialect: Dialect,
  session: Session,
  config: SqlConfig,
  mapped?: readonly string[],
): Promise<Plan> {
  const from = await fromOf(dialect, session, config);
  const all = await session.columns(from);
  const names = all.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new SourceError('there are two columns with the same name', { said: twice });

  const { key = config.external_id, changed_at: changed, deleted } = config;
  const needed = [...new Set([...(mapped ?? names), ...(deleted === undefined ? [] : [deleted])])];
  const missing = [...needed, key, ...(changed === undefined ? [] : [changed])].filter((name) => !names.includes(name));
  // Field discovery runs before a mapping and a key are configured.
  if (missing.length > 0 && mapped) {
    throw new SourceError(`there is no column ${quoteAll(missing)}`, {
      code: 'misconfigured',
      said: `available columns: ${quoteAll(names)}`,
    });
  }
  const named = (name: string) => all.find((column) => column.name === name);
  const keyColumn = named(key) ?? all[0];
  const changedAt = changed === undefined ? undefined : named(changed);
  if (!keyColumn) throw new SourceError('the table or query has no columns');
  if (mapped)
    checkKinds(
      needed.flatMap((name) => named(name) ?? []),
      keyColumn,
      changedAt,
    );
  return {
    from,
    columns: all.filter(({ name }) => needed.includes(name)),
    key: keyColumn,
    ...(changedAt && { changedAt }),
  };
}

async function fromOf(dialect: Dialect, session: Session, { schema, table, query }: SqlConfig): Promise<string> {
  if (query !== undefined) {
    const named = await session.sideEffects(query);
    if (named.length > 0) {
      throw new SourceError(
        `the query may not use ${quoteAll(named)}, which may have side effects: use a view, or functions that are stable or immutable`,
      );
    }
    // Rejects an incomplete statement, which could close the parenthesis early and change the meaning.
    await session.check(query);
    // The line break ends a trailing comment of the query.
    return `(${query}\n) as source`;
  }
  const path = [...(schema === undefined ? [] : [schema]), table ?? ''];
  return `${path.map(dialect.quote).join('.')} as source`;
}

function checkKinds(needed: readonly Column[], key: Column, changedAt: Column | undefined): void {
  const unreadable = needed.filter(({ kind }) => kind === 'unreadable');
  if (unreadable.length > 0) {
    throw new SourceError(
      `the values of ${quoteAll(unreadable.map(({ name }) => name))} cannot be read as text`,
      'misconfigured',
    );
  }
  if (!key.orderable) {
    const { name, type } = key;
    throw new SourceError(`"${name}" cannot be the key because of its type`, { code: 'misconfigured', said: type });
  }
  if (changedAt && changedAt.kind !== 'time' && changedAt.kind !== 'date') {
    const { name, type } = changedAt;
    throw new SourceError(`"${name}" is not a date or time column`, { code: 'misconfigured', said: type });
  }
}

export function quoteAll(names: readonly string[]): string {
  const all = [...new Set(names)].map((name) => `"${name}"`);
  return all.length > 40 ? `${all.slice(0, 40).join(', ')}, …` : all.join(', ');
}
