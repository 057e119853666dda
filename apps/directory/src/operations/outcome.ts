/** What an operation did, and what takes it back. */
export interface Outcome {
  /** Shown to operators; ids are bare uuids under names that end in `_id` or `_ids`. */
  result: Record<string, unknown>;
  undo?: Undo;
}

/** Where each record was and where the operation put it. */
export interface Undo {
  links: { record_id: string; from: Link; to_id: string | null }[];
  /** The case to open again. */
  case_id?: string;
}

interface Link {
  identity_id: string | null;
  decided: boolean;
  /** The job or operation that had linked it; what older operations kept does not tell. */
  linked_by?: string;
}

/** The operation cannot be done as things stand: it is refused, with these words, and nothing has changed. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

/** Ends a preview: what it did is rolled back, and only its result is kept. */
export class Previewed extends Error {
  override readonly name = 'Previewed';

  constructor(readonly result: Outcome['result']) {
    super('previewed');
  }
}
