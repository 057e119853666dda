import { createServer, type Socket } from 'node:net';
import { elementsOf, integerOf, MessageStream } from '../src/ldap/ldap-messages.js';

/** The parts of a client request that tests need. */
export interface Asked {
  id: number;
  kind: 'bind' | 'search' | 'extended' | 'other';
  base: string;
  /** The encoded filter in hexadecimal digits. */
  filter: string;
  /** The cookie of a paged search; absent without paging. */
  cookie?: string;
  attributes: string[];
  /** Whether only attribute names are requested (typesOnly). */
  namesOnly: boolean;
}

const kinds: Readonly<Record<number, Asked['kind']>> = { 96: 'bind', 99: 'search', 119: 'extended' };

/** Starts an LDAP server that returns the bytes a test provides. */
export async function fakeDirectory(answer: (asked: Asked, socket: Socket) => Buffer[] | undefined) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    const stream = new MessageStream();
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (chunk) => {
      for (const bytes of stream.feed(chunk)) {
        for (const part of answer(asked(bytes), socket) ?? []) socket.write(part);
      }
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  return {
    url: `ldap://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    sockets,
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}

function asked(bytes: Buffer): Asked {
  const [envelope] = elementsOf(bytes);
  const [id, operation, controls] = elementsOf(envelope?.content ?? bytes);
  const kind = kinds[operation?.tag ?? 0] ?? 'other';
  const parts = kind === 'search' ? elementsOf(operation?.content ?? bytes) : [];
  const names = parts[7] ? elementsOf(parts[7].content) : [];
  const cookie = controls && cookieOf(controls.content);
  return {
    id: id ? integerOf(id) : 0,
    kind,
    base: parts[0]?.content.toString() ?? '',
    filter: parts[6]?.content.toString('hex') ?? '',
    attributes: names.map(({ content }) => content.toString()),
    namesOnly: (parts[5]?.content[0] ?? 0) !== 0,
    ...(cookie !== undefined && { cookie }),
  };
}

function cookieOf(controls: Buffer): string | undefined {
  const [control] = elementsOf(controls);
  const value = control && elementsOf(control.content).at(-1);
  const [pair] = value ? elementsOf(value.content) : [];
  return pair && elementsOf(pair.content)[1]?.content.toString();
}

export function element(tag: number, ...content: (Buffer | string)[]): Buffer {
  const body = Buffer.concat(content.map((part) => Buffer.from(part as string)));
  const header = Buffer.alloc(6);
  header.writeUInt8(tag);
  header.writeUInt8(0x84, 1);
  header.writeUInt32BE(body.length, 2);
  return Buffer.concat([header, body]);
}

const number = (value: number, tag = 0x02) => element(tag, Buffer.from([value >> 24, value >> 16, value >> 8, value]));
const message = (id: number, operation: Buffer, ...rest: Buffer[]) => element(0x30, number(id), operation, ...rest);

/** Encodes the result of an operation, with a cookie for one page of a search. */
export function result(
  asked: { id: number; kind: string },
  code: number,
  { text = '', cookie }: { text?: string; cookie?: string } = {},
): Buffer {
  const tag = asked.kind === 'bind' ? 0x61 : asked.kind === 'search' ? 0x65 : 0x78;
  const operation = element(tag, element(0x0a, Buffer.from([code])), element(0x04), element(0x04, text));
  if (cookie === undefined) return message(asked.id, operation);
  const value = element(0x30, number(0), element(0x04, cookie));
  const control = element(0x30, element(0x04, '1.2.840.113556.1.4.319'), element(0x04, value));
  return message(asked.id, operation, element(0xa0, control));
}

export function entry(asked: { id: number }, dn: string, attributes: Record<string, (Buffer | string)[]>): Buffer {
  const list = Object.entries(attributes).map(([name, values]) =>
    element(0x30, element(0x04, name), element(0x31, ...values.map((value) => element(0x04, value)))),
  );
  return message(asked.id, element(0x64, element(0x04, dn), element(0x30, ...list)));
}
