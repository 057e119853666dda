// Blocks of PostgreSQL that the statements of a service read, from its cache or the disk. Other work and the speed of the
// machine do not change them.

/** Settings of an embedded PostgreSQL that counts them. */
export const countingSettings = { shared_preload_libraries: 'pg_stat_statements', 'pg_stat_statements.max': 10_000 };

export class StatementBlocks {
  static async of(admin) {
    await admin.query('create extension if not exists pg_stat_statements');
    return new StatementBlocks(admin);
  }

  constructor(admin) {
    this.admin = admin;
  }

  /** Returns the blocks of each statement of a service while `work` runs, by its text. */
  async byStatement(service, work) {
    await this.admin.query('select pg_stat_statements_reset()');
    await work();
    const { rows } = await this.admin.query(
      `select query as text, calls::float8 as calls, (shared_blks_hit + shared_blks_read)::float8 as blocks
         from pg_stat_statements s join pg_roles r on r.oid = s.userid
        where r.rolname = $1 and s.dbid = (select oid from pg_database where datname = current_database())`,
      [`idsync_${service}`],
    );
    return new Map(rows.map(({ text, ...counts }) => [text, counts]));
  }

  /** Returns the fewest blocks of the gateway for a request: its periodic statements add some, and its first plans. */
  async ofRequest(request, repetitions = 3) {
    let fewest = Number.POSITIVE_INFINITY;
    for (let nth = 0; nth < repetitions; nth += 1) {
      const statements = await this.byStatement('gateway', request);
      fewest = Math.min(fewest, blocksOf(statements));
    }
    return fewest;
  }
}

/** Returns the blocks of all statements, or of those whose text `isCounted` selects. */
export function blocksOf(statements, isCounted = () => true) {
  return [...statements].reduce((sum, [text, { blocks }]) => sum + (isCounted(text) ? blocks : 0), 0);
}
