export interface Series {
  name: string;
  labels: Record<string, string>;
  value: number;
}

/** What a scrape of these internal ports finds. */
export async function readMetrics(internalUrls: readonly string[]): Promise<Series[]> {
  const texts = await scrape(internalUrls);
  return texts.flatMap((text) => text.split('\n').flatMap((line) => seriesOf(line) ?? []));
}

/** Everything that could be told there, whether it has a value yet or not. */
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
  const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label = '', text = '']) => [label, text]);
  return { name, labels: Object.fromEntries(pairs), value: Number(value) };
}
