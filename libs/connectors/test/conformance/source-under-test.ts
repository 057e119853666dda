import { it } from '@jest/globals';
import type { Connector } from '../../src/connector.js';
import type { Asked, Handler, Reply, TestServer } from '../http-server.js';
import type { Wire } from '../wire.js';

/** Whom the tests write into a source. */
export interface Person {
  id: string;
  /** Changes where somebody is renamed; `id` never does. */
  login: string;
  /** What the connector under test gives as `display_name`; the kit knows people by it. */
  name: string;
  enabled: boolean;
}

/** What a source has not got, or cannot show, and why. The kit tests what can be tested of that instead. */
export interface Lacking {
  lacks: string;
}

/** What is asked of whoever describes a source to the kit. */
export interface SourceUnderTest {
  name: string;
  /** A connector as another process would make it, with few and short pauses (`quick`). Its pages have to show `login` and `name`. */
  open(): Connector;
  /** From now on these are all there are, in an order that stays. */
  fill(people: readonly Person[]): void | Promise<void>;
  /** Names of records that there are whoever is filled in. */
  always?: readonly string[];
  /** What a source without anybody is taken for. */
  nobody: 'complete' | 'refused';
  /** What must stand in no page, cursor, checkpoint or message. */
  secrets: readonly string[];
  /** Names that `discover` has to show. */
  discovers: readonly string[] | Lacking;
  /** Whether it tells of one record; then an id that nobody has, as the source writes its ids. */
  readsOne: { stranger: string } | Lacking;
  changes: Changes | Lacking;
  /** A source with the people, and among them a record of which nothing can be made. */
  bad: { withoutId: Spoiled; ofWrongType: Spoiled; tooLarge: Spoiled };
  reached: OverHttp | OverTcp | FromFiles | FromOurselves;
  /** Of each property; less where a real server takes its time. */
  runs?: number;
}

/** `open()` reads it unless another connector is given. */
export type Spoiled = ((people: readonly Person[]) => Connector | Promise<Connector>) | Lacking;

export interface Changes {
  /**
   * What is told of since a checkpoint: `everything`; `who_is_there`, so that who is gone is missed by the next full read only;
   * `until_somebody_goes`, after which the checkpoint is expired; `that_there_are_none`, after anything else it is expired.
   */
  tell: 'everything' | 'who_is_there' | 'until_somebody_goes' | 'that_there_are_none';
  /** Adds, or changes the one of the same id, whose login may be another now. */
  put(person: Person): void | Promise<void>;
  remove(id: string): void | Promise<void>;
  /** Makes all checkpoints of before too old. */
  expire: (() => void | Promise<void>) | Lacking;
}

/** A service of HTTP. The kit serves its answers, and spoils them. */
export interface OverHttp {
  over: 'http';
  server: TestServer;
  /** As the service answers. */
  answer: Handler;
  /** Which list a request is for, where its answer is part of what proves the enumeration complete. */
  listOf(asked: Asked): string | undefined;
  /** Items of an answer; `Lacking` where the connector asks for as many as it wants. */
  answerSize: ((items: number) => void) | Lacking;
  /** Whether a refused credential is had anew, once; then how a request for one is known. */
  renewal: ((asked: Asked) => boolean) | Lacking;
  lies: Lies | Lacking;
}

/** What a service may say in place of a genuine answer of a list. */
export interface Lies {
  withoutList: ((reply: Reply) => Reply) | Lacking;
  /** Of the middle; says nothing of anybody, and ends the list. */
  emptied: ((reply: Reply) => Reply) | Lacking;
  /** Has what is in `earlier`, of the same list, once more. */
  repeating: ((reply: Reply, earlier: Reply) => Reply) | Lacking;
  /** Has nothing, and leads to what was asked for by a cursor that is another for each `nth`. */
  emptyBefore: ((reply: Reply, asked: Asked, nth: number) => Reply) | Lacking;
  /** Leads to this link. */
  leadingTo: ((reply: Reply, link: string) => Reply) | Lacking;
  /** A cursor is too old. */
  expired: Reply | Lacking;
}

/** A server of another protocol: `open()` reaches it through the wire, whose bytes the kit counts and cuts. */
export interface OverTcp {
  over: 'tcp';
  wire(): Wire;
}

/** What is read stands with us; whoever asks for it is cut off by nobody else. */
export interface FromOurselves {
  over: 'ourselves';
}

export interface FromFiles {
  over: 'files';
  /** Of a file that ends in the middle of the entry of the nth person, counted from 0. */
  cutWithin(people: readonly Person[], nth: number): Connector;
  /** Paths of the source that this process holds open. */
  held(): readonly string[];
}

export function isLacking(trait: unknown): trait is Lacking {
  return typeof trait === 'object' && trait !== null && 'lacks' in trait;
}

/** A test that cannot be made with this source: it is seen in the report, and so is why. */
export function skipped(title: string, { lacks }: Lacking): void {
  process.stdout.write(`Skipped: ${title}: ${lacks}\n`);
  it.skip(`${title}: ${lacks}`, () => undefined);
}
