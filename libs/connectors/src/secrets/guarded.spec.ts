import { sourceErrors } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import { CheckpointExpired, type Connector, type Page, SourceError } from '../connector.js';
import { guarded } from './guarded.js';

const secret = 'Tr0ub4dor&3/Correct+Horse';
const signal = new AbortController().signal;
const page: Page = { records: [], errors: [], cursor: {}, last: true };

function failing(error: unknown): Connector {
  const fail = async () => {
    throw error;
  };
  return {
    async *read() {
      yield { ...page, last: false };
      throw error;
    },
    readOne: fail,
    discover: fail,
  };
}

/** Returns the errors that a guarded connector throws from each of its methods. */
async function thrown(error: unknown, during = signal): Promise<unknown[]> {
  const connector = guarded(failing(error), [secret]);
  const read = async () => {
    for await (const _ of connector.read({ pageSize: 1, signal: during }));
  };
  return Promise.all(
    [read(), connector.readOne?.('1', during), connector.discover?.(during)].map((work) =>
      Promise.resolve(work).catch((caught: unknown) => caught),
    ),
  );
}

describe('a guarded connector', () => {
  it('keeps message and code of an error and redacts the text of the source', async () => {
    const error = new SourceError('it answered 401', {
      code: 'auth_failed',
      said: `${secret} is wrong`,
      transient: true,
      cause: secret,
    });
    for (const safe of await thrown(error)) {
      expect(safe).toBeInstanceOf(SourceError);
      expect(safe).toMatchObject({
        message: 'it answered 401',
        code: 'auth_failed',
        said: '*** is wrong',
        transient: true,
      });
      expect(safe).not.toHaveProperty('cause');
    }
  });

  it('replaces a message that contains a large part of a secret by the default message of its code', async () => {
    const error = new SourceError(`GET /${secret.slice(1)} answered 404`, { code: 'not_found' });
    for (const safe of await thrown(error)) expect(safe).toMatchObject({ message: sourceErrors.not_found });
    for (const safe of await thrown(new CheckpointExpired(`${secret} is too old`))) {
      expect(safe).toBeInstanceOf(CheckpointExpired);
      expect((safe as Error).message).not.toContain('Horse');
    }
  });

  it('removes text of the source from the stack of an unexpected error', async () => {
    const error = new TypeError(`cannot read "${secret}"\n    of ${secret}`);
    for (const safe of (await thrown(error)) as Error[]) {
      expect(safe).toMatchObject({ name: 'TypeError', message: 'cannot read "***" of ***' });
      expect(safe.stack).toMatch(/^TypeError: cannot read "\*\*\*" of \*\*\*\n {4}at /);
      expect(safe.stack).not.toContain('Horse');
    }
  });

  it('throws the abort reason after an abort', async () => {
    const reason = new Error('enough');
    for (const one of await thrown(reason, AbortSignal.abort(reason))) expect(one).toBe(reason);
  });
});

describe('the pages of a guarded connector', () => {
  it('redact secrets in record errors and change nothing else', async () => {
    const errors = [{ line: 1, external_id: '7', message: 'hire_date is not a date', said: secret }];
    const whole = { ...page, errors, removed: ['8'], fraction: 1 };
    const connector = guarded(
      {
        reportsChanges: true,
        async *read() {
          yield whole;
        },
        readOne: async () => ({ error: { external_id: '7', message: 'odd', said: secret } }),
      },
      [secret],
    );
    expect(connector).toMatchObject({ reportsChanges: true });
    expect(connector.discover).toBeUndefined();
    for await (const one of connector.read({ pageSize: 1, signal })) {
      expect(one).toEqual({ ...whole, errors: [{ ...errors[0], said: '***' }] });
    }
    await expect(connector.readOne?.('7', signal)).resolves.toEqual({
      error: { external_id: '7', message: 'odd', said: '***' },
    });
  });

  it('redacts the values of fields that cannot be used', async () => {
    const record = (said: string) => ({
      external_id: '7',
      fields: {},
      problems: [{ field: 'hire_date', message: 'hire_date is not a date', said }],
    });
    const page: Page = { records: [record(secret)], errors: [], cursor: {}, last: true };
    const connector = guarded(
      {
        async *read() {
          yield page;
        },
        readOne: async () => ({ record: record(secret) }),
      },
      [secret],
    );
    for await (const one of connector.read({ pageSize: 1, signal })) expect(one.records).toEqual([record('***')]);
    await expect(connector.readOne?.('7', signal)).resolves.toEqual({ record: record('***') });
  });
});
