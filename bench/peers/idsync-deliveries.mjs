// The dispatcher of idsync with the interface of `QueuePeer`.
import { cpuSeconds, listenerPid } from '../support/cpu-time.mjs';
import { DeliveryRun } from '../support/delivery-run.mjs';

export class IdsyncDeliveries {
  name = 'idsync';

  static async open(url, amqpUrl) {
    const idsync = new IdsyncDeliveries();
    idsync.run = await DeliveryRun.start(url, amqpUrl);
    idsync.broker = amqpUrl && (await listenerPid(Number(new URL(amqpUrl).port || 5672)));
    return idsync;
  }

  get receiver() {
    return this.run.receiver;
  }

  async startWorker() {
    if ((await this.run.admin.rows('select 1 from webhooks')).length === 0) await this.run.webhooks(1);
    this.run.startDispatcher();
  }

  async stopWorker() {
    await this.run.stopDispatcher();
    await this.run.noWebhooks();
  }

  async commit() {
    await this.run.commit(1);
  }

  async fillBacklog(count, webhooks) {
    for (const webhook of await this.run.webhooks(webhooks)) await this.run.fillBacklog(webhook, count / webhooks);
  }

  async until(count) {
    await this.run.until(count);
  }

  async arrivals() {
    return this.run.arrivals();
  }

  async cpu() {
    return (await cpuSeconds(this.run.dispatcher.pid)) + (this.broker ? await cpuSeconds(this.broker) : 0);
  }

  async close() {
    await this.run.stop();
  }
}
