import type { SourceField } from './connector.js';

const maxFields = 500;
const maxExamples = 3;
const maxExampleLength = 60;

/** True of names under which one keeps what nobody else is to see. */
export function maybeSecret(name: string): boolean {
  return /pass|pwd|kennwort|secret|token|hash|salt|private|credential|api_?key|t?otp\b|pin\b/i.test(name);
}

/** The fields that records were seen with, in the order they were met, each with some of its values. */
export class SeenFields {
  private readonly fields = new Map<string, Set<string>>();

  /** Of fields for which `isSecret` no value is kept. */
  constructor(private readonly isSecret: (name: string) => boolean = maybeSecret) {}

  see(name: string, texts: readonly string[] = []): void {
    const examples = this.fields.get(name) ?? new Set();
    if (!this.fields.has(name) && this.fields.size >= maxFields) return;
    this.fields.set(name, examples);
    if (this.isSecret(name)) return;
    for (const text of texts) {
      if (examples.size >= maxExamples) return;
      if (text.trim() !== '') examples.add(shortened(text));
    }
  }

  list(): SourceField[] {
    return [...this.fields].map(([name, examples]) => ({ name, examples: [...examples] }));
  }
}

function shortened(text: string): string {
  return text.length > maxExampleLength ? `${text.slice(0, maxExampleLength)}…` : text;
}
