import { Database } from '@idsync/database';
import { WorkerModule } from '@idsync/messaging';
import { type DispatcherConfig, Logger } from '@idsync/runtime';
import { type DynamicModule, Module, type OnApplicationShutdown } from '@nestjs/common';
import { ConfigService } from '@nestjs/config';
import { DeliveryContext, type DeliverySettings, defaultSettings } from './delivery/delivery-context.js';
import { DeliveryEngine } from './delivery/delivery-engine.service.js';
import { FanOutRunner } from './fan-out-runner.service.js';
import { DispatcherHousekeeping } from './housekeeping.service.js';
import { secretOpener } from './open-secret.js';
import { ReplaysConsumer } from './replays.consumer.js';
import { defaultLimits, type HttpLimits, httpSender, Sender } from './sending/http-sender.js';

type Config = ConfigService<DispatcherConfig, true>;

/** Overrides for tests. */
export interface DispatcherOptions {
  settings?: Partial<DeliverySettings>;
  limits?: Partial<HttpLimits>;
}

@Module({
  controllers: [ReplaysConsumer],
  providers: [DeliveryEngine, FanOutRunner, DispatcherHousekeeping],
})
export class WebhookDispatcherModule implements OnApplicationShutdown {
  constructor(private readonly sender: Sender) {}

  static forRoot(config: DispatcherConfig, { settings, limits }: DispatcherOptions = {}): DynamicModule {
    const createSender = (values: Config) =>
      httpSender({
        allowedCidrs: values.get('WEBHOOK_ALLOW_CIDRS', { infer: true }),
        limits: { ...defaultLimits, ...limits },
      });
    const encryptionKeys = (values: Config) => [
      values.get('ENCRYPTION_KEY', { infer: true }),
      ...values.get('ENCRYPTION_KEYS_PREVIOUS', { infer: true }),
    ];
    const createContext = (database: Database, sender: Sender, log: Logger, values: Config): DeliveryContext => ({
      database,
      sender,
      log,
      settings: { ...defaultSettings, ...settings },
      openSecret: secretOpener(encryptionKeys(values)),
    });
    return {
      module: WebhookDispatcherModule,
      imports: [WorkerModule.forRoot('webhook-dispatcher', config)],
      providers: [
        { provide: Sender, inject: [ConfigService], useFactory: createSender },
        { provide: DeliveryContext, inject: [Database, Sender, Logger, ConfigService], useFactory: createContext },
      ],
    };
  }

  /** Runs after the engine has stopped sending. */
  async onApplicationShutdown(): Promise<void> {
    await this.sender.close();
  }
}
