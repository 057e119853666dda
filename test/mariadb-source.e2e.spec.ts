import { hasMariaDb, mariaDbServer } from '../libs/connectors/test/sql-server.js';
import { describeWith } from './support/followed-source.js';
import { followPeopleInSql } from './support/people-in-sql.js';

describeWith(hasMariaDb(), 'people in MariaDB: MariaDB is not installed')('people in MariaDB', () =>
  followPeopleInSql(async () => {
    const server = await mariaDbServer();
    return {
      server,
      teams: `group_concat(t.name order by t.name separator '|')`,
      down: () => server.server.kill(),
      up: () => server.server.up(),
    };
  }),
);
