import { randomBytes } from 'node:crypto';
import { PrivateBroker } from './private-broker.js';

/** Three nodes of RabbitMQ for one test, each of which can be killed and started again. */
export class PrivateBrokerCluster {
  private constructor(readonly nodes: readonly PrivateBroker[]) {}

  static async start(): Promise<PrivateBrokerCluster> {
    const cookie = randomBytes(12).toString('hex');
    const joins = await PrivateBroker.start({ cluster: { cookie } });
    const others = await Promise.allSettled([1, 2].map(() => PrivateBroker.start({ cluster: { cookie, joins } })));
    const cluster = new PrivateBrokerCluster([
      joins,
      ...others.flatMap((other) => (other.status === 'fulfilled' ? other.value : [])),
    ]);
    const failed = others.find((other) => other.status === 'rejected');
    if (!failed) return cluster;
    await cluster.remove();
    throw failed.reason;
  }

  /** AMQP_URL with the addresses of all nodes. */
  get url(): string {
    return this.nodes.map(({ url }) => url).join(',');
  }

  async remove(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.remove()));
  }
}
