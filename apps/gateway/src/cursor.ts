import { isUuid } from '@idsync/contracts';
import type { DeliveryPosition, Position } from '@idsync/database';
import { badRequest } from './api-error.js';

/** A place in a list as the opaque text clients hand back. */
export function writeCursor({ createdAt, id }: Position): string {
  return writePlace(createdAt, id);
}

/** Undefined for an empty cursor, which asks for the first page. Throws a 400 for a text that is no cursor. */
export function readCursor(text: string): Position | undefined {
  if (text === '') return undefined;
  const { number, id } = readPlace(text);
  return { createdAt: number, id };
}

export function writeDeliveryCursor({ sequence, webhookId }: DeliveryPosition): string {
  return writePlace(sequence, webhookId);
}

export function readDeliveryCursor(text: string): DeliveryPosition | undefined {
  if (text === '') return undefined;
  const { number, id } = readPlace(text);
  return { sequence: number, webhookId: id };
}

/** The cursor of a history is the sequence number it has come to. */
export function readSequence(text: string): number | undefined {
  if (text === '') return undefined;
  const sequence = Buffer.from(text, 'base64url').toString('utf8');
  if (!/^\d{1,15}$/.test(sequence)) throw notACursor();
  return Number(sequence);
}

export function writeSequence(sequence: number): string {
  return Buffer.from(String(sequence)).toString('base64url');
}

function writePlace(number: number, id: string): string {
  return Buffer.from(`${number} ${id}`).toString('base64url');
}

function readPlace(text: string): { number: number; id: string } {
  const [number = '', id = '', ...rest] = Buffer.from(text, 'base64url').toString('utf8').split(' ');
  if (!/^\d{1,15}$/.test(number) || !isUuid(id) || rest.length > 0) throw notACursor();
  return { number: Number(number), id };
}

export const notACursor = () => badRequest('cursor must be a cursor of an earlier page');
