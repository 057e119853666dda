import { createWriteStream, existsSync, type WriteStream } from 'node:fs';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  brokerProgram,
  DirectoryFixture,
  freePort,
  PrivateBroker,
  PrivateCitus,
  PrivatePostgres,
  until,
} from '@idsync/testing';
import { PreviousCode, previousCommit } from '../support/previous-code.js';
import { adminToken } from '../support/services.js';
import { SmallDisk } from '../support/small-disk.js';
import { clockUnavailable } from './clock.js';
import { type FaultKind, type LinkName, type ServiceName, serviceNames, workerNames } from './plan.js';
import { ChaosService } from './service.js';
import { ToxicLink } from './toxic-link.js';

/**
 * Timeout in milliseconds of a statement without an answer; in production it is 35 s in the gateway and five minutes
 * elsewhere.
 */
const queryTimeoutMs = 20_000;
const diskMebibytes = 4_096;
const upWithinMs = 120_000;

/** A deployment for this run: PostgreSQL, RabbitMQ, the four services, and a link between each pair of them. */
export class World {
  readonly links = new Map<LinkName, ToxicLink>();
  readonly services = new Map<ServiceName, ChaosService>();
  /** Kinds of fault that this machine does not support, with the reason. */
  readonly leftOut = new Map<FaultKind, string>();
  url = '';
  private folder = '';
  private diskOfPostgres: SmallDisk | undefined;
  private server: PrivatePostgres | PrivateCitus | undefined;
  private queues: PrivateBroker | undefined;
  /** Direct connections to the nodes of the database as administrator, the coordinator first. */
  readonly nodes: DirectoryFixture[] = [];
  private previous: PreviousCode | undefined;
  private log: WriteStream | undefined;
  private removing: Promise<string | undefined> | undefined;

  /** `stopping`: checked between the steps of the start and of a run. */
  constructor(readonly stopping: AbortSignal) {}

  /** Starts everything. `remove` removes it, also after a failure. */
  async start(kinds: readonly FaultKind[], onCitus: boolean, say: (line: string) => void): Promise<void> {
    this.folder = await mkdtemp(join(tmpdir(), 'idsync-chaos-'));
    await mkdir(this.sourcesDir);
    this.log = createWriteStream(join(this.folder, 'services.log'));
    this.findWhatIsMissing(kinds, onCitus);
    if (this.has(kinds, 'full-disk')) this.diskOfPostgres = SmallDisk.mount(diskMebibytes);
    this.server = onCitus
      ? await PrivateCitus.start(workerNames.length)
      : await PrivatePostgres.start(this.diskOfPostgres?.folder);
    this.stopping.throwIfAborted();
    if (existsSync(brokerProgram)) this.queues = await PrivateBroker.start();
    this.stopping.throwIfAborted();
    if (this.has(kinds, 'previous-version')) await this.buildPrevious(say);
    this.stopping.throwIfAborted();
    this.nodes.push(...this.urls.map((url) => DirectoryFixture.connect(url)));
    await this.startServices();
    await this.up();
  }

  get sourcesDir(): string {
    return join(this.folder, 'sources');
  }

  get postgres(): PrivatePostgres | PrivateCitus {
    return there(this.server);
  }

  worker(name: string): Pick<PrivateCitus, 'kill' | 'up'> {
    return there(this.citus?.nodes[workerNames.indexOf(name as (typeof workerNames)[number]) + 1]);
  }

  get completed(): number {
    return there(this.citus).completed();
  }

  private get citus(): PrivateCitus | undefined {
    return this.server instanceof PrivateCitus ? this.server : undefined;
  }

  private get urls(): string[] {
    const { url } = this.postgres;
    return this.citus?.nodes.map(({ port }) => Object.assign(new URL(url), { port: String(port) }).href) ?? [url];
  }

  get broker(): PrivateBroker {
    return there(this.queues);
  }

  get disk(): SmallDisk {
    return there(this.diskOfPostgres);
  }

  /** Direct connection as PostgreSQL administrator. */
  get admin(): DirectoryFixture {
    return there(this.nodes[0]);
  }

  get adminToken(): string {
    return adminToken;
  }

  service(name: string): ChaosService {
    return there(this.services.get(name as ServiceName));
  }

  link(name: string): ToxicLink {
    return there(this.links.get(name as LinkName));
  }

  /** Last output with a stack trace of services that ended unexpectedly; an expected end prints one plain line. */
  crashes(): string[] {
    return [...this.services.values()].flatMap(({ unexpectedEnds }) =>
      unexpectedEnds.filter((words) => /^ +at /m.test(words)),
    );
  }

  /** Closes the remaining half-open connections, as a TCP timeout does. */
  closeHalfOpen(): void {
    for (const link of this.links.values()) link.forget();
  }

  async addLink(name: LinkName, port: number): Promise<ToxicLink> {
    const link = await ToxicLink.to(port);
    this.links.set(name, link);
    return link;
  }

