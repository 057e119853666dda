import { describe, expect, it } from '@jest/globals';
import { Injectable, Module } from '@nestjs/common';
import { ConfigService } from '@nestjs/config';
import { NestFactory } from '@nestjs/core';
import { BackgroundService, observedApplication, ShutdownFailures } from './background.service.js';
import { RuntimeModule } from './runtime.module.js';

let steps: string[] = [];

@Injectable()
class First extends BackgroundService {
  release = () => {};
  readonly stopped = new Promise<void>((resolve) => {
    this.release = resolve;
  });

  start() {
    steps.push('first starts');
  }

  async stop() {
    steps.push('first begins to stop');
    await new Promise((resolve) => setImmediate(resolve));
    steps.push('first has stopped');
    this.release();
    throw new Error('the first left work');
  }

  onApplicationShutdown() {
    steps.push('connections are closed');
  }
}

/** Depends on First, so that Nest runs its hooks before those of First. */
@Injectable()
class Second extends BackgroundService {
  constructor(readonly first: First) {
    super();
  }

  start() {
    steps.push('second starts');
  }

  async stop() {
    steps.push('second begins to stop');
    await this.first.stopped;
    steps.push('second has stopped');
    throw new Error('the second left work');
  }
}

async function started() {
  steps = [];
  @Module({ imports: [RuntimeModule.forRoot('directory', { LOG_LEVEL: 'fatal' })], providers: [First, Second] })
  class Root {}
  return NestFactory.createApplicationContext(Root, { logger: false, abortOnError: false });
}

describe('an observed application', () => {
  it('stops its background services concurrently, and closes connections when all have stopped', async () => {
    const app = await started();
    await observedApplication(app, [])
      .close()
      .catch(() => undefined);
    expect(steps.slice(0, 2).sort()).toEqual(['first starts', 'second starts']);
    expect(steps.slice(2)).toEqual([
      'second begins to stop',
      'first begins to stop',
      'first has stopped',
      'second has stopped',
      'connections are closed',
    ]);
  });

  it('rejects with the first shutdown failure after all hooks have run', async () => {
    const app = await started();
    await expect(observedApplication(app, []).close()).rejects.toThrow('the first left work');
    expect(steps).toContain('connections are closed');
  });

  it('closes without an error if nothing failed', async () => {
    const module = RuntimeModule.forRoot('directory', { LOG_LEVEL: 'fatal' });
    const app = await NestFactory.createApplicationContext(module, { logger: false });
    await expect(observedApplication(app, []).close()).resolves.toBeUndefined();
    expect(app.get(ShutdownFailures).throwFirst()).toBeUndefined();
  });

  it('provides the validated configuration and no other environment variable', async () => {
    const key = Buffer.from('a key');
    const module = RuntimeModule.forRoot('directory', { LOG_LEVEL: 'fatal', ...{ ENCRYPTION_KEY: key } });
    const app = await NestFactory.createApplicationContext(module, { logger: false });
    const config = app.get(ConfigService);
    expect(config.get('ENCRYPTION_KEY')).toBe(key);
    expect(config.get('PATH')).toBeUndefined();
    await app.close();
  });
});
