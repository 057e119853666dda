import { randomFillSync } from 'node:crypto';

/** Type prefix of every public id. The database stores the bare uuid; the API adds the prefix. */
export const idPrefixes = {
  identity: 'idn',
  user: 'usr',
  account: 'acc',
  machineIdentity: 'mid',
  group: 'grp',
  event: 'evt',
  job: 'job',
  webhook: 'whk',
  delivery: 'dlv',
  connector: 'con',
  tenant: 'ten',
  apiKey: 'key',
  case: 'cas',
  operation: 'opn',
  suppression: 'sup',
  replay: 'rpl',
  probe: 'prb',
  finding: 'fnd',
  scimResource: 'scr',
  auditEntry: 'aud',
  serviceToken: 'svt',
  approval: 'apr',
  session: 'ses',
  deadLetter: 'dlt',
  portalLink: 'plk',
} as const;

export type IdKind = keyof typeof idPrefixes;

/** The kind of public id that each kind of record has. */
export const recordIds = {
  user: 'user',
  account: 'account',
  machine_identity: 'machineIdentity',
} as const satisfies Record<string, IdKind>;

/** Crockford base32, lower case, as TypeID writes it. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const bodyPattern = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/;
const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const digits = '0123456789abcdef';
/** Values of hexadecimal digits by character code. */
const hexValues = new Uint8Array(128);
for (let value = 0; value < 16; value += 1) hexValues[digits.charCodeAt(value)] = value;
const codes = Buffer.from(alphabet, 'latin1');
const hyphen = 45;
const idText = Buffer.alloc(64);

/** The last id of each kind: a batch writes the ids of its tenant, connector and job with every record. */
const encoded = new Map<IdKind, { uuid: string; id: string }>();

/** `encodeId('identity', '0190…')` → `idn_01h…`. */
export function encodeId(kind: IdKind, uuid: string): string {
  const last = encoded.get(kind);
  if (last?.uuid === uuid) return last.id;
  const id = computeId(kind, uuid);
  encoded.set(kind, { uuid, id });
  return id;
}

/** Writes bytes, because joining parts of the text takes four times as long, and a new person has six ids. */
function computeId(kind: IdKind, uuid: string): string {
  let at = idText.write(`${idPrefixes[kind]}_`, 'latin1');
  let bits = 0;
  // The first two of the 130 bits are zero.
  let count = 2;
  for (let from = 0; from < uuid.length; from += 1) {
    const code = uuid.charCodeAt(from);
    if (code === hyphen) continue;
    bits = ((bits << 4) | (hexValues[code] ?? 0)) & 0x1ff;
    count += 4;
    if (count < 5) continue;
    count -= 5;
    idText[at] = codes[(bits >> count) & 31] ?? 0;
    at += 1;
  }
  return idText.toString('latin1', 0, at);
}

/** Returns the uuid inside a public id, or undefined if the text is not an id of that kind. */
export function decodeId(kind: IdKind, text: string): string | undefined {
  const prefix = `${idPrefixes[kind]}_`;
  if (!text.startsWith(prefix)) return undefined;
  const body = text.slice(prefix.length);
  if (!bodyPattern.test(body)) return undefined;
  let hex = (alphabet.indexOf(body.charAt(0)) * 32 + alphabet.indexOf(body.charAt(1))).toString(16).padStart(2, '0');
  for (let at = 2; at < 26; at += 8) {
    let group = 0;
    for (const character of body.slice(at, at + 8)) group = group * 32 + alphabet.indexOf(character);
    hex += group.toString(16).padStart(10, '0');
  }
  return formatUuid(hex);
}

/** Returns when a UUIDv7 was created, in Unix milliseconds, or undefined for another UUID version. */
export function uuidCreatedAt(uuid: string): number | undefined {
  return uuid.charAt(14) === '7' ? Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16) : undefined;
}

export function isUuid(text: string): boolean {
  return uuidPattern.test(text);
}

const pool = Buffer.alloc(10 * 512);
let poolAt = pool.length;
let lastMs = 0;
let counter = 0;

/** The digits of the last id; its time is written only when it changes. */
const uuidText = Buffer.from('00000000-0000-7000-8000-000000000000', 'latin1');

function writeByte(at: number, byte: number): void {
  uuidText[at] = digits.charCodeAt(byte >> 4);
  uuidText[at + 1] = digits.charCodeAt(byte & 15);
}

function writeMs(ms: number): void {
  const high = Math.floor(ms / 2 ** 16);
  for (let nth = 0; nth < 4; nth += 1) writeByte(2 * nth, (high >>> (24 - 8 * nth)) & 0xff);
  writeByte(9, (ms >>> 8) & 0xff);
  writeByte(11, ms & 0xff);
}

/**
 * Creates a UUIDv7 (RFC 9562): 48 bits of Unix milliseconds, a 12-bit counter, and 62 random bits. The counter (method
 * 1) keeps the ids of one process in the order of their creation.
 */
export function newUuid(): string {
  const now = Date.now();
  if (poolAt >= pool.length) {
    randomFillSync(pool);
    poolAt = 0;
  }
  if (now > lastMs) {
    lastMs = now;
    counter = pool.readUInt16BE(poolAt) & 0x7ff;
    writeMs(lastMs);
  } else {
    counter += 1;
    if (counter > 0xfff) {
      lastMs += 1;
      counter = 0;
      writeMs(lastMs);
    }
  }
  writeByte(14, 0x70 | (counter >> 8));
  writeByte(16, counter & 0xff);
  writeByte(19, ((pool[poolAt + 2] ?? 0) & 0x3f) | 0x80);
  writeByte(21, pool[poolAt + 3] ?? 0);
  for (let nth = 0; nth < 6; nth += 1) writeByte(24 + 2 * nth, pool[poolAt + 4 + nth] ?? 0);
  poolAt += 10;
  return uuidText.toString('latin1');
}

function formatUuid(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