  /** Waits until PostgreSQL answers, all services run, and the gateway is healthy. */
  async up(): Promise<void> {
    await this.postgresUp();
    for (const service of this.services.values()) service.start();
    const healthy = () =>
      fetch(`${this.url}/v1/health`, { signal: AbortSignal.timeout(5_000) }).then(
        ({ ok }) => ok,
        () => false,
      );
    await until(healthy, 'the health of the gateway', upWithinMs);
  }

  /** Restarts a PostgreSQL that stopped, for example on a full disk. */
  async postgresUp(): Promise<void> {
    if (await this.postgresAnswers()) return;
    await this.postgres.restart();
  }

  /** Stops and removes everything; with `keep`, resolves with the folder of logs, sources and data. */
  remove({ keep }: { keep: boolean }): Promise<string | undefined> {
    this.removing ??= this.removeAll(keep);
    return this.removing;
  }

  private async removeAll(keep: boolean): Promise<string | undefined> {
    const failures: unknown[] = [];
    const attempt = async (work: () => Promise<unknown> | undefined) => {
      await Promise.resolve(work()).catch((error: unknown) => failures.push(error));
    };
    await Promise.all([...this.services.values()].map((service) => attempt(() => service.kill())));
    for (const link of this.links.values()) await attempt(() => link.close());
    for (const node of this.nodes) await attempt(() => node.close());
    await attempt(() => this.queues?.remove());
    await attempt(() => this.diskOfPostgres?.free());
    await attempt(() => this.server?.stop());
    if (keep && this.server) {
      const { dataDir } = this.server;
      await attempt(() => cp(dataDir, join(this.folder, 'postgres-data'), { recursive: true }));
    }
    await attempt(() => this.server?.remove());
    await attempt(() => this.diskOfPostgres?.remove());
    await attempt(() => this.previous?.remove());
    this.log?.end();
    if (!keep && this.folder) await attempt(() => rm(this.folder, { recursive: true, force: true }));
    if (failures.length > 0) throw new AggregateError(failures, 'some parts could not be removed');
    return keep ? this.folder : undefined;
  }

  private has(kinds: readonly FaultKind[], kind: FaultKind): boolean {
    return kinds.includes(kind) && !this.leftOut.has(kind);
  }

  private findWhatIsMissing(kinds: readonly FaultKind[], onCitus: boolean): void {
    const leaveOut = (reason: string | undefined, ...names: FaultKind[]) => {
      for (const name of names) if (reason !== undefined && kinds.includes(name)) this.leftOut.set(name, reason);
    };
    leaveOut(clockUnavailable, 'clock');
    leaveOut(onCitus ? 'its disk would be that of all nodes' : undefined, 'full-disk');
    leaveOut(onCitus ? undefined : '--citus is not given', 'kill-worker');
    if (this.has(kinds, 'full-disk')) leaveOut(SmallDisk.unavailable(), 'full-disk');
    if (!existsSync(brokerProgram)) leaveOut(`${brokerProgram} is not installed`, 'kill-broker', 'wipe-broker');
    const commit = previousCommit();
    if ('unknown' in commit) leaveOut(`the newest release is not known: ${commit.unknown}`, 'previous-version');
  }

  private async buildPrevious(say: (line: string) => void): Promise<void> {
    const found = previousCommit();
    if (!('commit' in found)) return;
    say(`building the newest release, ${found.commit.slice(0, 10)}`);
    this.previous = await PreviousCode.build(found.commit, 'compiled');
  }

  private async startServices(): Promise<void> {
    const port = await freePort();
    this.url = `http://127.0.0.1:${port}`;
    for (const name of serviceNames) {
      const toPostgres = await this.addLink(`${name}-postgres`, Number(new URL(this.postgres.url).port));
      const databaseUrl = new URL(toPostgres.through(this.postgres.url));
      databaseUrl.searchParams.set('query_timeout', String(queryTimeoutMs));
      const toBroker = this.queues && (await this.addLink(`${name}-rabbitmq`, this.queues.port));
      const options = {
        databaseUrl: databaseUrl.toString(),
        amqpUrl: this.queues && toBroker?.through(this.queues.url),
        sourcesDir: this.sourcesDir,
        allowedCidrs: '127.0.0.0/8',
        sourceCidrs: '127.0.0.0/8',
      };
      const log = (text: string) => void this.log?.write(text);
      const clockFile = join(this.folder, `${name}.clock`);
      const place = { options, port, clockFile, log, previous: this.previous?.dir };
      this.services.set(name, await ChaosService.create(name, place));
    }
  }

  private async postgresAnswers(): Promise<boolean> {
    // During crash recovery PostgreSQL refuses connections for a moment.
    return until(() => this.admin.rows('select 1').catch(() => false), 'PostgreSQL', 15_000).then(
      () => true,
      () => false,
    );
  }
}

function there<T>(thing: T | undefined): T {
  if (thing === undefined) throw new Error('this run has no such part');
  return thing;
}
