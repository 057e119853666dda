// Mutants of SQL text. They keep every parameter, so that PostgreSQL still accepts the statement.

const sql = /\b(?:select|update|delete|insert|with)\b[\s\S]*\b(?:from|set|into|where|as)\b|^.?\s*(?:and|where)\s/i;
const starts = new Set(['where', 'and', 'or', 'having']);
const ends = new Set(
  'and or order group limit offset returning for union except window having where set on do then when else end'.split(
    ' ',
  ),
);
/** A bound that only differs if two clocks agree to the microsecond. */
const clock = /\b(?:now|clock_timestamp|statement_timestamp)\(\)/i;

/** Returns the mutants of a literal's source text as `{ operator, at, length, text }`. */
export function sqlMutants(literal) {
  if (!sql.test(literal)) return [];
  return [...conditions(literal), ...orders(literal), ...locks(literal)];
}

/** Splits the text into words and signs, with the depth of their parentheses; `${…}` is one token. */
function tokens(text) {
  const found = [];
  let depth = 0;
  // Between the quotes of the literal.
  for (const match of text.slice(1, -1).matchAll(/\$\{(?:[^{}]|\{[^{}]*\})*\}|'[^']*'|"[^"]*"|\w+|[^\s\w]/g)) {
    const at = match.index + 1;
    if (match[0] === '(') depth += 1;
    found.push({ word: match[0].toLowerCase(), at, end: at + match[0].length, depth });
    if (match[0] === ')') depth -= 1;
  }
  return found;
}

function* conditions(text) {
  const all = tokens(text);
  for (const [index, start] of all.entries()) {
    if (!starts.has(start.word) || belongsToBetween(all, index)) continue;
    const first = all[index + 1];
    if (!first) continue;
    const end = all
      .slice(index + 1)
      .find(
        (each) =>
          (ends.has(each.word) && each.depth === start.depth && !isBetween(all, each)) ||
          (each.word === ')' && each.depth === start.depth),
      );
    const last = all.findLast((each) => each.at < (end?.at ?? text.length - 1));
    if (!last || last.at < first.at) continue;
    const condition = text.slice(first.at, last.end);
    // Row-level security adds the same condition.
    if (/^[\w.]*tenant_id = \S+$/.test(condition)) continue;
    if (end?.word === 'do') continue; // names a partial index
    const always = start.word === 'or' ? `(false and (${condition}))` : `(true or (${condition}))`;
    yield { operator: 'where', at: first.at, length: condition.length, text: always };
    if (clock.test(condition)) continue;
    const bound = /(?<=\s)(?:<=|>=|<|>)(?=\s)/.exec(condition);
    if (bound) {
      const other = bound[0].length === 2 ? bound[0][0] : `${bound[0]}=`;
      yield { operator: 'bound', at: first.at + bound.index, length: bound[0].length, text: other };
    }
    const not = /^not (?=exists\b)|\bis (not )?null$/.exec(condition);
    if (not) {
      const other = not[0].startsWith('not') ? '' : not[1] ? 'is null' : 'is not null';
      yield { operator: 'comparison', at: first.at + not.index, length: not[0].length, text: other };
    }
  }
}

function belongsToBetween(all, index) {
  if (all[index].word !== 'and') return false;
  const before = all
    .slice(0, index)
    .findLast(({ word, depth }) => depth === all[index].depth && (word === 'between' || starts.has(word)));
  return before?.word === 'between';
}

function isBetween(all, token) {
  return belongsToBetween(all, all.indexOf(token));
}

function* orders(text) {
  for (const match of text.matchAll(/\border by (\S+?)( asc| desc)?(?=[\s,)`'])/gi)) {
    if (match[1].includes('$') || match[1].endsWith('(')) continue;
    const other = match[2]?.trim().toLowerCase() === 'desc' ? '' : ' desc';
    yield { operator: 'order', at: match.index, length: match[0].length, text: `order by ${match[1]}${other}` };
  }
}

function* locks(text) {
  for (const match of text.matchAll(/\bfor (?:no key )?update(?: of \w+)?(?: skip locked| nowait)?/gi)) {
    yield { operator: 'lock', at: match.index, length: match[0].length, text: '' };
  }
}
