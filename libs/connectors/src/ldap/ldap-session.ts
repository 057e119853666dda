import type { Socket } from 'node:net';
import { BindRequest, type Control, ExtendedRequest, type Filter, SearchRequest, UnbindRequest } from 'ldapts';
import { SourceError } from '../connector.js';
import { MalformedMessage } from './ber.js';
import { refusal } from './ldap-errors.js';
import { type LdapEntry, type LdapMessage, type LdapResult, readMessage } from './ldap-messages.js';
import { connect, type Endpoint, secureSocket } from './ldap-socket.js';
import { MessageStream } from './message-stream.js';

export interface Search {
  base: string;
  scope: 'base' | 'one' | 'sub';
  filter: Filter;
  attributes: string[];
  /** How many entries may come; more is an error. */
  limit: number;
  controls?: Control[];
}

export interface SearchAnswer {
  entries: LdapEntry[];
  result: LdapResult;
}

interface Operation {
  entries: LdapEntry[];
  bytes: number;
  limit: number;
  done(answer: SearchAnswer): void;
  fail(error: unknown): void;
}

/** For an operation from its request to its last byte; the longest that Active Directory lets a search take. */
const defaultOperationMs = 120_000;
const maxAnswerBytes = 64 * 1024 * 1024;
const startTlsOid = '1.3.6.1.4.1.1466.20037';

/**
 * One connection to a directory. The library encodes what is asked; answers are read here, for completeness hangs on them: its
 * client takes an empty page for the end, and signs in nobody when it connects anew. A connection that fails is never replaced.
 */
export class LdapSession {
  private readonly operations = new Map<number, Operation>();
  private stream = new MessageStream();
  private lastId = 0;
  private failure: unknown;
  private readonly onData = (chunk: Buffer) => this.receive(chunk);
  private readonly onAbort = () => this.fail(this.signal.reason);

  private constructor(
    private socket: Socket,
    private readonly signal: AbortSignal,
    private readonly operationMs: number,
  ) {
    signal.addEventListener('abort', this.onAbort, { once: true });
    this.listen();
  }

  static async open(
    endpoint: Endpoint,
    allowedCidrs: readonly string[],
    signal: AbortSignal,
    operationMs = defaultOperationMs,
  ): Promise<LdapSession> {
    return new LdapSession(await connect(endpoint, allowedCidrs, signal), signal, operationMs);
  }

  async startTls(endpoint: Endpoint): Promise<void> {
    const { result } = await this.send((messageId) => new ExtendedRequest({ messageId, oid: startTlsOid }), 0);
    if (result.code !== 0) throw refusal(result, 'StartTLS');
    this.socket.off('data', this.onData);
    // What came behind the answer was not encrypted: it is somebody else's.
    if (this.stream.pending > 0) throw new SourceError('StartTLS: the server went on without encryption');
    this.socket = await secureSocket(this.socket, endpoint, this.signal);
    this.stream = new MessageStream();
    this.listen();
  }

  async bind(dn: string, password: string): Promise<void> {
    const { result } = await this.send((messageId) => new BindRequest({ messageId, dn, password }), 0);
    if (result.code !== 0) throw refusal(result, 'signing in');
  }

  /** What came and how it ended, whatever the end is. */
  async search({ base, limit, ...search }: Search): Promise<SearchAnswer> {
    const timeLimit = Math.ceil(this.operationMs / 1_000);
    return this.send((messageId) => new SearchRequest({ ...search, messageId, baseDN: base, timeLimit }), limit);
  }

  close(): void {
    if (this.failure !== undefined) return;
    const { socket } = this;
    this.end(new SourceError('the connection was closed'));
    socket.end(new UnbindRequest({ messageId: ++this.lastId }).write(), () => socket.destroy());
    setTimeout(() => socket.destroy(), 1_000).unref();
  }

  private listen(): void {
    this.socket.on('data', this.onData);
    this.socket.on('error', (cause: Error & { code?: string }) =>
      this.fail(new SourceError(`the connection to the directory failed (${cause.code ?? cause.message})`, { cause })),
    );
    this.socket.on('close', () => this.fail(new SourceError('the directory closed the connection')));
  }

  private async send(request: (messageId: number) => { write(): Buffer }, limit: number): Promise<SearchAnswer> {
    if (this.failure !== undefined) throw this.failure;
    if (this.socket.destroyed) throw new SourceError('the directory closed the connection');
    const id = ++this.lastId;
    let timer: NodeJS.Timeout | undefined;
    const answer = new Promise<SearchAnswer>((done, fail) => {
      timer = setTimeout(
        () => this.fail(new SourceError(`the directory did not answer in ${this.operationMs} ms`)),
        this.operationMs,
      );
      this.operations.set(id, { entries: [], bytes: 0, limit, done, fail });
      this.socket.write(request(id).write());
    });
    return answer.finally(() => {
      clearTimeout(timer);
      this.operations.delete(id);
    });
  }

  private receive(chunk: Buffer): void {
    try {
      for (const bytes of this.stream.feed(chunk)) {
        if (this.failure !== undefined) return;
        this.take(readMessage(bytes), bytes.length);
      }
    } catch (error) {
      const text = error instanceof MalformedMessage ? error.message : 'an answer cannot be read';
      this.fail(error instanceof SourceError ? error : new SourceError(`the directory does not speak LDAP: ${text}`));
    }
  }

  private take(message: LdapMessage, bytes: number): void {
    const operation = this.operations.get(message.id);
    // Number 0 is nobody's answer: the server says why it goes.
    if (message.id === 0 && message.kind === 'result')
      throw refusal(message.result, 'the directory ended the connection');
    if (!operation) return;
    operation.bytes += bytes;
    if (operation.bytes > maxAnswerBytes) throw new SourceError('the directory sent more than 64 MiB for one page');
    if (message.kind === 'entry') {
      operation.entries.push(message.entry);
      if (operation.entries.length > operation.limit) {
        throw new SourceError(`the directory sent more entries than the ${operation.limit} it was asked for`);
      }
    } else if (message.kind === 'result') {
      operation.done({ entries: operation.entries, result: message.result });
    }
  }

  private fail(error: unknown): void {
    this.end(error);
    this.socket.destroy();
  }

  private end(error: unknown): void {
    if (this.failure !== undefined) return;
    this.failure = error;
    this.signal.removeEventListener('abort', this.onAbort);
    for (const operation of this.operations.values()) operation.fail(error);
  }
}
