import { isUuid } from '@idsync/contracts';
import type { DeliveryPosition, Position } from '@idsync/database/gateway';
import { badRequest } from '../http/api-error.js';

/** Encodes a position in a list as opaque text. */
export function writeCursor({ createdAt, id }: Position): string {
  return encode(createdAt, id);
}

/** Returns undefined for an empty cursor, which requests the first page. Throws a 400 for an invalid cursor. */
export function readCursor(text: string): Position | undefined {
  if (text === '') return undefined;
  const { number, id } = decode(text);
  return { createdAt: number, id };
}

export function writeDeliveryCursor({ sequence, webhookId }: DeliveryPosition): string {
  return encode(sequence, webhookId);
}

export function readDeliveryCursor(text: string): DeliveryPosition | undefined {
  if (text === '') return undefined;
  const { number, id } = decode(text);
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

function decode(text: string): { number: number; id: string } {
  const [number = '', id = '', ...rest] = Buffer.from(text, 'base64url').toString('utf8').split(' ');
  if (!/^\d{1,15}$/.test(number) || !isUuid(id) || rest.length > 0) throw invalidCursor();
  return { number: Number(number), id };
}

export const invalidCursor = () => badRequest('cursor must be the next_cursor of an earlier page');
