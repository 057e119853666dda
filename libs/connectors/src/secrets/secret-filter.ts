import { readingsOf, spellingsOf, wellFormed } from './spellings.js';

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
