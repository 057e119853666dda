import { Header } from '@nestjs/common';

/** For handlers that return JSON as a `Buffer`: sends JSON that PostgreSQL has rendered without parsing it again. */
export const JsonText = () => Header('content-type', 'application/json; charset=utf-8');
