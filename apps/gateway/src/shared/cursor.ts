import { isUuid } from '@idsync/contracts';
import type { DeliveryPosition, Position } from '@idsync/database/gateway';
import { badRequest } from '../http/api-error.js';

/** Encodes a position in a list as opaque text. */
export function writeCursor({ createdAt, id, along, isSpelled, risk }: Position): string {
  const order = `${along ?? ''}${isSpelled ? 's' : ''}${risk === undefined ? '' : `r${risk}`}`;
  return encode(createdAt, order === '' ? id : `${id} ${order}`);
}

/** Returns undefined for an empty cursor, which requests the first page. Throws a 400 for an invalid cursor. */
export function readCursor(text: string): Position | undefined {
  if (text === '') return undefined;
  const { number, id, rest } = decode(text);
  const [order] = rest;
  if (order === undefined) return { createdAt: number, id };
  const [, along, isSpelled, risk] = /^(\d{1,2})?(s)?(?:r(-1|\d{1,3}))?$/.exec(order) ?? [];
  if (rest.length > 1 || (along ?? isSpelled ?? risk) === undefined) throw invalidCursor();
  return {
    createdAt: number,
    id,
    ...(along !== undefined && { along: Number(along) }),
    ...(isSpelled && { isSpelled: true }),
    ...(risk !== undefined && { risk: Number(risk) }),
  };
}

export function writeDeliveryCursor({ sequence, webhookId }: DeliveryPosition): string {
  return encode(sequence, webhookId);
}

export function readDeliveryCursor(text: string): DeliveryPosition | undefined {
  if (text === '') return undefined;
  const { number, id, rest } = decode(text);
  if (rest.length > 0) throw invalidCursor();
  return { sequence: number, webhookId: id };
}

/** The cursor of a history is the sequence number of the last event. */
export function readSequence(text: string): number | undefined {
  if (text === '') return undefined;
  const sequence = Buffer.from(text, 'base64url').toString('utf8');
  if (!/^\d{1,15}$/.test(sequence)) throw invalidCursor();
  return Number(sequence);
}

export function writeSequence(sequence: number): string {
  return Buffer.from(String(sequence)).toString('base64url');
}

function encode(number: number, id: string): string {
  return Buffer.from(`${number} ${id}`).toString('base64url');
}

function decode(text: string): { number: number; id: string; rest: string[] } {
  const [number = '', id = '', ...rest] = Buffer.from(text, 'base64url').toString('utf8').split(' ');
  if (!/^\d{1,15}$/.test(number) || !isUuid(id)) throw invalidCursor();
  return { number: Number(number), id, rest };
}

export const invalidCursor = () => badRequest('cursor must be the next_cursor of an earlier page');
