/** Returns a secret raw, escaped, percent-encoded, form-encoded, in base64 and in hex. Callers compare without case. */
function spellingsOf(secret: string): string[] {
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
function wellFormed(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, '\ufffd');
}

/** Returns a text with its possible decodings, up to two nested encodings. */
function readingsOf(text: string): Set<string> {
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

/** Maximum length of source text shown to operators. */
export const sourceTextLength = 500;
/** Maximum length of source text that is examined. */
const examinedLength = 16_384;
/** Redacting a shorter secret would reveal its letters by the positions of the redactions. */
export const shortestRedacted = 8;
/** This many consecutive characters of a secret count as part of it. */
const fragmentLength = 6;
/** Longer than words that a message and a secret have in common by chance. */
const sentenceFragmentLength = 16;

const withheldFor = {
  short: `withheld: a secret of the connector has fewer than ${shortestRedacted} characters and cannot be redacted`,
  remains: 'withheld: it repeats part of a secret of the connector',
};

/** Redacts the secrets of a connector in text of its source. */
export class SecretFilter {
  private readonly hasShort: boolean;
  private readonly spellings: RegExp | undefined;
  private readonly fragments: ReadonlySet<string>;
  private readonly longFragments: ReadonlySet<string>;

  constructor(secrets: readonly string[]) {
    const given = secrets.filter((secret) => secret !== '');
    const parts = given.flatMap(partsOf);
    const spellings = [...given, ...parts].flatMap(spellingsOf).flatMap((text) => [text, oneLine(text)]);
    const longestFirst = [...new Set(spellings)]
      .filter((spelling) => spelling.length >= shortestRedacted)
      .sort((a, b) => b.length - a.length);
    this.hasShort = given.some((secret) => secret.length < shortestRedacted);
    this.spellings = longestFirst.length > 0 ? new RegExp(`${longestFirst.map(quoted).join('|')}`, 'gi') : undefined;
    const bare = parts.flatMap(bareForms);
    this.fragments = new Set(bare.flatMap((part) => piecesOf(part, fragmentLength)));
    this.longFragments = new Set(bare.flatMap((part) => piecesOf(part, sentenceFragmentLength)));
  }

  /** Returns source text for operators: redacted and shortened, or withheld if a secret would remain visible. */
  text(raw: string): string {
    if (this.hasShort) return withheldFor.short;
    const line = oneLine(raw.slice(0, examinedLength));
    const redacted = this.spellings ? line.replaceAll(this.spellings, '***') : line;
    const shown = redacted.length > sourceTextLength ? `${redacted.slice(0, sourceTextLength)}…` : redacted;
    return hasPiece(shown, this.fragments, fragmentLength) ? withheldFor.remains : wellFormed(shown);
  }

  /** Returns whether a message contains a large part of a secret. */
  isRepeatedBy(sentence: string): boolean {
    return hasPiece(sentence, this.longFragments, sentenceFragmentLength);
  }
}

/** Returns the confidential parts: the keys of a key file, and PEM without its first and last line. */
function partsOf(secret: string): string[] {
  const named = namedParts(secret);
  const parts = named.length > 0 ? named : [secret];
  return parts.map((part) => part.replaceAll(/-----[A-Z ]{3,40}-----/g, ''));
}

function namedParts(secret: string): string[] {
  if (!secret.trimStart().startsWith('{')) return [];
  try {
    const entries: [string, unknown][] = Object.entries(JSON.parse(secret));
    return entries.flatMap(([name, value]) =>
      /key|secret|token|password/i.test(name) && typeof value === 'string' && value.length >= shortestRedacted
        ? [value]
        : [],
    );
  } catch {
    return [];
  }
}

/** Removes line breaks and invisible characters. */
function oneLine(text: string): string {
  return text
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, '')
    .trim();
}

/**
 * Returns the text without invisible characters, and with only letters and digits, so that separators hide no secret.
 */
function bareForms(text: string): string[] {
  const lower = text.toLowerCase();
  return [lower.replaceAll(/[\s\p{C}]+/gu, ''), lower.replaceAll(/[^\p{L}\p{N}]+/gu, '')];
}

function piecesOf(text: string, length: number): string[] {
  return Array.from({ length: Math.max(0, text.length - length + 1) }, (_, at) => text.slice(at, at + length));
}

function hasPiece(text: string, pieces: ReadonlySet<string>, length: number): boolean {
  if (pieces.size === 0) return false;
  for (const reading of readingsOf(text)) {
    for (const bare of bareForms(reading)) {
      for (let at = 0; at + length <= bare.length; at += 1) if (pieces.has(bare.slice(at, at + length))) return true;
    }
  }
  return false;
}

function quoted(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
