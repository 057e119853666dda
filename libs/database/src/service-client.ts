import pg from 'pg';

/** The open connections of one DataSource. */
export interface OpenConnections {
  count: number;
  /** Settings of the next ones, which override those of the pool. */
  settings: string;
}

/**
 * Returns the class of pg clients of a DataSource. They count themselves, and always have an error listener, because the
 * pool listens to idle clients only and an unhandled error event would end the process.
 */
export function serviceClient(connections: OpenConnections): typeof pg.Client {
  return class extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      super({ ...config, options: [config?.options, connections.settings].filter(Boolean).join(' ') });
      connections.count += 1;
      this.on('error', () => undefined);
      this.once('end', () => {
        connections.count -= 1;
      });
    }

    /** Statements that are sent together leave in one packet: a packet costs more than a small statement. */
    override query(...query: never[]): never {
      const { stream } = this.connection;
      stream.cork();
      process.nextTick(() => stream.uncork());
      return Reflect.apply(super.query, this, query) as never;
    }
  };
}
