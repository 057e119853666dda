import { Counter, Gauge, Histogram } from 'prom-client';
import { withTimeout } from '../waiting.js';

/** Labels have few values: never a tenant, an id or an address. */
export type Labels<Name extends string> = Readonly<Record<Name, string>>;

interface Definition<Name extends string> {
  /** Without the prefix; ends in its unit, or in `_total` for a counter. */
  name: string;
  help: string;
  labels?: readonly Name[];
}

const prefix = 'idsync_';
/** Histogram buckets in seconds for requests, jobs, and waiting times. */
const secondsOf = {
  request: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  job: [1, 5, 15, 60, 300, 900, 3_600, 14_400],
  wait: [0.05, 0.25, 1, 5, 15, 60, 300, 600, 1_800, 3_600, 14_400],
};

/** `startAtZero` creates a series in advance: Prometheus sees no increase if a series starts at 1. */
export function counter<Name extends string = never>({ name, help, labels = [] }: Definition<Name>) {
  const metric = new Counter({ name: prefix + name, help, labelNames: [...labels] });
  return {
    add: (values: Labels<Name>, by = 1): void => metric.inc(values, by),
    startAtZero: (values: Labels<Name>): void => metric.inc(values, 0),
  };
}

export function durations<Name extends string = never>(
  { name, help, labels = [] }: Definition<Name>,
  scale: keyof typeof secondsOf = 'request',
) {
  const metric = new Histogram({ name: prefix + name, help, labelNames: [...labels], buckets: secondsOf[scale] });
  return {
    observe: (values: Labels<Name>, seconds: number): void => metric.observe(values, seconds),
    startAtZero: (values: Labels<Name>): void => metric.zero(values),
  };
}

export interface Sample<Name extends string> {
  labels: Labels<Name>;
  value: number;
}

export type Collect<Name extends string> = () => readonly Sample<Name>[] | Promise<readonly Sample<Name>[]>;

export interface WatchedGauge<Name extends string> {
  /** Registers a source of samples; the returned function removes it. */
  watch(collect: Collect<Name>): () => void;
}

/** Longer than a database query takes, shorter than a scrape. */
const collectWithinMs = 2_000;

/**
 * A gauge that is read at scrape time. A failed or late reading is left out, because a stale value would look current.
 */
export function gauge<Name extends string = never>({ name, help, labels = [] }: Definition<Name>): WatchedGauge<Name> {
  const sources = new Set<Collect<Name>>();
  new Gauge({
    name: prefix + name,
    help,
    labelNames: [...labels],
    async collect() {
      const found = await Promise.all([...sources].map((collect) => collectWithin(collect)));
      this.reset();
      for (const { labels: values, value } of found.flat()) this.set(values, value);
    },
  });
  return {
    watch(collect) {
      sources.add(collect);
      return () => sources.delete(collect);
    },
  };
}

function collectWithin<Name extends string>(collect: Collect<Name>): Promise<readonly Sample<Name>[]> {
  const samples = (async () => collect())().catch((): readonly Sample<Name>[] => []);
  return withTimeout(collectWithinMs, samples, []);
}

/**
 * Caches the result of `load` for `everyMs`, so that many scrapers cause one query and a hanging query is not repeated.
 */
export function cached<Found>(load: () => Promise<Found>, everyMs = 10_000): () => Promise<Found> {
  let kept: Promise<Found> | undefined;
  let staleAt = Number.POSITIVE_INFINITY;
  return () => {
    if (kept !== undefined && performance.now() < staleAt) return kept;
    staleAt = Number.POSITIVE_INFINITY;
    kept = load().finally(() => {
      staleAt = performance.now() + everyMs;
    });
    return kept;
  };
}
