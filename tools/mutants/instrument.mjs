// Puts all mutants of a file into its text at once. `globalThis.idsyncMutant(id)` decides at run time which one is active,
// so that a spec is loaded once for all of them.

/** @param {import('./operators.mjs').Mutant[]} mutants */
export function instrument(source, mutants) {
  const spans = new Map();
  for (const mutant of mutants) {
    const key = `${mutant.start}:${mutant.end}`;
    if (!spans.has(key)) spans.set(key, { start: mutant.start, end: mutant.end, mutants: [], inner: [] });
    spans.get(key).mutants.push(mutant);
  }
  const root = { start: 0, end: source.length, mutants: [], inner: [] };
  const open = [root];
  for (const span of [...spans.values()].sort((one, other) => one.start - other.start || other.end - one.end)) {
    while (open.at(-1).end < span.end) open.pop();
    open.at(-1).inner.push(span);
    open.push(span);
  }
  return write(source, root);
}

function write(source, { start, end, mutants, inner }) {
  let text = '';
  let at = start;
  for (const span of inner) {
    text += source.slice(at, span.start) + write(source, span);
    at = span.end;
  }
  text += source.slice(at, end);
  for (const { id, operator, becomes } of mutants) {
    const active = `globalThis.idsyncMutant?.('${id}')`;
    text = operator === 'statement' ? `{if(!${active}){${text}}}` : `(${active}?(${becomes}):(${text}))`;
  }
  return text;
}
