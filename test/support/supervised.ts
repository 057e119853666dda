import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

const restartMs = 300;
const stopWithinMs = 40_000;

/** A Node program that is started again whenever it ends, as a process manager would; to be killed, stopped and continued. */
export class Supervised {
  /** The last words of each time it ended by itself. */
  readonly ownEnds: string[] = [];
  private child: ChildProcess | undefined;
  private wanted = false;
  private restart: NodeJS.Timeout | undefined;

  constructor(
    readonly name: string,
    private readonly words: readonly string[],
    private readonly env: NodeJS.ProcessEnv,
  ) {}

  get runs(): boolean {
    return this.child !== undefined;
  }

  start(): void {
    this.wanted = true;
    if (this.child) return;
    const child = spawn(process.execPath, [...this.words], { stdio: ['ignore', 'ignore', 'pipe'], env: this.env });
    this.child = child;
    let lastWords = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (process.env.IDSYNC_TEST_LOGS) process.stderr.write(text);
      lastWords = (lastWords + text).slice(-2_000);
    });
    child.once('close', () => {
      if (this.child !== child) return;
      this.child = undefined;
      if (!this.wanted) return;
      this.ownEnds.push(`${this.name}: ${lastWords.trim()}`);
      this.restart = setTimeout(() => this.start(), restartMs);
    });
  }

  /** SIGKILL; resolves when the process is gone. It stays so until `start`. */
  kill(): Promise<void> {
    return this.end('SIGKILL');
  }

  /** SIGSTOP: it does nothing more, and keeps its connections, until `thaw`. */
  freeze(): void {
    this.child?.kill('SIGSTOP');
  }

  thaw(): void {
    this.child?.kill('SIGCONT');
  }

  /** SIGTERM, as an operator would; SIGKILL if that is not heard. */
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
