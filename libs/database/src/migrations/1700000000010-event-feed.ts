import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keys that were issued for everything there was may read the feed too: it tells what their webhooks are sent anyway. */
export class EventFeed1700000000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(down);
  }
}

// Row-level security is forced on the table's owner too, who names no tenant here.
const up = `
alter table api_keys no force row level security;
update api_keys set scopes = scopes || array['events:read']
 where scopes @> array['identities:read', 'users:read', 'sync:read', 'sync:write', 'webhooks:read', 'webhooks:write']
   and not 'events:read' = any(scopes);
alter table api_keys force row level security;
`;

const down = `
alter table api_keys no force row level security;
update api_keys set scopes = array_remove(scopes, 'events:read') where 'events:read' = any(scopes);
alter table api_keys force row level security;
`;
