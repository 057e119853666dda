/** Volatile defaults, which rewrite the whole table under an exclusive lock. */
const rewrites = /\b(gen_random_uuid|random|clock_timestamp|nextval|generated)\b/;
const alone = /^(select|set|reset|grant|comment on|create view) /;

/**
 * Returns the statements of a migration that are not compatible with running code of the previous version, or that
 * block it for long. Only known statements are compatible; tables that the migration creates may be changed freely.
 */
export function incompatibleStatements(statements: readonly string[]): string[] {
  const own = new Set<string>();
  const dropped = new Set<string>();
  let locks = false;
  return statements.flatMap(split).filter((statement) => {
    if (alone.test(statement)) return false;
    const [, created] = /^create table (?:if not exists )?(\w+)/.exec(statement) ?? [];
    if (created) return !own.add(created);
    const [, unique, concurrently, indexed] =
      /^create (unique )?index (concurrently )?(?:if not exists )?\w+ on (\w+)/.exec(statement) ?? [];
    if (indexed) return !own.has(indexed) && (unique !== undefined || concurrently === undefined);
    const [, altered, actions = ''] = /^alter table (\w+) (.*)$/.exec(statement) ?? [];
    if (!altered) return true;
    if (own.has(altered)) return false;
    // Scans every row; blocks other sessions only if the transaction has locked a table before.
    if (/^validate constraint \w+$/.test(actions)) return locks;
    locks = true;
    return !atTopLevel(actions, ',').every((action) => onlyAdds(action, dropped));
  });
}

function onlyAdds(action: string, dropped: Set<string>): boolean {
  // How values of new rows are stored.
  if (/^alter column \w+ set storage \w+$/.test(action)) return true;
  const [, column = ''] = /^add column (.*)$/.exec(action) ?? [];
  if (column) {
    const filled = !/\bnot null\b/.test(column) || /\bdefault\b/.test(column);
    return filled && !/\b(unique|primary key|references|check)\b/.test(column) && !rewrites.test(column);
  }
  // Dropping a check is compatible if a new one replaces it, which is only checked for new rows.
  const [, check] = /^drop constraint (\w+_check)$/.exec(action) ?? [];
  if (check) return dropped.add(check) !== undefined;
  const [, replaced = ''] = /^add constraint (\w+) check .* not valid$/.exec(action) ?? [];
  return dropped.has(replaced);
}

function split(sql: string): string[] {
  const bare = sql.replace(/--.*/g, '').replace(/\s+/g, ' ').toLowerCase();
  return atTopLevel(bare, ';').filter((statement) => statement !== '');
}

/** Splits text at separators outside of parentheses and quotes. */
function atTopLevel(text: string, separator: ',' | ';'): string[] {
  const parts = [''];
  let depth = 0;
  for (const token of text.match(/'(?:[^']|'')*'|\$\$.*?\$\$|./gs) ?? []) {
    if (token === '(') depth += 1;
    if (token === ')') depth -= 1;
    if (token === separator && depth === 0) parts.push('');
    else parts[parts.length - 1] += token;
  }
  return parts.map((part) => part.trim());
}
