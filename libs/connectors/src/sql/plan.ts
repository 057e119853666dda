import type { SqlConfig } from '@idsync/contracts';
import { SourceError } from '../connector.js';
import type { Plan } from './page-statement.js';
import type { Column, Dialect, Session } from './session.js';

/**
 * Looks at the columns of the table or the query. `mapped` are the names whose values are wanted, all there are if it is left
 * out. Throws SourceError for what the source has not got, or what no order can be made of.
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
  if (twice !== undefined) throw new SourceError(`there are two columns named "${twice}"`);

  const { key = config.external_id, changed_at: changed, deleted } = config;
  const needed = [...new Set([...(mapped ?? names), ...(deleted === undefined ? [] : [deleted])])];
  const missing = [...needed, key, ...(changed === undefined ? [] : [changed])].filter((name) => !names.includes(name));
  // Whoever maps looks at the columns first, before there is a key.
  if (missing.length > 0 && mapped) {
    throw new SourceError(`there is no column ${quoteAll(missing)}; there are ${quoteAll(names)}`);
  }
  const named = (name: string) => all.find((column) => column.name === name);
  const keyColumn = named(key) ?? all[0];
  const changedAt = changed === undefined ? undefined : named(changed);
  if (!keyColumn) throw new SourceError('there are no columns');
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
    // What is no statement by itself could end the parenthesis early, and be another statement than it seems.
    await session.check(query);
    // The line break ends a comment that the query may end in.
    return `(${query}\n) as source`;
  }
  const path = [...(schema === undefined ? [] : [schema]), table ?? ''];
  return `${path.map(dialect.quote).join('.')} as source`;
}

function checkKinds(needed: readonly Column[], key: Column, changedAt: Column | undefined): void {
  const unreadable = needed.filter(({ kind }) => kind === 'unreadable');
  if (unreadable.length > 0) {
    throw new SourceError(`the values of ${quoteAll(unreadable.map(({ name }) => name))} cannot be read as text`);
  }
  if (!key.orderable) throw new SourceError(`a column of the type of "${key.name}" (${key.type}) cannot be the key`);
  if (changedAt && changedAt.kind !== 'time' && changedAt.kind !== 'date') {
    throw new SourceError(`"${changedAt.name}" (${changedAt.type}) is no column of times`);
  }
}

function quoteAll(names: readonly string[]): string {
  const all = [...new Set(names)].map((name) => `"${name}"`);
  return all.length > 40 ? `${all.slice(0, 40).join(', ')}, …` : all.join(', ');
}
