// Rejects regular expressions with more than linear backtracking, because a client or a source could send text that
// triggers it. Checks the given files, by default every source file of the repository.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseSync } from '@swc/core';
import { analyse } from 'scslre';

const root = fileURLToPath(new URL('..', import.meta.url));
const sources = ['*.ts', '*.mjs', '*.cjs', '*.js'];
const reasons = {
  Trade: 'two quantifiers accept the same characters',
  Self: 'a quantifier can accept the same characters in several ways',
  Move: 'the search starts again at each character that its first quantifier accepts',
};

const named = process.argv.slice(2);
const findings = (named.length > 0 ? named : sourceFiles()).flatMap(findingsIn);
for (const finding of findings) process.stderr.write(`${finding}\n`);
if (findings.length > 0) process.exitCode = 1;

function sourceFiles() {
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate', '--', ...sources];
  const tracked = execFileSync('git', list, { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean);
  const deleted = new Set(
    execFileSync('git', ['ls-files', '-z', '--deleted'], { cwd: root, encoding: 'utf8' }).split('\0'),
  );
  return tracked.filter((path) => !deleted.has(path)).map((path) => `${root}${path}`);
}

function findingsIn(file) {
  const source = readFileSync(file, 'utf8');
  const syntax = file.endsWith('.ts') ? 'typescript' : 'ecmascript';
  const program = parseSync(source, { syntax, decorators: true, target: 'esnext' });
  const place = file.startsWith(root) ? file.slice(root.length) : file;
  return [...patternsIn(program)].flatMap(({ pattern, flags }) => {
    const reason =
      pattern === undefined ? 'its pattern is not a literal, so it cannot be checked' : slow(pattern, flags);
    return reason === undefined ? [] : [`${place}: /${pattern ?? '…'}/${flags}: ${reason}`];
  });
}

/** Yields literals and arguments of `RegExp`; an interpolation in a template counts as a letter. */
function* patternsIn(node) {
  if (typeof node !== 'object' || node === null) return;
  if (node.type === 'RegExpLiteral') yield { pattern: node.pattern, flags: node.flags };
  if (['NewExpression', 'CallExpression'].includes(node.type) && node.callee.value === 'RegExp') {
    const [pattern, flags] = (node.arguments ?? []).map(({ expression }) => textOf(expression));
    yield { pattern, flags: flags ?? '' };
  }
  for (const child of Object.values(node)) yield* patternsIn(child);
}

function textOf(expression) {
  if (expression.type === 'StringLiteral') return expression.value;
  if (expression.type === 'TemplateLiteral') return expression.quasis.map(({ cooked }) => cooked).join('x');
  return undefined;
}

function slow(source, flags) {
  const [report] = analyse({ source, flags }).reports;
  if (!report) return undefined;
  return `${report.exponential ? 'exponential' : 'quadratic'} time, since ${reasons[report.type]}`;
}
