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

/**
 * Two base32 characters for each ten bits, so that encoding an id takes six lookups: a page of a thousand people has
 * six thousand ids.
 */
const pairs = Array.from({ length: 1_024 }, (_, bits) => alphabet.charAt(bits >> 5) + alphabet.charAt(bits & 31));

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

function computeId(kind: IdKind, uuid: string): string {
  const hex = uuid.replaceAll('-', '');
  // Five hex digits are twenty bits, which are four characters. The first two of the 130 bits are zero.
  const high = Number.parseInt(hex.slice(0, 2), 16);
  let body = alphabet.charAt(high >> 5) + alphabet.charAt(high & 31);
  for (let at = 2; at < 32; at += 5) {
    const twenty = Number.parseInt(hex.slice(at, at + 5), 16);
    body += `${pairs[twenty >> 10]}${pairs[twenty & 1_023]}`;
  }
  return `${idPrefixes[kind]}_${body}`;
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
  } else {
    counter += 1;
    if (counter > 0xfff) {
      lastMs += 1;
      counter = 0;
    }
  }
  const variant = (pool.readUInt8(poolAt + 2) & 0x3f) | 0x80;
  const tail = pool.toString('hex', poolAt + 3, poolAt + 10);
  poolAt += 10;
  return formatUuid(
    lastMs.toString(16).padStart(12, '0') + (0x7000 | counter).toString(16) + variant.toString(16) + tail,
  );
}

function formatUuid(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
