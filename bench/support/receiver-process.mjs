// The receiver of `receiver.mjs` as a process.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { pause } from './statistics.mjs';

const withoutProgressMs = 120_000;

export class ReceiverProcess {
  static async start() {
    const receiver = new ReceiverProcess();
    receiver.child = fork(fileURLToPath(new URL('receiver.mjs', import.meta.url)));
    const [{ port }] = await once(receiver.child, 'message');
    receiver.url = `http://127.0.0.1:${port}/hook`;
    return receiver;
  }

  /** Resolves when `count` deliveries have arrived since the last `times`; throws after two minutes without one. */
  async until(count) {
    for (let last = 0, since = performance.now(); ; ) {
      const { count: arrived } = await this.ask('count');
      if (arrived >= count) return;
      if (arrived > last) [last, since] = [arrived, performance.now()];
      if (performance.now() - since > withoutProgressMs) throw new Error(`only ${arrived} of ${count} arrived`);
      await pause(20);
    }
  }

  /** Returns sequence and time of each delivery since the last call. */
  async times() {
    return (await this.ask('times')).times;
  }

  async ask(ask) {
    this.child.send({ ask });
    const [answer] = await once(this.child, 'message');
    return answer;
  }

  stop() {
    this.child.kill();
  }
}
