import { it } from '@jest/globals';
import type { Connector } from '../../src/connector.js';
import type { Asked, Handler, Reply, TestServer } from '../http-server.js';
import type { Wire } from '../wire.js';

/** A user that the tests write into a source. */
export interface Person {
  id: string;
  /** Changes when a user is renamed; `id` never changes. */
  login: string;
  /** Returned by the connector as `display_name`, by which the tests identify people. */
  name: string;
  enabled: boolean;
}

/** The reason why a source does not support a feature. The tests check what remains testable. */
export interface Unsupported {
  unsupported: string;
}

/** Describes a source to the conformance tests. */
export interface SourceUnderTest {
  name: string;
  /**
   * Creates a new connector with few and short pauses (`quick`), as a new process would. Its mapping includes `login`
   * and `name`.
   */
  open(): Connector;
  /** Replaces the content of the source. The order of the records is stable. */
  fill(people: readonly Person[]): void | Promise<void>;
  /** Names of records that the source always contains. */
  always?: readonly string[];
  /** Whether a source without users is a complete read or an error. */
  emptySource: 'complete' | 'refused';
  /** Values that no page, cursor, checkpoint or message may contain. */
  secrets: readonly string[];
  /** Field names that `discover` has to return. */
  discovers: readonly string[] | Unsupported;
  /** Whether one record can be read, with an unknown id in the format of the source. */
  readsOne: { unknownId: string } | Unsupported;
  changes: Changes | Unsupported;
  /** Fill the source with these people and one unusable record. */
  bad: { withoutId: Spoiled; ofWrongType: Spoiled; tooLarge: Spoiled };
  reached: OverHttp | OverTcp | FromFiles | FromOurselves;
  /** Runs of each property test; fewer for a slow real server. */
  runs?: number;
}

/** Returns the connector to read with. */
export type Spoiled = ((people: readonly Person[]) => Connector | Promise<Connector>) | Unsupported;

export interface Changes {
  /**
   * The result of a read from a checkpoint: `everything`; `existing_records`, where only a full read detects deletions;
   * `until_deletion`, where a deletion expires the checkpoint; `only_no_change`, where every change expires it.
   */
  reports: 'everything' | 'existing_records' | 'until_deletion' | 'only_no_change';
  /** Adds a person or replaces the one with the same id, whose login may differ. */
  put(person: Person): void | Promise<void>;
  remove(id: string): void | Promise<void>;
  /** Expires all existing checkpoints. */
  expire: (() => void | Promise<void>) | Unsupported;
}

/** An HTTP service. The tests serve its responses and modify them. */
export interface OverHttp {
  over: 'http';
  server: TestServer;
  /** Responds as the service does. */
  answer: Handler;
  /** Returns the list of a request if its response is needed to prove the enumeration complete. */
  listOf(asked: Asked): string | undefined;
  /** Sets the items per response; `Unsupported` if the connector's requests determine it. */
  answerSize: ((items: number) => void) | Unsupported;
  /** Recognizes requests for a credential, if the connector renews a rejected credential once. */
  renewal: ((asked: Asked) => boolean) | Unsupported;
  invalidResponses: InvalidResponses | Unsupported;
}

/** Invalid responses that a service may send for a list. */
export interface InvalidResponses {
  withoutList: ((reply: Reply) => Reply) | Unsupported;
  /** A response in the middle without items that ends the list. */
  emptied: ((reply: Reply) => Reply) | Unsupported;
  /** Repeats the items of `earlier`, a response of the same list. */
  repeating: ((reply: Reply, earlier: Reply) => Reply) | Unsupported;
  /** An empty page that leads to the requested page by a cursor that differs for each `nth`. */
  emptyBefore: ((reply: Reply, asked: Asked, nth: number) => Reply) | Unsupported;
  /** A response whose next link is `link`. */
  leadingTo: ((reply: Reply, link: string) => Reply) | Unsupported;
  /** The response to an expired cursor. */
  expired: Reply | Unsupported;
}

/** A server of another protocol, reached through a proxy that counts bytes and cuts connections. */
export interface OverTcp {
  over: 'tcp';
  wire(): Wire;
}

/** A source in the database of idsync. */
export interface FromOurselves {
  over: 'ourselves';
}

export interface FromFiles {
  over: 'files';
  /** Reads a file that is truncated within the entry of the nth person, counted from 0. */
  cutWithin(people: readonly Person[], nth: number): Connector;
  /** Returns the source files that this process has open. */
  held(): readonly string[];
}

export function isUnsupported(trait: unknown): trait is Unsupported {
  return typeof trait === 'object' && trait !== null && 'unsupported' in trait;
}

/** Reports a test that this source does not support, with the reason. */
export function skipped(title: string, { unsupported }: Unsupported): void {
  process.stdout.write(`Skipped: ${title}: ${unsupported}\n`);
  it.skip(`${title}: ${unsupported}`, () => undefined);
}
