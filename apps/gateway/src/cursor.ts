import { isUuid } from '@idsync/contracts';
import type { Position } from '@idsync/database';
import { badRequest } from './api-error.js';

/** A place in a list as the opaque text clients hand back. */
export function writeCursor(position: Position): string {
  return Buffer.from(`${position.createdAt} ${position.id}`).toString('base64url');
}

/** Undefined for an empty cursor, which asks for the first page. Throws a 400 for a text that is no cursor. */
export function readCursor(text: string): Position | undefined {
  if (text === '') return undefined;
  const [time = '', id = '', ...rest] = Buffer.from(text, 'base64url').toString('utf8').split(' ');
  if (!/^\d{1,15}$/.test(time) || !isUuid(id) || rest.length > 0) {
    throw badRequest('cursor must be a cursor of an earlier page');
  }
  return { createdAt: Number(time), id };
}

/** The cursor of a history is the sequence number it has come to. */
export function readSequence(text: string): number | undefined {
  if (text === '') return undefined;
  const sequence = Buffer.from(text, 'base64url').toString('utf8');
  if (!/^\d{1,15}$/.test(sequence)) throw badRequest('cursor must be a cursor of an earlier page');
  return Number(sequence);
}

export function writeSequence(sequence: number): string {
  return Buffer.from(String(sequence)).toString('base64url');
}
