import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the scope of the event feed to keys that have all other scopes, since their webhooks receive the same events.
 */
export class EventFeed1700000000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(down);
  }
}

// Row-level security is also forced on the table's owner, whose transaction has no tenant.
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
