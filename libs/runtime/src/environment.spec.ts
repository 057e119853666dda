import { tmpdir } from 'node:os';
import { describe, expect, it } from '@jest/globals';
import { EnvironmentError, readEnv } from './env.js';
import {
  directoryEnvironment,
  dispatcherEnvironment,
  gatewayEnvironment,
  standaloneEnvironment,
} from './environment.js';

const good = {
  DATABASE_URL: 'postgres://me:pw@db:5432/idsync',
  ADMIN_TOKEN: 'a-long-enough-token',
  ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'),
};

describe('reading the environment', () => {
  it('fills in the defaults', () => {
    expect(readEnv(gatewayEnvironment, good)).toMatchObject({ PORT: 3000, HOST: '127.0.0.1', LOG_LEVEL: 'info' });
    expect(readEnv(standaloneEnvironment, {})).toMatchObject({
      DATA_DIR: '.data',
      SOURCES_DIR: 'samples',
      DEMO: true,
      WEBHOOK_ALLOW_CIDRS: [],
    });
  });

  it('names every variable that is missing or wrong, one a line', () => {
    const wrong = { PORT: 'http', DATABASE_URL: 'mysql://db', ADMIN_TOKEN: 'short', ENCRYPTION_KEY: 'AAAA' };
    expect(() => readEnv(gatewayEnvironment, wrong)).toThrow(EnvironmentError);
    expect(() => readEnv(gatewayEnvironment, wrong)).toThrow(/^PORT is not valid: it must be a port number$/m);
    expect(() => readEnv(gatewayEnvironment, wrong)).toThrow(
      /^DATABASE_URL is not valid: it must look like postgres:/m,
    );
    expect(() => readEnv(gatewayEnvironment, wrong)).toThrow(/^ADMIN_TOKEN is not valid: .*16 characters$/m);
    expect(() => readEnv(gatewayEnvironment, wrong)).toThrow(/^ENCRYPTION_KEY is not valid: .*32 bytes/m);
    expect(() => readEnv(directoryEnvironment, {})).toThrow(/^DATABASE_URL is not set: it must look like postgres:/);
  });

  it('never repeats a value, which may be a secret', () => {
    expect(() => readEnv(gatewayEnvironment, { ...good, ADMIN_TOKEN: 'hunter2' })).not.toThrow(/hunter2/);
  });

  it('counts an empty variable as one that is not set', () => {
    expect(readEnv(gatewayEnvironment, { ...good, PORT: '', AMQP_URL: ' ' })).toMatchObject({ PORT: 3000 });
  });

  it('takes CIDRs of both families and nothing else', () => {
    const cidrs = (list: string) => readEnv(dispatcherEnvironment, { ...good, WEBHOOK_ALLOW_CIDRS: list });
    expect(cidrs('10.0.0.0/8, fd00::/8').WEBHOOK_ALLOW_CIDRS).toEqual(['10.0.0.0/8', 'fd00::/8']);
    for (const list of ['10.0.0.0', '10.0.0.0/33', 'localhost/8', '10.0.0.0/8/8']) {
      expect(() => cidrs(list)).toThrow(/WEBHOOK_ALLOW_CIDRS/);
    }
  });

  it('takes 32 bytes in base64 as the encryption key, and nothing that only decodes to as many', () => {
    const key = (text: string) => readEnv(gatewayEnvironment, { ...good, ENCRYPTION_KEY: text }).ENCRYPTION_KEY;
    expect(key(good.ENCRYPTION_KEY)).toEqual(Buffer.alloc(32));
    for (const text of [`!!!!${good.ENCRYPTION_KEY}`, `${good.ENCRYPTION_KEY} x`, good.ENCRYPTION_KEY.slice(4)]) {
      expect(() => key(text)).toThrow(/^ENCRYPTION_KEY is not valid: .*32 bytes/);
    }
  });

  it('takes earlier encryption keys, none unless told, for who seals and who opens', () => {
    const earlier = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
    const list = earlier.map((key) => key.toString('base64')).join(', ');
    for (const schema of [gatewayEnvironment, dispatcherEnvironment]) {
      const keys = (text?: string) =>
        readEnv(schema, { ...good, ENCRYPTION_KEYS_PREVIOUS: text }).ENCRYPTION_KEYS_PREVIOUS;
      expect(keys()).toEqual([]);
      expect(keys(list)).toEqual(earlier);
      expect(() => keys(`${list},short`)).toThrow(/^ENCRYPTION_KEYS_PREVIOUS is not valid/);
    }
  });

  it('takes a folder of sources that is there', () => {
    const folder = (path: string) => readEnv(standaloneEnvironment, { SOURCES_DIR: path });
    expect(folder(tmpdir()).SOURCES_DIR).toBe(tmpdir());
    for (const path of ['/nowhere', process.execPath, `${process.execPath}/below`]) {
      expect(() => folder(path)).toThrow('SOURCES_DIR is not valid: it must be a folder');
    }
  });

  it('turns the demo off with 0', () => {
    expect(readEnv(standaloneEnvironment, { DEMO: '0' }).DEMO).toBe(false);
  });
});
