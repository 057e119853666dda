/** Evaluated for each row there is: the table is written anew, and nobody reads it meanwhile. */
const rewrites = /\b(gen_random_uuid|random|clock_timestamp|nextval|generated)\b/;
const alone = /^(select|set|reset|grant|comment on) /;

/**
 * Which statements of a migration are not such that they only add, on tables that were there before it: code of before goes on beside
 * them, and nobody waits for them long. What is not known here counts as taking away.
 */
export function takesAway(statements: readonly string[]): string[] {
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
    // It looks at every row; nobody waits for that unless the transaction has locked a table before.
    if (/^validate constraint \w+$/.test(actions)) return locks;
    locks = true;
    return !atTopLevel(actions, ',').every((action) => onlyAdds(action, dropped));
  });
}

function onlyAdds(action: string, dropped: Set<string>): boolean {
  const [, column = ''] = /^add column (.*)$/.exec(action) ?? [];
  if (column) {
    const filled = !/\bnot null\b/.test(column) || /\bdefault\b/.test(column);
    return filled && !/\b(unique|primary key|references|check)\b/.test(column) && !rewrites.test(column);
  }
  // A check makes room for more values when another takes its place, which looks at new rows only.
  const [, check] = /^drop constraint (\w+_check)$/.exec(action) ?? [];
  if (check) return dropped.add(check) !== undefined;
  const [, replaced = ''] = /^add constraint (\w+) check .* not valid$/.exec(action) ?? [];
  return dropped.has(replaced);
}

function split(sql: string): string[] {
  const bare = sql.replace(/--.*$/gm, '').replace(/\s+/g, ' ').toLowerCase();
  return atTopLevel(bare, ';').filter((statement) => statement !== '');
}

/** Parts between separators that stand in no brackets and no quotes. */
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
