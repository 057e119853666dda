import type { OperationInput, OperationResult, OperationType } from '@idsync/contracts';
import type { Transaction } from '@idsync/database';
import type { LinkEvidence, OperationProgress } from '@idsync/database/directory';
import type { Cause } from '../changes/cause.js';

/** Result of an operation, with the data for a revert. */
export interface Outcome<T extends OperationType> {
  /** Shown to operators, with public ids. */
  result: OperationResult<T>;
  undo?: Undo;
  /** Set if the operation continues in parts. */
  progress?: OperationProgress;
  /** Another operation that continues in parts. */
  startedId?: string;
}

/** Performs one type of operation. */
export type Handler<T extends OperationType> = (
  tx: Transaction,
  cause: Cause,
  input: OperationInput<T>,
) => Promise<Outcome<T>>;

/** Identity of each record before and after the operation. */
export interface Undo {
  links: { record_id: string; from: Link; to_id: string | null }[];
  /** Review case that a revert opens again. */
  case_id?: string;
}

interface Link {
  identity_id: string | null;
  decided: boolean;
  /** Job or operation that had linked it; absent if nothing had. */
  linked_by?: string;
  /** Without values, which a revert takes from the records; absent if it was not linked. */
  evidence?: LinkEvidence;
}

/** Thrown to refuse an operation in the current state; the operator sees the message, and nothing changes. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

/** Thrown with the reason at the end of a change by which too many people lose access, to roll it back. */
export class Held extends Error {
  override readonly name = 'Held';
}
