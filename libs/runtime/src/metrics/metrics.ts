import { Counter, Gauge, Histogram } from 'prom-client';

/** What a value is told apart by; only what has few values: never a tenant, an id or an address. */
export type Labels<Name extends string> = Readonly<Record<Name, string>>;

interface Definition<Name extends string> {
  /** Without the prefix; ends in its unit, or in `_total` where it counts. */
  name: string;
  help: string;
  labels?: readonly Name[];
}

const prefix = 'idsync_';
/** Seconds of what people wait for, up to what a batch or a receiver may take; of jobs; of what waits in a queue. */
const secondsOf = {
  request: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  job: [1, 5, 15, 60, 300, 900, 3_600, 14_400],
  wait: [0.05, 0.25, 1, 5, 15, 60, 300, 600, 1_800, 3_600, 14_400],
};

/** What is known beforehand to be counted starts at zero (`startAtZero`): a series that begins at 1 shows Prometheus no increase. */
export function counter<Name extends string = never>({ name, help, labels = [] }: Definition<Name>) {
  const metric = new Counter({ name: prefix + name, help, labelNames: [...labels] });
  return {
    add: (told: Labels<Name>, by = 1): void => metric.inc(told, by),
    startAtZero: (told: Labels<Name>): void => metric.inc(told, 0),
  };
}

export function durations<Name extends string = never>(
  { name, help, labels = [] }: Definition<Name>,
  scale: keyof typeof secondsOf = 'request',
) {
  const metric = new Histogram({ name: prefix + name, help, labelNames: [...labels], buckets: secondsOf[scale] });
  return {
    observe: (told: Labels<Name>, seconds: number): void => metric.observe(told, seconds),
    startAtZero: (told: Labels<Name>): void => metric.zero(told),
  };
}

export interface Sample<Name extends string> {
  labels: Labels<Name>;
  value: number;
}

export type Look<Name extends string> = () => readonly Sample<Name>[] | Promise<readonly Sample<Name>[]>;

export interface WatchedGauge<Name extends string> {
  /** Call what it returns when there is nothing to look at any more. */
  watch(look: Look<Name>): () => void;
}

/** Longer than an answer of the database takes, shorter than a scrape. */
const lookWithinMs = 2_000;

/** A state that is looked at when somebody asks. What cannot be told, or not in time, is left out: an old value would pass for a new one. */
export function gauge<Name extends string = never>({ name, help, labels = [] }: Definition<Name>): WatchedGauge<Name> {
  const looks = new Set<Look<Name>>();
  new Gauge({
    name: prefix + name,
    help,
    labelNames: [...labels],
    async collect() {
      const found = await Promise.all([...looks].map((look) => inTime(look)));
      this.reset();
      for (const { labels: told, value } of found.flat()) this.set(told, value);
    },
  });
  return {
    watch(look) {
      looks.add(look);
      return () => looks.delete(look);
    },
  };
}

async function inTime<Name extends string>(look: Look<Name>): Promise<readonly Sample<Name>[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<readonly Sample<Name>[]>((resolve) => {
    timer = setTimeout(() => resolve([]), lookWithinMs);
  });
  const looked = (async () => look())().catch((): readonly Sample<Name>[] => []);
  return Promise.race([looked, late]).finally(() => clearTimeout(timer));
}

/** Looks once in so many milliseconds, however often it is asked: many scrapers cost the database no more than one, and one that hangs one look. */
export function seldom<Found>(look: () => Promise<Found>, everyMs = 10_000): () => Promise<Found> {
  let kept: Promise<Found> | undefined;
  let staleAt = Number.POSITIVE_INFINITY;
  return () => {
    if (kept !== undefined && performance.now() < staleAt) return kept;
    staleAt = Number.POSITIVE_INFINITY;
    kept = look().finally(() => {
      staleAt = performance.now() + everyMs;
    });
    return kept;
  };
}
