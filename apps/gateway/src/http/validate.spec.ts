import { requests } from '@idsync/contracts';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { ApiError } from './api-error.js';
import { validate } from './validate.js';

const schema = z.strictObject({
  name: z.string().min(1),
  deep: z.object({ list: z.array(z.object({ size: z.int() })) }).optional(),
});

function refusal(run: () => unknown): { status: number; message: string } {
  try {
    run();
  } catch (error) {
    if (error instanceof ApiError) return { status: error.status, message: error.message };
    throw error;
  }
  throw new Error('the input was accepted');
}

describe('validate', () => {
  it('returns the output of the schema', () => {
    expect(validate(requests.pageQuery, { limit: '1000' })).toEqual({ limit: 200, offset: 0 });
  });

  it.each([undefined, null, {}])('treats %p as an object without fields', (input) => {
    expect(refusal(() => validate(schema, input))).toEqual({ status: 400, message: 'name is required' });
    expect(refusal(() => validate(requests.webhookBody, input)).message).toBe('callback_url is required');
  });

  it.each([[[]], ['text'], [5], [true]])('rejects %p, which is not an object', (input) => {
    expect(refusal(() => validate(schema, input)).message).toBe('the body must be a JSON object');
  });

  it('names the path of an invalid field, and says "is required" only for an absent one', () => {
    expect(refusal(() => validate(schema, { name: 'x', deep: { list: [{}] } })).message).toBe(
      'deep.list.0.size is required',
    );
    expect(refusal(() => validate(schema, { name: null })).message).toMatch(/^name: invalid input/);
    expect(refusal(() => validate(schema, { name: 'x', deep: { list: [{ size: 'y' }] } })).message).toMatch(
      /^deep\.list\.0\.size: /,
    );
  });

  it('names unknown fields', () => {
    expect(refusal(() => validate(schema, { name: 'x', colour: 1, size: 2 })).message).toBe(
      'unknown field colour, size',
    );
  });

  it('ignores fields of a prototype in the input', () => {
    const sent: unknown = JSON.parse('{"__proto__": {"name": "x"}}');
    expect(refusal(() => validate(z.object({ name: z.string() }), sent)).message).toBe('name is required');
  });
});
