import { connect, createServer, type Server, type Socket } from 'node:net';
import { type Plan, type Reach, reachOf } from './reach-of.js';

/** Type of a notice in the messages of PostgreSQL, and the bytes of type and length. */
const notice = 'N'.charCodeAt(0);
const headerBytes = 5;

/** A statement that a service has executed. */
export interface Statement extends Reach {
  text: string;
}

/** Settings of a database whose plans are collected. PostgreSQL sends them as notices to the connection. */
export const explainingSettings = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_timing': 'off',
  'auto_explain.log_buffers': 'on',
  'auto_explain.log_format': 'json',
  'auto_explain.log_level': 'notice',
  'auto_explain.log_nested_statements': 'on',
};

/**
 * A proxy to PostgreSQL that collects executed plans. Each statement is explained as its service executes it: with its
 * role, under row-level security, with real parameters and a plan that may be cached.
 */
export class PlanTap {
  /** Plans are collected only while true. */
  isOpen = false;
  /** New connections plan for the values of each execution, as the nodes of Citus do. */
  plansForValues = false;
  readonly statements: Statement[] = [];
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async before(databaseUrl: string): Promise<PlanTap> {
    const { hostname, port } = new URL(databaseUrl);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const url = new URL(databaseUrl);
    url.host = `127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
    const tap = new PlanTap(server, url.href);
    server.on('connection', (near) => tap.pass(near, connect(Number(port || 5432), hostname)));
    return tap;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private pass(near: Socket, far: Socket): void {
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.sockets.add(one.setNoDelay());
      one
        .on('error', () => undefined)
        .once('close', () => {
          this.sockets.delete(one);
          other.destroy();
        });
    }
    near.once('data', (startup: Buffer) => {
      far.write(this.plansForValues ? planningForValues(startup) : startup);
      near.pipe(far);
    });
    far.pipe(near);
    let rest: Buffer = Buffer.alloc(0);
    far.on('data', (chunk: Buffer) => {
      rest = this.read(Buffer.concat([rest, chunk]));
    });
  }

  /** Returns the beginning of an incomplete message. */
  private read(bytes: Buffer): Buffer {
    let at = 0;
    while (bytes.length - at >= headerBytes) {
      const end = at + 1 + bytes.readInt32BE(at + 1);
      if (end > bytes.length) break;
      if (bytes[at] === notice && this.isOpen) this.add(bytes.toString('utf8', at + headerBytes, end));
      at = end;
    }
    return bytes.subarray(at);
  }

  private add(fields: string): void {
    const message = fields.split('\0').find((field) => field.startsWith('M')) ?? '';
    const json = /^Mduration: .*? plan:\n(.*)$/s.exec(message)?.[1];
    if (json === undefined) return;
    const { 'Query Text': text, Plan: plan } = JSON.parse(json) as { 'Query Text': string; Plan: Plan };
    this.statements.push({ text: text.replaceAll(/\s+/g, ' ').trim(), ...reachOf(plan) });
  }
}

const [forAll, forEach] = ['force_generic_plan', 'force_custom_plan '];

/** Changes a setting in the first message of a connection; the length of the message stays. */
function planningForValues(startup: Buffer): Buffer {
  return Buffer.from(startup.toString('latin1').replace(forAll, forEach), 'latin1');
}
