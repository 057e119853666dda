/** Returns a secret raw, escaped, percent-encoded, form-encoded, in base64 and in hex. Callers compare without case. */
export function spellingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const json = JSON.stringify(secret).slice(1, -1);
  const percent = encodeURIComponent(wellFormed(secret));
  const base64 = [0, 1, 2].map((offset) => base64Within(bytes, offset));
  return [
    secret,
    json,
    json.replaceAll('/', '\\/'),
    percent,
    encodeURIComponent(percent),
    new URLSearchParams({ v: secret }).toString().slice(2),
    bytes.toString('hex').replaceAll(/../g, '%$&'),
    bytes.toString('hex'),
    ...base64,
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
    ...base64.map((text) => encodeURIComponent(text)),
    secret.replaceAll(/[&<>"']/g, (sign) => `&${entityNames[sign]};`),
  ];
}

const entityNames: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' };
const entities: ReadonlyMap<string, string> = new Map(
  Object.entries(entityNames).map(([sign, name]) => [name, sign] as const),
);

/** Returns the base64 characters that depend only on these bytes, which start `before` bytes into a group of three. */
function base64Within(bytes: Buffer, before: number): string {
  const first = [0, 2, 3][before];
  const last = Math.floor(((before + bytes.length) * 8) / 6);
  return Buffer.concat([Buffer.alloc(before), bytes])
    .toString('base64')
    .slice(first, last);
}

/** Replaces unpaired surrogates, which can be neither percent-encoded nor stored. */
export function wellFormed(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, '\ufffd');
}

/** Returns a text with its possible decodings, up to two nested encodings. */
export function readingsOf(text: string): Set<string> {
  const readings = new Set([text]);
  for (let depth = 0; depth < 2; depth += 1) {
    for (const reading of [...readings]) {
      for (const decode of decoders) for (const decoded of decode(reading)) readings.add(decoded);
    }
  }
  return readings;
}

const decoders: readonly ((text: string) => string[])[] = [
  (text) => [text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString())],
  (text) => [text.replaceAll('+', ' ')],
  (text) => [text.replaceAll(/\\u([0-9a-f]{4})|\\x([0-9a-f]{2})|\\(.)/gi, unescaped)],
  (text) => [text.replaceAll(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]{2,4}));/gi, entity)],
  (text) => [0, 1, 2, 3].map((missing) => decodedRuns(text, /[\w+/-]{8,}/g, missing, 'base64')),
  (text) => [0, 1].map((missing) => decodedRuns(text, /[0-9a-f]{12,}/gi, missing, 'hex')),
];

function unescaped(_: string, u?: string, x?: string, sign?: string): string {
  return sign ?? String.fromCharCode(Number.parseInt(u ?? x ?? '', 16));
}

function entity(all: string, hex?: string, decimal?: string, name?: string): string {
  if (name !== undefined) return entities.get(name.toLowerCase()) ?? all;
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
  return code <= 0x10ffff ? String.fromCodePoint(code) : all;
}

/**
 * Decodes the encoded runs of a text, ignoring line breaks. A run may begin inside a group: zeros stand for the
 * characters that are missing before it, since leaving out the begun group would lose up to two bytes of a secret.
 */
function decodedRuns(text: string, run: RegExp, missing: number, encoding: 'base64' | 'hex'): string {
  const zeros = (encoding === 'base64' ? 'A' : '0').repeat(missing);
  const runs = text.replaceAll(/[\s:]+/g, '').match(run) ?? [];
  return runs.map((one) => Buffer.from(`${zeros}${one}`, encoding).toString()).join(' ');
}
