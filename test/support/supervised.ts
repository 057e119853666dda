import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

const restartMs = 300;
const stopWithinMs = 40_000;

/** A Node program that is restarted whenever it ends, as by a process manager; tests can kill, freeze and thaw it. */
export class Supervised {
  /** Last output of each unexpected end. */
  readonly unexpectedEnds: string[] = [];
  private child: ChildProcess | undefined;
  private wanted = false;
  private restart: NodeJS.Timeout | undefined;

  constructor(
    readonly name: string,
    private readonly words: readonly string[],
    private readonly env: NodeJS.ProcessEnv,
    /** Receives the log output. */
    private readonly keep: (text: string) => void = () => undefined,
  ) {}

  get runs(): boolean {
    return this.child !== undefined;
  }

  start(): void {
    this.wanted = true;
    if (this.child) return;
    const child = spawn(process.execPath, [...this.words], { stdio: ['ignore', 'ignore', 'pipe'], env: this.env });
    this.child = child;
    let lastOutput = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (process.env.IDSYNC_TEST_LOGS) process.stderr.write(text);
      this.keep(text);
      lastOutput = (lastOutput + text).slice(-2_000);
    });
    child.once('close', () => {
      if (this.child !== child) return;
      this.child = undefined;
      if (!this.wanted) return;
      this.unexpectedEnds.push(`${this.name}: ${lastOutput.trim()}`);
      this.restart = setTimeout(() => this.start(), restartMs);
    });
  }

  /** Sends SIGKILL; resolves when the process has ended. It is not restarted until `start`. */
  kill(): Promise<void> {
    return this.end('SIGKILL');
  }

  /** Sends SIGSTOP: the process stops working but keeps its connections until `thaw`. */
  freeze(): void {
    this.child?.kill('SIGSTOP');
  }

  thaw(): void {
    this.child?.kill('SIGCONT');
  }

  /** Sends SIGTERM, and SIGKILL after a time limit. */
  async stop(): Promise<void> {
    const timer = setTimeout(() => this.child?.kill('SIGKILL'), stopWithinMs);
    this.thaw();
    await this.end('SIGTERM');
    clearTimeout(timer);
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    this.wanted = false;
    clearTimeout(this.restart);
    const { child } = this;
    if (!child) return;
    const gone = once(child, 'close');
    child.kill(signal);
    await gone;
  }
}
