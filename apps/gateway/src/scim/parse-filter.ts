/** A filter of RFC 7644, section 3.4.2.2, with the names of its grammar. */
export type Filter = AttrExp | ValuePath | { op: 'and' | 'or'; filters: Filter[] } | { op: 'not'; filter: Filter };
export type AttrExp = Compare | { op: 'pr'; attrPath: string };
export interface Compare {
  op: (typeof comparisons)[number];
  attrPath: string;
  compValue: string | number | boolean | null;
}
export interface ValuePath {
  op: '[]';
  attrPath: string;
  valFilter: Filter;
}

const comparisons = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const;
/** A JSON string, a bracket, or a word. */
const token = /\s*("(?:[^"\\]|\\.)*"|[()[\]]|[^\s()[\]"]+)/gsuy;
const attribute = /^[a-z$][\w$:.%/-]*$/i;

/** Throws an error with the reason if the text is not a filter. */
export function parse(text: string): Filter {
  const tokens = new Tokens(text);
  const filter = anyOf(tokens);
  if (tokens.next() !== '') throw new Error('more follows after its end');
  return filter;
}

class Tokens {
  private readonly left: string[];

  constructor(text: string) {
    const trimmed = text.trimEnd();
    const found = [...trimmed.matchAll(token)];
    const rest = trimmed.slice(found.reduce((sum, [whole]) => sum + whole.length, 0));
    if (rest !== '') throw new Error(`unexpected ${rest}`);
    this.left = found.map(([, each = '']) => each).reverse();
  }

  /** Returns an empty text after the last token. */
  next(): string {
    return this.left.pop() ?? '';
  }

  /** Takes a token if it is the next one, regardless of case. */
  takes(expected: string | RegExp): string | undefined {
    const next = this.left.at(-1) ?? '';
    const isNext = typeof expected === 'string' ? next.toLowerCase() === expected : expected.test(next);
    return isNext ? this.left.pop() : undefined;
  }

  require(expected: string): void {
    const next = this.next();
    if (next !== expected) throw new Error(`expected ${expected} instead of ${next || 'its end'}`);
  }
}

const anyOf = (tokens: Tokens): Filter => joined(tokens, 'or', allOf);
const allOf = (tokens: Tokens): Filter => joined(tokens, 'and', term);

function joined(tokens: Tokens, op: 'and' | 'or', part: (tokens: Tokens) => Filter): Filter {
  const first = part(tokens);
  const filters = [first];
  while (tokens.takes(op)) filters.push(part(tokens));
  return filters.length === 1 ? first : { op, filters };
}

function term(tokens: Tokens): Filter {
  if (tokens.takes('not')) return { op: 'not', filter: term(tokens) };
  if (tokens.takes('(')) {
    const inner = anyOf(tokens);
    tokens.require(')');
    return inner;
  }
  const attrPath = tokens.next();
  if (!tokens.takes('[')) return expression(attrPath, tokens);
  const inner = anyOf(tokens);
  tokens.require(']');
  // A condition behind the brackets is about the same value.
  const sub = tokens.takes(/^\../)?.slice(1);
  const valFilter: Filter = sub ? { op: 'and', filters: [inner, expression(sub, tokens)] } : inner;
  return { op: '[]', attrPath, valFilter };
}

function expression(attrPath: string, tokens: Tokens): AttrExp {
  if (!attribute.test(attrPath)) throw new Error(`"${attrPath}" is not an attribute`);
  const word = tokens.next().toLowerCase();
  if (word === 'pr') return { op: 'pr', attrPath };
  const op = comparisons.find((each) => each === word);
  if (!op) throw new Error(`"${word}" is not an operator`);
  const text = tokens.next();
  const compValue: unknown = JSON.parse(text.startsWith('"') ? text : text.toLowerCase());
  if (typeof compValue === 'object' && compValue !== null) throw new Error(`${text} cannot be compared`);
  return { op, attrPath, compValue: compValue as Compare['compValue'] };
}
