/**
 * Encodes columns of values as PostgreSQL's binary arrays, to be unnested into rows. With the driver's text arrays a first
 * import takes 22 % more CPU.
 */

type Value<T> = T | null | undefined;

const oids = {
  boolean: 16,
  bytea: 17,
  bigint: 20,
  integer: 23,
  text: 25,
  timestamptz: 1184,
  uuid: 2950,
  jsonb: 3802,
} as const;

/** The encoders of properties of rows. */
export type Encoders<Row> = { [Name in keyof Row]?: (values: readonly Row[Name][]) => Buffer };

/** The encoder of each type of PostgreSQL. */
export const encoders = {
  boolean: booleans,
  bytea: byteas,
  bigint: bigints,
  integer: integers,
  text: texts,
  timestamptz: times,
  uuid: uuids,
  jsonb: jsons,
};

/** Encodes properties of rows as columns, in the order of `columns`. */
export function arraysOf<Row>(rows: readonly Row[], columns: Encoders<Row>): Buffer[] {
  return Object.entries(columns as Record<string, (values: unknown[]) => Buffer>).map(([name, encode]) =>
    encode(rows.map((row) => row[name as keyof Row])),
  );
}

export function texts(values: readonly Value<string>[]): Buffer {
  return encode('text', values, Buffer.byteLength, (buffer, value, at) => buffer.write(value, at));
}

/** Encodes values as JSON. */
export function jsons(values: readonly unknown[]): Buffer {
  return encode(
    'jsonb',
    values.map((value) => (value === null || value === undefined ? undefined : JSON.stringify(value))),
    (text) => 1 + Buffer.byteLength(text),
    (buffer, text, at) => {
      // The version byte of the jsonb format.
      buffer[at] = 1;
      buffer.write(text, at + 1);
    },
  );
}

export function uuids(values: readonly Value<string>[]): Buffer {
  return encodeFixed('uuid', values, 16, writeUuid);
}

/** Values of hexadecimal digits by character code. */
const digits = new Uint8Array(128);
for (const [value, digit] of [...'0123456789abcdef'].entries()) {
  digits[digit.charCodeAt(0)] = value;
  digits[digit.toUpperCase().charCodeAt(0)] = value;
}

/** A loop over the digits takes a third of the time of `replaceAll` and `write`, and a new person has twenty ids. */
function writeUuid(buffer: Buffer, uuid: string, at: number): void {
  let to = at;
  for (let from = 0; from < uuid.length; from += 2) {
    if (uuid.charCodeAt(from) === hyphen) from += 1;
    buffer[to] = ((digits[uuid.charCodeAt(from)] ?? 0) << 4) | (digits[uuid.charCodeAt(from + 1)] ?? 0);
    to += 1;
  }
}

const hyphen = 45;

export function integers(values: readonly Value<number>[]): Buffer {
  return encodeFixed('integer', values, 4, (buffer, value, at) => buffer.writeInt32BE(value, at));
}

export function booleans(values: readonly Value<boolean>[]): Buffer {
  return encodeFixed('boolean', values, 1, (buffer, value, at) => buffer.writeUInt8(value ? 1 : 0, at));
}

export function bigints(values: readonly Value<number>[]): Buffer {
  return encodeFixed('bigint', values, 8, (buffer, value, at) => buffer.writeBigInt64BE(BigInt(value), at));
}

export function byteas(values: readonly Value<Buffer>[]): Buffer {
  return encode(
    'bytea',
    values,
    (value) => value.length,
    (buffer, value, at) => value.copy(buffer, at),
  );
}

/** PostgreSQL counts microseconds from the year 2000. */
const epochMs = Date.UTC(2000, 0, 1);

export function times(values: readonly Value<Date>[]): Buffer {
  return encodeFixed('timestamptz', values, 8, writeTime);
}

/** Writes two halves, because the microseconds of a distant year exceed a safe integer and a bigint is slower. */
function writeTime(buffer: Buffer, value: Date, at: number): void {
  const ms = value.getTime() - epochMs;
  const high = Math.floor(ms / 2 ** 32);
  const low = (ms - high * 2 ** 32) * 1_000;
  const carry = Math.floor(low / 2 ** 32);
  buffer.writeInt32BE(high * 1_000 + carry, at);
  buffer.writeUInt32BE(low - carry * 2 ** 32, at + 4);
}

/** Writes each element preceded by its length. Loops over indexes, because iterators were a tenth of an import's garbage. */
function encode<T>(
  type: keyof typeof oids,
  values: readonly Value<T>[],
  sizeOf: (value: T) => number,
  write: (buffer: Buffer, value: T, at: number) => void,
): Buffer {
  const count = values.length;
  const sizes = new Int32Array(count);
  let length = headerSize(count) + 4 * count;
  let hasNulls = false;
  for (let nth = 0; nth < count; nth += 1) {
    const value = values[nth];
    const size = value === null || value === undefined ? -1 : sizeOf(value);
    sizes[nth] = size;
    if (size < 0) hasNulls = true;
    else length += size;
  }
  const buffer = Buffer.allocUnsafe(length);
  let at = writeHeader(buffer, type, count, hasNulls);
  for (let nth = 0; nth < count; nth += 1) {
    const value = values[nth];
    const size = sizes[nth] ?? -1;
    at = buffer.writeInt32BE(size, at);
    if (value === null || value === undefined) continue;
    write(buffer, value, at);
    at += size;
  }
  return buffer;
}

/** Like `encode`, for elements of one size. */
function encodeFixed<T>(
  type: keyof typeof oids,
  values: readonly Value<T>[],
  size: number,
  write: (buffer: Buffer, value: T, at: number) => void,
): Buffer {
  const count = values.length;
  let nulls = 0;
  for (let nth = 0; nth < count; nth += 1) if (values[nth] === null || values[nth] === undefined) nulls += 1;
  const buffer = Buffer.allocUnsafe(headerSize(count) + 4 * count + size * (count - nulls));
  let at = writeHeader(buffer, type, count, nulls > 0);
  for (let nth = 0; nth < count; nth += 1) {
    const value = values[nth];
    if (value === null || value === undefined) {
      at = buffer.writeInt32BE(-1, at);
      continue;
    }
    at = buffer.writeInt32BE(size, at);
    write(buffer, value, at);
    at += size;
  }
  return buffer;
}

function headerSize(count: number): number {
  return count > 0 ? 20 : 12;
}

/** Writes dimensions, nulls and element type, and if there are elements their number and the lower bound. */
function writeHeader(buffer: Buffer, type: keyof typeof oids, count: number, hasNulls: boolean): number {
  buffer.writeInt32BE(count > 0 ? 1 : 0, 0);
  buffer.writeInt32BE(hasNulls ? 1 : 0, 4);
  const at = buffer.writeInt32BE(oids[type], 8);
  if (count === 0) return at;
  buffer.writeInt32BE(count, 12);
  return buffer.writeInt32BE(1, 16);
}
