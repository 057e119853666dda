import { Header } from '@nestjs/common';

/**
 * For handlers that return JSON as text or as a `Buffer`: sends JSON that PostgreSQL has rendered without parsing it
 * again. Text costs less than a large buffer, whose memory outside the heap makes collections more frequent.
 */
export const JsonText = () => Header('content-type', 'application/json; charset=utf-8');
