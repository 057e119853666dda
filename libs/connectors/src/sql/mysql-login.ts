/** Maximum number of privileges in one message. */
const mostNamed = 5;

/** Privileges of a login that may only read. */
const readPrivileges = new Set(['USAGE', 'SELECT', 'SHOW VIEW', 'SHOW DATABASES']);

/**
 * Functions that lock, wait, write, or read files of the server. Stored functions need a privilege that is rejected
 * above.
 */
const withSideEffects =
  /\b(get_lock|release_lock|release_all_locks|sleep|benchmark|load_file|master_pos_wait|source_pos_wait|master_gtid_wait|wait_for_executed_gtid_set|wait_until_sql_thread_after_gtids|nextval|setval|last_insert_id|service_\w+|sys_(exec|eval|set|get))\b|:=|\bnext\s+value\s+for\b|\binto\s+(outfile|dumpfile)\b/gi;

/** Returns the privileges in `SHOW GRANTS` other than reading. */
export function mysqlWrites(grants: readonly string[]): string[] {
  const found = grants.flatMap((line) => {
    const names = line.replaceAll(/`(?:[^`]|``)*`/g, '``');
    const [, privileges, rest = ''] = /^GRANT (.*?) ON (.*)$/is.exec(names) ?? [];
    // A line without privileges grants a role, whose grants are listed as well.
    if (privileges === undefined) return [];
    const refused = privileges
      .replaceAll(/\([^()]*\)/g, '')
      .split(',')
      .map((privilege) => privilege.trim().toUpperCase())
      .filter((privilege) => !readPrivileges.has(privilege));
    return / WITH GRANT OPTION\b/i.test(rest) ? [...refused, 'GRANT OPTION'] : refused;
  });
  return [...new Set(found)].slice(0, mostNamed).map((privilege) => `has the privilege ${privilege}`);
}

/** Returns the functions with side effects in a query. */
export function mysqlSideEffects(query: string): string[] {
  return [...new Set(query.match(withSideEffects))];
}
