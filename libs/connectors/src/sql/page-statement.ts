import type { SqlConfig } from '@idsync/contracts';
import { quoteAll, SourceError } from '../connector.js';
import type { Column, Dialect, Session, Statement } from './session.js';

/** The columns to read and their order. */
export interface Plan {
  /** The FROM clause: a table, or a query in parentheses. */
  from: string;
  /** The columns to read. */
  columns: readonly Column[];
  key: Column;
  changedAt?: Column;
}

/** A period of changes in the time format of the source; from the first change without `since`. */
export interface Period {
  since?: { moment: string; overlapSeconds: number };
  until: string;
}

/**
 * A page of rows ordered by key, or of changes ordered by time. `after` contains the order values of the last row read.
 */
interface PageOf {
  period?: Period;
  after?: readonly string[];
  /** Only rows whose column contains this text or other characters than ASCII (`contains`), or equals the text. */
  match?: { column: Column; text: string; contains: boolean };
  /** Only rows whose column equals one of these texts. */
  among?: { column: Column; texts: readonly string[] };
  limit: number;
}

class Values {
  readonly bound: string[] = [];

  constructor(private readonly dialect: Dialect) {}

  text(value: string): string {
    this.bound.push(value);
    return this.dialect.parameter(this.bound.length);
  }

  bind(value: string, column: Column): string {
    this.bound.push(value);
    return this.dialect.typed(this.dialect.parameter(this.bound.length), column);
  }
}

/** Returns the order columns of a page, which together identify a row. */
export function orderOf({ key, changedAt }: Plan, period: Period | undefined): Column[] {
  return period && changedAt ? [changedAt, key] : [key];
}

/**
 * Reads one range of one index: of the key, or of (changed_at, key). A row consists of its values, its order values,
 * and whether they equal those of the row before. Only the server compares values, because only it knows its
 * collations.
 */
export function pageStatement(dialect: Dialect, plan: Plan, { period, after, match, among, limit }: PageOf): Statement {
  const values = new Values(dialect);
  const order = orderOf(plan, period);
  const names = (columns: readonly Column[]) => columns.map((column) => dialect.quote(column.name));
  const conditions = [`${dialect.quote(plan.key.name)} is not null`];
  if (period && plan.changedAt) conditions.push(...inPeriod(dialect, plan.changedAt, period, values));
  if (match) {
    const { column, text, contains } = match;
    const name = dialect.quote(column.name);
    if (!contains) conditions.push(`${name} = ${values.bind(text, column)}`);
    else {
      const written = dialect.exactText(name, column);
      conditions.push(`(position(${values.text(text)} in ${written}) > 0 or ${dialect.isBeyondAscii(written)})`);
    }
  }
  if (among) {
    const { column, texts } = among;
    conditions.push(`${dialect.quote(column.name)} in (${texts.map((text) => values.bind(text, column)).join(', ')})`);
  }
  if (after) {
    const bound = order.map((column, index) => () => values.bind(after[index] ?? '', column));
    conditions.push(dialect.after(names(order), bound));
  }
  // Qualified, because the bare name would refer to the output column, which is sorted as text.
  const ofPage = (column: Column) => `page.${dialect.quote(column.name)}`;
  const outer = order.map(ofPage);
  const again = outer.map((name) => `${name} = lag(${name}) over (order by ${outer})`);
  const selected = [
    ...plan.columns.map((column) => dialect.valueText(ofPage(column), column)),
    ...order.map((column) => dialect.exactText(ofPage(column), column)),
    `case when ${again.join(' and ')} then 'again' end`,
  ];
  const needed = [...new Set(names([...plan.columns, ...order]))];
  const sql = `select ${selected.join(', ')}
    from (select ${needed.join(', ')} from ${plan.from}
      where ${conditions.join(' and ')} order by ${names(order)} limit ${limit}) as page
    order by ${outer}`;
  return { sql, values: values.bound };
}

function inPeriod(dialect: Dialect, column: Column, { since, until }: Period, values: Values): string[] {
  const name = dialect.quote(column.name);
  const from = since && `${name} >= ${dialect.earlier(values.bind(since.moment, column), since.overlapSeconds)}`;
  return [...(from ? [from] : []), `${name} <= ${values.bind(until, column)}`];
}

/** Selects the last change in the source, and 'known' if it is not earlier than `known`. */
export function lastChangeStatement(dialect: Dialect, { from }: Plan, changedAt: Column, known: string): Statement {
  const values = new Values(dialect);
  const name = dialect.quote(changedAt.name);
  const last = `max(${name})`;
  const isKnown = known === '' ? '1 = 1' : `${last} >= ${values.bind(known, changedAt)}`;
  const sql = `select ${dialect.exactText(last, changedAt)}, case when ${isKnown} then 'known' end
    from ${from} where ${name} <= ${dialect.nowOf(changedAt)}`;
  return { sql, values: values.bound };
}

/** Counts at most `limit` rows without a key. */
export function keylessStatement(dialect: Dialect, { from, key }: Plan, limit: number): Statement {
  const keyless = `select 1 from ${from} where ${dialect.quote(key.name)} is null limit ${limit}`;
  return { sql: `select ${dialect.asText('count(*)')} from (${keyless}) as keyless`, values: [] };
}

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
  const columns = all.filter(({ name }) => needed.includes(name));
  if (mapped) checkKinds(columns, keyColumn, changedAt);
  return { from, columns, key: keyColumn, changedAt };
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
