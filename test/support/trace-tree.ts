import type { CollectedSpan } from './trace-collector.js';

const milliseconds = (nanoseconds: bigint) => Number(nanoseconds / 1_000n) / 1_000;

/**
 * Formats a trace as an indented tree: service, name and duration of each span, its offset from the first, and
 * failures. Identical siblings are combined into one line with their number and longest duration.
 */
export function traceTree(spans: readonly CollectedSpan[]): string {
  const first = spans.reduce<bigint>((least, { began }) => (began < least ? began : least), spans[0]?.began ?? 0n);
  const known = new Set(spans.map(({ spanId }) => spanId));
  const below = (parent: string | undefined) =>
    spans
      .filter(({ parentSpanId = '' }) => (parent === undefined ? !known.has(parentSpanId) : parentSpanId === parent))
      .sort((a, b) => (a.began < b.began ? -1 : 1));

  const lines = (siblings: readonly CollectedSpan[], depth: number): string[] => {
    const groups = new Map<string, { span: CollectedSpan; of: CollectedSpan[]; under: string[] }>();
    for (const span of siblings) {
      const under = lines(below(span.spanId), depth + 1);
      const what = `${span.service} ${titleOf(span)} ${under.map((line) => line.replace(/(?<! ) +\+.*$/, '')).join()}`;
      const seen = groups.get(what);
      if (seen) seen.of.push(span);
      else groups.set(what, { span, of: [span], under });
    }
    return [...groups.values()].flatMap(({ span, of, under }) => {
      const longest = of.reduce((most, { began, ended }) => (ended - began > most ? ended - began : most), 0n);
      const times = of.length > 1 ? ` (${of.length} of them)` : '';
      const name = `${'  '.repeat(depth)}${span.service.replace('idsync-', '')}: ${titleOf(span)}${times}`;
      const when = `+${milliseconds(span.began - first).toFixed(0)} ms`.padStart(10);
      return [`${name.padEnd(72)} ${when} ${milliseconds(longest).toFixed(1).padStart(8)} ms`, ...under];
    });
  };
  return lines(below(undefined), 0).join('\n');
}

function titleOf({ name, failed, attributes }: CollectedSpan): string {
  return failed ? `${name} ERROR ${String(attributes['error.type'])}` : name;
}
