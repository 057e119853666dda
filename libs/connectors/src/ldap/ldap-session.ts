import type { Socket } from 'node:net';
import type { LdapConfig, RecordKind } from '@idsync/contracts';
import { BindRequest, type Control, ExtendedRequest, type Filter, SearchRequest, UnbindRequest } from 'ldapts';
import { SourceError } from '../connector.js';
import { refusal } from './ldap-errors.js';
import {
  type LdapEntry,
  type LdapMessage,
  type LdapResult,
  MalformedMessage,
  MessageStream,
  readMessage,
} from './ldap-messages.js';
import { connect, type Endpoint, endpointOf, secureSocket } from './ldap-socket.js';

interface Search {
  base: string;
  scope: 'base' | 'one' | 'sub';
  filter: Filter;
  attributes: string[];
  /** Maximum number of entries; more are an error. */
  limit: number;
  /** Requests attribute names without values. */
  namesOnly?: boolean;
  controls?: Control[];
}

interface SearchAnswer {
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

/**
 * Timeout of an operation from its request to its last byte; equals the time limit of Active Directory for a search.
 */
const defaultOperationMs = 120_000;
const maxAnswerBytes = 64 * 1024 * 1024;
const startTlsOid = '1.3.6.1.4.1.1466.20037';

/**
 * One connection to a directory. The library encodes requests; responses are parsed here, because its client treats an
 * empty page as the end of a search and reconnects without a bind. A failed connection is not replaced.
 */
export class LdapSession {
  private readonly operations = new Map<number, Operation>();
  private stream = new MessageStream();
  private lastId = 0;
  private failure: unknown;
  private readonly onData = (chunk: Buffer) => this.receive(chunk);
  private readonly onAbort = () => this.fail(this.signal.reason);

  constructor(
    private socket: Socket,
    private readonly signal: AbortSignal,
    private readonly operationMs = defaultOperationMs,
  ) {
    signal.addEventListener('abort', this.onAbort, { once: true });
    this.listen();
  }

  async startTls(endpoint: Endpoint): Promise<void> {
    const { result } = await this.send((messageId) => new ExtendedRequest({ messageId, oid: startTlsOid }), 0);
    // A server without a certificate permanently returns unavailable, so the error is not transient.
    if (result.code !== 0) {
      const { message, code, said } = refusal(result, 'StartTLS');
      throw new SourceError(message, { code, said });
    }
    this.socket.off('data', this.onData);
    // Bytes after the response were not encrypted and may come from an attacker.
    if (this.stream.pending > 0)
      throw new SourceError('StartTLS: the server sent unencrypted data after its response', 'tls_failed');
    this.socket = await secureSocket(this.socket, endpoint, this.signal);
    this.stream = new MessageStream();
    this.listen();
  }

  async bind(dn: string, password: string): Promise<void> {
    const { result } = await this.send((messageId) => new BindRequest({ messageId, dn, password }), 0);
    if (result.code !== 0) throw refusal(result, 'bind');
  }

  /** Returns the entries and the result, whatever its code. */
  async search({ base, limit, namesOnly = false, ...search }: Search): Promise<SearchAnswer> {
    const timeLimit = Math.ceil(this.operationMs / 1_000);
    const asked = { ...search, baseDN: base, timeLimit, returnAttributeValues: !namesOnly };
    return this.send((messageId) => new SearchRequest({ ...asked, messageId }), limit);
  }

  close(): void {
    if (this.failure !== undefined) return;
    const { socket } = this;
    this.end(new SourceError('the connection was closed', 'unreachable'));
    socket.end(new UnbindRequest({ messageId: ++this.lastId }).write(), () => socket.destroy());
    setTimeout(() => socket.destroy(), 1_000).unref();
  }

  private listen(): void {
    this.socket.on('data', this.onData);
    this.socket.on('error', (cause: Error & { code?: string }) =>
      this.fail(
        new SourceError(`the connection to the directory failed (${cause.code ?? 'unknown reason'})`, {
          code: 'unreachable',
          said: cause.message,
          transient: true,
          cause,
        }),
      ),
    );
    this.socket.on('close', () => this.fail(closed()));
  }

  private async send(request: (messageId: number) => { write(): Buffer }, limit: number): Promise<SearchAnswer> {
    if (this.failure !== undefined) throw this.failure;
    if (this.socket.destroyed) throw closed();
    const id = ++this.lastId;
    let timer: NodeJS.Timeout | undefined;
    const answer = new Promise<SearchAnswer>((done, fail) => {
      timer = setTimeout(
        () => this.fail(new SourceError(`the directory did not respond within ${this.operationMs} ms`, 'timed_out')),
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
      const text = error instanceof MalformedMessage ? error.message : 'a response cannot be parsed';
      this.fail(
        error instanceof SourceError ? error : new SourceError(`the directory sent an invalid LDAP message: ${text}`),
      );
    }
  }

  private take(message: LdapMessage, bytes: number): void {
    const operation = this.operations.get(message.id);
    // Message id 0 is a notice of disconnection.
    if (message.id === 0 && message.kind === 'result')
      throw refusal(message.result, 'the directory closed the connection');
    if (!operation) return;
    operation.bytes += bytes;
    if (operation.bytes > maxAnswerBytes)
      throw new SourceError('the directory sent more than 64 MiB for one page', 'too_large');
    if (message.kind === 'entry') {
      operation.entries.push(message.entry);
      if (operation.entries.length > operation.limit) {
        throw new SourceError(`the directory sent more than the ${operation.limit} requested entries`, 'too_large');
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

function closed(): SourceError {
  return new SourceError('the directory closed the connection', { code: 'unreachable', transient: true });
}

export interface LdapSettings {
  records: RecordKind;
  config: LdapConfig;
  bindPassword?: string | undefined;
  allowedCidrs: readonly string[];
  /** Maximum number of anchors in memory, and timeout of an operation; lower in tests. */
  limits?: { keep?: number; operationMs?: number };
}

/** Connects, starts TLS unless disabled by the configuration, and binds. */
export async function openSession(settings: LdapSettings, signal: AbortSignal): Promise<LdapSession> {
  const { config, bindPassword, allowedCidrs, limits } = settings;
  const endpoint = endpointOf(config);
  const socket = await connect(endpoint, allowedCidrs, signal);
  const session = new LdapSession(socket, signal, limits?.operationMs);
  try {
    if (!endpoint.secure && !config.unencrypted) await session.startTls(endpoint);
    if (config.bind_dn !== undefined && bindPassword !== undefined) await session.bind(config.bind_dn, bindPassword);
    return session;
  } catch (error) {
    session.close();
    throw error;
  }
}
