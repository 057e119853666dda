export interface Series {
  name: string;
  labels: Record<string, string>;
  value: number;
}

/** Scrapes these internal ports. */
export async function readMetrics(internalUrls: readonly string[]): Promise<Series[]> {
  const texts = await scrape(internalUrls);
  return texts.flatMap((text) => text.split('\n').flatMap((line) => seriesOf(line) ?? []));
}

/** Returns the names of all metrics, with or without a value. */
export async function readMetricNames(internalUrls: readonly string[]): Promise<Set<string>> {
  const texts = await scrape(internalUrls);
  return new Set(texts.flatMap((text) => [...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name = '']) => name)));
}

function scrape(internalUrls: readonly string[]): Promise<string[]> {
  return Promise.all(internalUrls.map(async (url) => (await fetch(`${url}/metrics`)).text()));
}

function seriesOf(line: string): Series | undefined {
  const [, name, labels = '', value] = /^([a-z]\w*)(?:\{(.*)\})? (\S+)$/i.exec(line) ?? [];
  if (name === undefined) return undefined;
  const pairs = [...labels.matchAll(/\b(\w+)="([^"]*)"/g)].map(([, label = '', text = '']) => [label, text]);
  return { name, labels: Object.fromEntries(pairs), value: Number(value) };
}
