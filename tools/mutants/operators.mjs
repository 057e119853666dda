// Finds the mutants of a source file: small changes that alter what the code means. Logs and metrics are left alone.
import { createHash } from 'node:crypto';
import { parse } from '@babel/parser';
import { sqlMutants } from './sql-operators.mjs';

const bounds = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' };
const equalities = { '===': '!==', '!==': '===' };
const sums = { '+': '-', '-': '+', '*': '/', '/': '*' };
const opposites = {
  some: 'every',
  every: 'some',
  min: 'max',
  max: 'min',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
  ceil: 'floor',
  floor: 'ceil',
};
const removable = new Set([
  'filter',
  'sort',
  'toSorted',
  'reverse',
  'toReversed',
  'slice',
  'andWhere',
  'trim',
  'toLowerCase',
]);
const searches = new Set([
  'find',
  'findOne',
  'findBy',
  'findOneBy',
  'update',
  'delete',
  'exists',
  'existsBy',
  'count',
  'countBy',
]);
const observations =
  /\blog(?:ger)?\.|\bmetrics\b|\.(?:observe|inc|setAttribute|recordException)\(|\.(?:add|startAtZero)\(\{|^super\(/;
const skipped = new Set([
  'ImportDeclaration',
  'ExportAllDeclaration',
  'Decorator',
  'TSEnumDeclaration',
  'Directive',
  'TaggedTemplateExpression',
]);
const typeWrappers = new Set(['TSAsExpression', 'TSNonNullExpression', 'TSSatisfiesExpression']);

/**
 * @typedef {object} Mutant
 * @property {string} id Same after lines were moved: a hash of the file, the operator, the texts and their order.
 * @property {string} file
 * @property {number} line
 * @property {string} operator
 * @property {number} start
 * @property {number} end
 * @property {string} was
 * @property {string} becomes Empty if a statement is removed.
 */

/** @returns {Mutant[]} */
export function findMutants(file, source) {
  const { program } = parse(source, {
    sourceType: 'module',
    plugins: ['typescript', 'decorators-legacy', 'importAttributes'],
  });
  const found = [];
  const textOf = (node) => source.slice(node.start, node.end);
  const add = (operator, node, becomes, shown) => {
    found.push({
      file,
      line: lineOf(source, shown?.at ?? node.start),
      operator,
      start: node.start,
      end: node.end,
      was: textOf(node),
      becomes,
    });
  };
  visit(program, undefined, undefined, (node, parent, grandparent) => mutate(node, parent, grandparent, textOf, add));
  return withIds(found);
}

function lineOf(source, offset) {
  let line = 1;
  for (let at = source.indexOf('\n'); at >= 0 && at < offset; at = source.indexOf('\n', at + 1)) line += 1;
  return line;
}

function withIds(found) {
  const seen = new Map();
  return found.map((mutant) => {
    const key = [mutant.file, mutant.operator, mutant.was, mutant.becomes]
      .map((text) => text.replace(/\s+/g, ' '))
      .join('\n');
    const nth = seen.get(key) ?? 0;
    seen.set(key, nth + 1);
    return { id: createHash('sha256').update(`${key}\n${nth}`).digest('hex').slice(0, 10), ...mutant };
  });
}

function visit(node, parent, grandparent, each) {
  if (Array.isArray(node)) {
    for (const child of node) visit(child, parent, grandparent, each);
    return;
  }
  if (!node || typeof node.type !== 'string' || skipped.has(node.type)) return;
  if (node.type.startsWith('TS') && !typeWrappers.has(node.type)) return;
  each(node, parent, grandparent);
  for (const [key, child] of Object.entries(node)) {
    const isName = key === 'key' && !node.computed;
    if (child && typeof child === 'object' && !isName && key !== 'loc') visit(child, node, parent, each);
  }
}

function mutate(node, parent, grandparent, textOf, add) {
  switch (node.type) {
    case 'BinaryExpression':
      return mutateBinary(node, parent, textOf, add);
    case 'LogicalExpression':
      // `...(a && { a })`: spreading `true` adds nothing.
      return parent?.type === 'SpreadElement' ? undefined : mutateLogical(node, textOf, add);
    case 'ConditionalExpression':
      return mutateTest(node.test, 'condition', textOf, add);
    case 'IfStatement':
      if (isGuard(node)) return add('guard', node.test, 'false');
      return mutateTest(node.test, 'condition', textOf, add);
    case 'UnaryExpression':
      if (node.operator === '!' && !isTest(node, parent)) add('negation', node, textOf(node.argument));
      return;
    case 'ExpressionStatement':
      return mutateStatement(node, textOf, add);
    case 'CallExpression':
      return mutateCall(node, textOf, add);
    case 'NumericLiteral':
      if (!isFactor(node, parent) && !isSign(node, parent, grandparent) && !(isEmpty(node) && parent.operator === '??'))
        add('constant', node, String(node.value <= 100 ? node.value + 1 : node.value * 2));
      return;
    case 'BooleanLiteral':
      return add('boolean', node, String(!node.value));
    case 'RegExpLiteral':
      if (node.pattern.startsWith('^')) add('anchor', node, `/${node.pattern.slice(1)}/${node.flags}`);
      if (node.pattern.endsWith('$')) add('anchor', node, `/${node.pattern.slice(0, -1)}/${node.flags}`);
      return;
    case 'StringLiteral':
    case 'TemplateLiteral':
      return mutateText(node, parent, grandparent, textOf, add);
  }
}

function mutateBinary(node, parent, textOf, add) {
  const swap = (operator, sign) => add(operator, node, `${textOf(node.left)} ${sign} ${textOf(node.right)}`);
  if (bounds[node.operator] && isTieBreak(parent)) return; // the two are never equal
  if (bounds[node.operator]) swap('bound', bounds[node.operator]);
  else if (equalities[node.operator]) swap('comparison', equalities[node.operator]);
  else if (sums[node.operator] && !isText(node.left) && !isText(node.right)) swap('arithmetic', sums[node.operator]);
}

function isText(node) {
  if (node.type === 'BinaryExpression') return isText(node.left) || isText(node.right);
  return node.type === 'StringLiteral' || node.type === 'TemplateLiteral';
}

function mutateLogical(node, textOf, add) {
  const left = textOf(node.left);
  const right = textOf(node.right);
  if (node.operator === '??') {
    // The compiler demands a default for every index and look-up, so an empty one is often never used.
    if (!isEmpty(node.right)) add('default', node, left);
    add('default', node, right);
  } else add('logical', node, `(${left}) ${node.operator === '&&' ? '||' : '&&'} (${right})`);
}

function isEmpty(node) {
  if (node.type === 'ArrayExpression') return node.elements.length === 0;
  if (node.type === 'ObjectExpression') return node.properties.length === 0;
  if (node.type === 'NewExpression') return node.arguments.length === 0;
  return node.value === 0 || node.value === '' || (node.type === 'Identifier' && node.name === 'undefined');
}

/** Negates a condition; a comparison for equality is already negated by its own mutant. */
function mutateTest(test, operator, textOf, add) {
  if (test.type === 'BinaryExpression' && equalities[test.operator]) return;
  const negated = test.type === 'UnaryExpression' && test.operator === '!';
  add(operator, test, negated ? textOf(test.argument) : `!(${textOf(test)})`);
}

function isTest(node, parent) {
  return (parent?.type === 'IfStatement' || parent?.type === 'ConditionalExpression') && parent.test === node;
}

/** `if (…) return`, `throw`, `continue` or `break`, without an else. */
function isGuard({ consequent, alternate }) {
  const last = consequent.type === 'BlockStatement' ? consequent.body.at(-1) : consequent;
  return !alternate && /^(?:Return|Throw|Continue|Break)Statement$/.test(last?.type ?? '');
}

function mutateStatement(node, textOf, add) {
  const { expression } = node;
  if (observations.test(textOf(node))) return;
  if (expression.type === 'AwaitExpression') add('await', expression, textOf(expression.argument));
  const effects = /^(?:Await|Call|OptionalCall|Assignment|Update)Expression$/;
  const isDeletion = expression.type === 'UnaryExpression' && ['delete', 'void'].includes(expression.operator);
  if (effects.test(expression.type) || isDeletion) add('statement', node, '');
}

function mutateCall(node, textOf, add) {
  const { callee, arguments: args } = node;
  const name =
    callee.type === 'MemberExpression' && callee.property.type === 'Identifier' ? callee.property.name : undefined;
  const given = `(${args.map(textOf).join(', ')})`;
  if (name && Object.hasOwn(opposites, name))
    add('opposite', node, `${textOf(callee.object)}.${opposites[name]}${given}`);
  if (name && removable.has(name)) add('removed', node, textOf(callee.object));
  if (name && searches.has(name)) mutateSearch(args, textOf, add);
  const [one, other] = args;
  const named = (arg) => arg?.type === 'Identifier' || arg?.type === 'MemberExpression';
  if (named(one) && named(other) && !/^(?:tx|manager|this\b)/.test(textOf(one)) && !/log/.test(textOf(callee))) {
    add(
      'arguments',
      node,
      `${textOf(callee)}(${[textOf(other), textOf(one), ...args.slice(2).map(textOf)].join(', ')})`,
    );
  }
}

/** Removes each part of the criteria of a repository call, except the tenant, which row-level security adds. */
function mutateSearch(args, textOf, add) {
  for (const arg of args.filter(({ type }) => type === 'ObjectExpression')) {
    const where = arg.properties.find((each) => each.key?.name === 'where')?.value;
    const criteria = where?.type === 'ObjectExpression' ? where : arg;
    if (criteria === arg && arg !== args.find(({ type }) => type === 'ObjectExpression')) continue;
    for (const part of criteria.properties) {
      if (criteria.properties.length < 2 || part.key?.name === 'tenantId') continue;
      add(
        'where',
        criteria,
        `{ ${criteria.properties
          .filter((each) => each !== part)
          .map(textOf)
          .join(', ')} }`,
      );
    }
  }
}

/** `a < b ? -1 : 1` */
function isTieBreak(node) {
  return (
    node?.type === 'ConditionalExpression' &&
    [node.consequent, node.alternate].some(({ type, operator }) => type === 'UnaryExpression' && operator === '-')
  );
}

/** A number of which a sort uses only the sign. */
function isSign(node, parent, grandparent) {
  return node.value === 1 && (isTieBreak(parent) || (parent?.type === 'UnaryExpression' && isTieBreak(grandparent)));
}

/** Whether another number of the same product is changed already. */
function isFactor(node, parent) {
  return (
    parent?.type === 'BinaryExpression' &&
    parent.operator === '*' &&
    parent.right === node &&
    /^(?:Numeric|Binary)/.test(parent.left.type)
  );
}

function mutateText(node, parent, grandparent, textOf, add) {
  const isLiteralType = parent?.type === 'ObjectProperty' && parent.key === node;
  if (isLiteralType || grandparent?.type === 'ImportExpression') return;
  const text = textOf(node);
  if (text === "'ASC'" || text === "'DESC'") add('order', node, text === "'ASC'" ? "'DESC'" : "'ASC'");
  for (const { operator, at, length, text: other } of sqlMutants(text)) {
    add(operator, node, text.slice(0, at) + other + text.slice(at + length), { at: node.start + at });
  }
}
