import type { Column, Dialect, Statement } from './session.js';

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
export interface PageOf {
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
