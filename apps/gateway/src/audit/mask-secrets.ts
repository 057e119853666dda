import { createHash } from 'node:crypto';

const secretName = /secret|passw|passphrase|token|api_?key|private_?key|credential|authorization/i;
const mask = '[masked]';
/** Bytes of JSON that an entry holds of a state. */
const maxBytes = 16_384;

/** Returns the value without secrets: the values below a name such as `secrets` or `password` are masked. */
export function masked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(masked);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, secretName.test(name) ? hidden(each) : masked(each)]),
  );
}

/** Keeps the names of secrets, and values that cannot be one, such as the time of an expiry. */
function hidden(value: unknown): unknown {
  if (typeof value === 'string') return mask;
  if (Array.isArray(value)) return value.map(() => mask);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, hidden(each)]));
}

/** Replaces a value beyond the size of an entry with its size and hash. */
export function bounded(value: unknown): unknown {
  const json = JSON.stringify(value);
  if (json === undefined || Buffer.byteLength(json) <= maxBytes) return value;
  return { omitted: true, bytes: Buffer.byteLength(json), sha256: createHash('sha256').update(json).digest('hex') };
}
