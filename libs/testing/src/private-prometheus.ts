import { spawnSync } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.js';
import { ServerProcess } from './server-process.js';
import { until } from './until.js';

export interface PrometheusSeries {
  metric: Record<string, string>;
  /** Unix seconds, and the value as Prometheus prints it. */
  values: [number, string][];
}

/** A Prometheus for one test, which scrapes every second. */
export class PrivatePrometheus extends ServerProcess {
  /** Located on first use, because most users of this package do not need it. */
  static get isThere(): boolean {
    return spawnSync('prometheus', ['--version']).status === 0;
  }

  /** `configuration` is the content of `prometheus.yml` as JSON; relative `rule_files` are not supported. */
  static async start(configuration: object): Promise<PrivatePrometheus> {
    const directory = await mkdtemp(join(tmpdir(), 'idsync-prometheus-'));
    const file = join(directory, 'prometheus.yml');
    const every = { scrape_interval: '1s', evaluation_interval: '1s' };
    // JSON is YAML.
    await writeFile(file, JSON.stringify({ global: every, ...configuration }));
    const port = await freePort();
    const flags = [
      `--config.file=${file}`,
      `--storage.tsdb.path=${join(directory, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--query.lookback-delta=15s',
    ];
    const prometheus = new PrivatePrometheus(directory, port, 'prometheus', flags);
    try {
      await prometheus.up();
      await prometheus.ready();
      return prometheus;
    } catch (error) {
      await prometheus.remove();
      throw error;
    }
  }

  /**
   * Evaluates a query over a range in Unix seconds, by default every second. Throws the error of Prometheus for an
   * invalid query.
   */
  async range(query: string, start: number, end: number, step = 1): Promise<PrometheusSeries[]> {
    const body = new URLSearchParams({ query, start: `${start}`, end: `${end}`, step: `${step}` });
    const response = await fetch(`http://127.0.0.1:${this.port}/api/v1/query_range`, { method: 'POST', body });
    const answer = (await response.json()) as { error?: string; data?: { result: PrometheusSeries[] } };
    if (!answer.data) throw new Error(`${query}: ${answer.error}`);
    return answer.data.result;
  }

  /** Waits for readiness, because Prometheus listens before it answers queries. */
  private async ready(): Promise<void> {
    await until(async () => (await fetch(`http://127.0.0.1:${this.port}/-/ready`)).ok, 'Prometheus', 60_000);
  }
}
