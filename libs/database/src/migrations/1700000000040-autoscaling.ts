import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds two views of one row each for an autoscaler. They run with the rights of their owner, so the autoscaler's login
 * needs no access to tables.
 */
export class Autoscaling1700000000040 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(up);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop view autoscaling_sync_worker; drop view autoscaling_webhook_dispatcher');
  }
}

const up = `
create view autoscaling_sync_worker as
  select count(distinct connector_id)::float8 as connectors_with_jobs from sync_jobs where status in ('queued', 'running');

create view autoscaling_webhook_dispatcher as
  select coalesce(max(extract(epoch from now() - due.due_at)), 0)::float8 as seconds_due
    from webhooks w left join webhook_endpoints e on e.webhook_id = w.id
   cross join lateral (
     (select due_at from webhook_deliveries where webhook_id = w.id and status = 'pending' and not is_retry
         and (lease_until is null or lease_until < now()) order by event_sequence limit 1)
     union all
     (select due_at from webhook_deliveries where webhook_id = w.id and status = 'pending' and is_retry
         and due_at <= now() and (lease_until is null or lease_until < now()) order by due_at limit 1)) as due
   where w.active and (e.open_until is null or e.open_until < now());
`;
