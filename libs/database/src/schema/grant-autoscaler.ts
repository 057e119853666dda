// SQL by hand: roles, catalogues and DDL have no entities.
import type { QueryRunner } from 'typeorm';

/** Role of an autoscaler. An administrator creates it if one is used; no service uses it. */
export const autoscalerRole = 'idsync_autoscaler';

/** Allows the autoscaler's role, if it exists, to connect and to read its two views only. */
export async function grantAutoscaler(runner: QueryRunner): Promise<void> {
  await runner.query(`
    do $$ begin
      if exists (select from pg_roles where rolname = '${autoscalerRole}') then
        execute format('grant connect on database %I to ${autoscalerRole}', current_database());
        grant usage on schema public to ${autoscalerRole};
        grant select on autoscaling_sync_worker, autoscaling_webhook_dispatcher to ${autoscalerRole};
      end if;
    end $$`);
}
