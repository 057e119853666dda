import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ShutdownFailures } from '@idsync/runtime';
import { type BeforeApplicationShutdown, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { HttpOptions, type ShutdownTimeouts } from './http-options.js';

interface ConnectionState {
  /** Responses that are not yet fully sent. */
  open: number;
  /** Bytes read when the last response ended; further bytes belong to another request. */
  bytesReadAtEnd: number;
}

const defaultTimeouts: ShutdownTimeouts = { responsesMs: 20_000, requestsMs: 2_000 };

/**
 * Tracks the connections of the server, so that a shutdown truncates no response. Node treats a connection as idle as soon as its
 * response is handed to the socket, before the client has read it, and waits forever for a connection without any request.
 */
@Injectable()
export class ClientConnections implements BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly connections = new Map<Socket, ConnectionState>();
  private readonly timeouts: ShutdownTimeouts;
  private closing = false;
  private interrupted = 0;
  private timers: NodeJS.Timeout[] = [];

  constructor(
    { httpAdapter }: HttpAdapterHost,
    options: HttpOptions,
    private readonly failures: ShutdownFailures,
  ) {
    this.timeouts = options.shutdownTimeouts ?? defaultTimeouts;
    const { server } = httpAdapter.getInstance<{ server: Server }>();
    server.on('connection', (socket: Socket) => {
      this.connections.set(socket, { open: 0, bytesReadAtEnd: 0 });
      socket.once('close', () => this.connections.delete(socket));
    });
    server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
      const connection = this.connections.get(request.socket);
      if (!connection) return;
      connection.open += 1;
      response.once('close', () => {
        connection.open -= 1;
        connection.bytesReadAtEnd = request.socket.bytesRead;
        // The response promised keep-alive, but the shutdown has begun since.
        if (this.closing && connection.open === 0) request.socket.destroySoon();
      });
    });
    // Node calls this when the server closes.
    server.closeIdleConnections = () =>
      this.end((socket, { open, bytesReadAtEnd }) => open === 0 && isIdle(socket, bytesReadAtEnd));
  }

  /** Starts the timeouts for the following close of the server. */
  beforeApplicationShutdown(): void {
    this.closing = true;
    this.timers = [
      setTimeout(() => this.end((_, { open }) => open === 0), this.timeouts.requestsMs),
      setTimeout(() => {
        this.interrupted = [...this.connections.values()].filter(({ open }) => open > 0).length;
        this.end(() => true);
      }, this.timeouts.responsesMs),
    ];
  }

  /** Runs after the server has closed. */
  onApplicationShutdown(): void {
    this.timers.forEach(clearTimeout);
    if (this.interrupted === 0) return;
    this.failures.record(
      new Error(
        `${this.interrupted} responses were not read by their clients within ${this.timeouts.responsesMs / 1_000} s`,
      ),
    );
  }

  private end(which: (socket: Socket, connection: ConnectionState) => boolean): void {
    for (const [socket, connection] of this.connections) if (which(socket, connection)) socket.destroy();
  }
}

/** True if nothing has arrived since the last response. A connection without a response may be sending its first request. */
function isIdle(socket: Socket, bytesReadAtEnd: number): boolean {
  return bytesReadAtEnd > 0 && socket.bytesRead === bytesReadAtEnd;
}
