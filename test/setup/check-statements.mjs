// Fails if a statement that the tests have logged does not name the tenant for each of its tables, or cannot find the rows
// by an index that begins with the tenant.
import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'libpg-query';
import pg from 'pg';

/** Returns the problems of the statements in `folder`; `url` is an empty database of the current schema. */
export async function problemsOf(folder, url) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const problems = [];
  try {
    const { rows } = await client.query(
      `select attrelid::regclass::text as name, array(select indexrelid::regclass::text from pg_index
                where indrelid = attrelid and indkey[0] <> attnum) as others
         from pg_attribute join pg_class c on c.oid = attrelid
        where attname = 'tenant_id' and relkind = 'r' and relnamespace = 'public'::regnamespace`,
    );
    const tables = new Set(rows.map(({ name }) => name));
    // An empty table gives no reason to choose between its indexes.
    for (const index of rows.flatMap(({ others }) => others)) await client.query(`drop index ${index}`);
    await client.query('set enable_seqscan = off; set plan_cache_mode = force_generic_plan');
    for (const file of readdirSync(folder)) {
      const { scope, text, from } = JSON.parse(readFileSync(`${folder}/${file}`, 'utf8'));
      const unbound = await unboundTables(text, tables, scope);
      if (unbound.length > 0) problems.push(`${from} does not name the tenant of ${unbound.join(', ')}`);
      else if (scope === 'one') {
        const scanned = (await scansOf(client, text)).filter(
          ({ table, by }) => tables.has(table) && !by.includes('tenant_id'),
        );
        problems.push(...scanned.map(({ table, by }) => `${from} finds rows of ${table} ${by || 'by reading all'}`));
      }
    }
  } finally {
    await client.end();
  }
  return problems.sort();
}

/**
 * Returns the tables of `tables` whose tenant the statement does not name: by an equation or a comparison of rows at the
 * top of a `where` or join, or by `using`. Across tenants, the one table may be free that leads to the others.
 */
export async function unboundTables(text, tables, scope = 'one') {
  const { stmts } = await parse(text);
  const found = [];
  for (const { stmt } of stmts) visit(stmt, { names: new Set(), isFree: scope === 'all' });
  return found;

  function visit(node, context) {
    if (Array.isArray(node)) for (const each of node) visit(each, context);
    if (node === null || typeof node !== 'object' || Array.isArray(node)) return;
    for (const [kind, value] of Object.entries(node)) {
      if (/^(Select|Insert|Update|Delete)Stmt$/.test(kind)) statement(value, context, kind);
      else visit(value, kind === 'SubLink' ? { ...context, isFree: false } : context);
    }
  }

  function statement(value, { names: outer, isFree }, kind) {
    const ctes = value.withClause?.ctes ?? [];
    const names = new Set([...outer, ...ctes.map(({ CommonTableExpr }) => CommonTableExpr.ctename)]);
    const isTable = ({ relname }) => tables.has(relname) && !names.has(relname);
    const { larg, rarg, ...rest } = value;
    for (const side of [larg, rarg]) if (side) statement(side, { names, isFree }, 'SelectStmt');
    if (kind !== 'InsertStmt') {
      const from = [...(value.fromClause ?? []), ...(value.usingClause ?? [])].flatMap(joined);
      const relations = [
        ...from.flatMap(({ RangeVar }) => RangeVar ?? []),
        ...(value.relation ? [value.relation] : []),
      ];
      const conditions = [value.whereClause, ...from.flatMap(({ quals }) => quals ?? [])].flatMap(conjuncts);
      const bound = new Set(conditions.flatMap(tenantsIn));
      const usesAll =
        bound.has(undefined) || from.some(({ using }) => using?.some(({ String: { sval } }) => sval === 'tenant_id'));
      const free = usesAll
        ? []
        : relations.filter((each) => isTable(each) && !bound.has(each.alias?.aliasname ?? each.relname));
      if (free.length > (isFree ? 1 : 0)) found.push(...free.map(({ relname, alias }) => alias?.aliasname ?? relname));
    }
    visit(rest, { names, isFree });
  }
}

/** Returns the items of a `from`, and the conditions of its joins. */
function joined(item) {
  if (!item.JoinExpr) return [item];
  const { larg, rarg, quals, usingClause } = item.JoinExpr;
  return [...joined(larg), ...joined(rarg), { quals, using: usingClause }];
}

function conjuncts(node) {
  return node?.BoolExpr?.boolop === 'AND_EXPR' ? node.BoolExpr.args.flatMap(conjuncts) : node ? [node] : [];
}

/** Returns the names of the tables whose tenant a condition names; undefined for a column without the name of its table. */
function tenantsIn({ A_Expr, BoolExpr, SubLink }) {
  if (BoolExpr?.boolop === 'OR_EXPR') {
    const [first, ...others] = BoolExpr.args.map((arm) => conjuncts(arm).flatMap(tenantsIn));
    return first.filter((name) => others.every((names) => names.includes(name)));
  }
  const isEquation = A_Expr?.kind === 'AEXPR_OP' && A_Expr.name[0].String.sval === '=';
  const sides = isEquation
    ? [A_Expr.lexpr, A_Expr.rexpr]
    : SubLink?.subLinkType === 'ANY_SUBLINK'
      ? [SubLink.testexpr]
      : [];
  return sides
    .flatMap((side) => side?.RowExpr?.args ?? [side])
    .map((side) => side?.ColumnRef?.fields.map((field) => field.String?.sval) ?? [])
    .filter((names) => names.at(-1) === 'tenant_id')
    .map((names) => names.at(-2));
}

/** Returns the tables that the generic plan of a statement reads, with the condition of the index. */
async function scansOf(client, text) {
  const values = Array.from(
    { length: Math.max(0, ...[...text.matchAll(/\$(\d+)/g)].map(([, n]) => Number(n))) },
    () => 'null',
  );
  await client.query(`prepare logged as ${text}`);
  try {
    const { rows } = await client.query(
      `explain (format json) execute logged${values.length > 0 ? `(${values})` : ''}`,
    );
    return scans(rows[0]['QUERY PLAN'][0].Plan);
  } finally {
    await client.query('deallocate logged');
  }
}

function scans(node, table = node['Relation Name']) {
  const inner = (node.Plans ?? []).flatMap((plan) =>
    scans(plan, plan['Relation Name'] ?? (plan['Node Type'].startsWith('Bitmap') ? table : undefined)),
  );
  const reads = /Scan$/.test(node['Node Type']) && table !== undefined && node['Node Type'] !== 'Bitmap Heap Scan';
  return reads ? [{ table, by: node['Index Cond'] ?? node['TID Cond'] ?? '' }, ...inner] : inner;
}
