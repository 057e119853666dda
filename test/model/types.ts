// The words of the model. It imports nothing of the services.

type Kind = 'user' | 'account';

/** One value per field; an empty text means that the source gives no value. A space separates several values. */
export type Fields = Readonly<Record<string, string>>;

export interface Source {
  name: string;
  kind: Kind;
  /** The lowest number precedes. */
  priority: number;
  /** Lists employments, and not logins. */
  employments: boolean;
  safeguard: Safeguard;
}

/** A run is held if it exceeds both the percentage and the number of a bound. */
export interface Safeguard {
  deleted: Bound;
  disabled: Bound;
  enabled: Bound;
  reused: Bound;
  created: Bound;
  rekeyed: Bound;
  /** For each of the fields. */
  changed: Bound;
  changedFields: readonly string[];
  /** Whether the deletions and disables of all runs of a day count together. */
  countsTheDay: boolean;
}

export interface Bound {
  percent: number;
  records: number;
}

/** One external id as its source lists it. */
export interface Row {
  id: string;
  fields: Fields;
}

/** A record of the directory. */
export interface Entry {
  /** Source and external id, such as `HR 17`. */
  name: string;
  source: Source;
  id: string;
  fields: Fields;
  status: string;
  /** The identity; undefined for an account that waits. */
  person: number | undefined;
  /** An operator has placed it. */
  manual: boolean;
  /** The run or operation that linked it to its identity. */
  linkedBy: number | undefined;
  /** The identity before the run that linked it. It counts until that run has ended. */
  earlier?: number | undefined;
  /** Its place among all records by the time of their creation. */
  nth: number;
  /** Its person has been deleted with an account that was present, which does not revive the person. */
  ofLeaver?: boolean;
  /** The status that its person keeps although the records that remain are active. */
  kept?: string | undefined;
  /** The operation or job that was the last to change it, and what it was before; undefined if that created it. */
  changedBy: number;
  before: Earlier | undefined;
  /** The record of the new connector goes on as that of the deleted one, which is no leaving. */
  handedOver?: boolean;
  /** The person that its source names as the manager. */
  manager?: number | undefined;
  /** The row from which an erasure has removed the manager, as long as its source lists the same one. */
  listed?: string | undefined;
}

/** State that an undo restores; with the external id if it has changed. */
type Earlier = Pick<Entry, 'fields' | 'status'> & Partial<Pick<Entry, 'id' | 'listed'>>;

export const isDeleted = ({ status }: Pick<Entry, 'status'>): boolean => status === 'deleted';
export const isUser = ({ source }: Pick<Entry, 'source'>): boolean => source.kind === 'user';
export const nameOf = (source: Source, id: string): string => `${source.name} ${id}`;
