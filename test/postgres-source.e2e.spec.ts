import { describe } from '@jest/globals';
import { postgresServer } from '../libs/connectors/test/sql-server.js';
import { followPeopleInSql } from './support/people-in-sql.js';

describe('people in PostgreSQL', () =>
  followPeopleInSql(async () => {
    // All tests share the server, so only the connection to it is interrupted.
    const stays = async () => undefined;
    const server = await postgresServer();
    return { server, teams: `string_agg(t.name, '|' order by t.name)`, down: stays, up: stays };
  }));
