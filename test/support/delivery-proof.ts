import { setTimeout as pause } from 'node:timers/promises';
import { decodeId } from '@idsync/contracts';
import type { DirectoryFixture } from '@idsync/testing';

/**
 * Records in `broken_fences` of a node every invalid write of a dispatcher: a change after the end, a result from an outdated
 * attempt, a lease taken before its expiry, or a wrong attempt number.
 */
export async function watchFences(node: DirectoryFixture): Promise<void> {
  const [citus] = await node.rows(`select from pg_extension where extname = 'citus'`);
  // Triggers of distributed tables are those of their shards.
  const suffix = citus ? '_\\d+' : '';
  const allowed = citus
    ? 'set local citus.enable_ddl_propagation = off; set local citus.enable_manual_changes_to_shards = on;'
    : '';
  await node.rows(`
    ${allowed}
    create table broken_fences (what text not null, delivery_id uuid not null, detail text not null);
    create function watch_delivery() returns trigger language plpgsql security definer as $$
    begin
      if old.status <> 'pending' then
        insert into broken_fences values ('an ended delivery changed', old.id, row_to_json(old) || ' ' || row_to_json(new));
      end if;
      if new.tries not in (old.tries, old.tries + 1) then
        insert into broken_fences values ('tries went astray', old.id, old.tries || ' to ' || new.tries);
      end if;
      if new.tries = old.tries + 1 and old.lease_until >= now() then
        insert into broken_fences values ('a live lease was taken', old.id, old.lease_until::text);
      end if;
      if new.attempts <> old.attempts and (old.lease_until is null or new.tries <> old.tries) then
        insert into broken_fences values ('an attempt ended without a lease', old.id, row_to_json(old)::text);
      end if;
      return null;
    end $$;
    create function watch_attempt() returns trigger language plpgsql security definer as $$
    declare
      deliveries text := 'webhook_deliveries';
      current_tries integer;
    begin
      if tg_table_name ~ '\\d$' then
        select 'webhook_deliveries_' || d.shardid into deliveries from pg_dist_shard a join pg_dist_shard d using (shardminvalue)
         where a.shardid = substring(tg_table_name from '\\d+$')::bigint and d.logicalrelid = 'webhook_deliveries'::regclass;
      end if;
      execute format('select tries from %I where id = $1', deliveries) into current_tries using new.delivery_id;
      if old.outcome is not null then
        insert into broken_fences values ('an ended attempt changed', old.delivery_id, row_to_json(old) || ' ' || row_to_json(new));
      end if;
      if new.outcome <> 'unknown' and new.number <> current_tries then
        insert into broken_fences values ('a lost attempt wrote its end', new.delivery_id, row_to_json(new)::text);
      end if;
      return null;
    end $$;
    create function watch_gone() returns trigger language plpgsql security definer as $$
    begin
      insert into broken_fences values (tg_table_name || ' lost a row', gen_random_uuid(), row_to_json(old)::text);
      return null;
    end $$;
    do $$
    declare
      name text;
    begin
      for name in select relname from pg_class
         where relkind = 'r' and relname ~ '^(webhook_deliveries|webhook_attempts|events)${suffix}$' loop
        if name ~ '^webhook' then
          execute format('create trigger watch after update on %I for each row execute function %I()', name,
                         case when name ~ 'deliveries' then 'watch_delivery' else 'watch_attempt' end);
        end if;
        execute format('create trigger watch_gone after delete on %I for each row execute function watch_gone()', name);
      end loop;
    end $$`);
}

/** Pairs of an event and a webhook that must get it, computed from the subscriptions without the code under test. */
const wanted = `
  wanted as (
    select w.id as webhook_id, e.tenant_id, e.sequence, e.id as event_id from webhooks w join events e using (tenant_id)
     where exists (select from unnest(w.events) as pattern
                    where pattern in ('*', e.type) or (pattern like '%.*' and starts_with(e.type, trim(trailing '*' from pattern)))))`;

const unfinished = `
  with ${wanted}
  select (select count(*)::int from wanted left join webhook_deliveries d
            on d.tenant_id = wanted.tenant_id and d.webhook_id = wanted.webhook_id and d.event_sequence = wanted.sequence
           where d.status is distinct from 'delivered') as "undelivered",
         (select count(*)::int from sync_jobs where status in ('queued', 'running')) as jobs,
         (select count(*)::int from outbox) as announced,
         (select count(*)::int from bus_messages where dead_at is null) as messages,
         (select count(*)::int from events) as events`;

/** Waits until all work has ended; throws an error with the unfinished work after the time limit. */
export async function settled(admin: DirectoryFixture, withinMs: number): Promise<void> {
  let before = -1;
  for (const end = Date.now() + withinMs; ; await pause(500)) {
    const [left] = await admin.rows<Record<string, number>>(unfinished).catch(() => []);
    const { events = 0, ...open } = left ?? {};
    const still = left !== undefined && Object.values(open).every((count) => count === 0);
    // The end of a job may enqueue more work, so the same state must be seen twice.
    if (still && events === before) return;
    before = still ? events : -1;
    if (Date.now() > end) throw new Error(`not settled after ${withinMs} ms: ${JSON.stringify(left)}`);
  }
}

export interface Wanted {
  webhookId: string;
  eventId: string;
}

export function wantedPairs(admin: DirectoryFixture): Promise<Wanted[]> {
  return admin.rows<Wanted>(`with ${wanted} select webhook_id as "webhookId", event_id as "eventId" from wanted`);
}

/** Returns the rows that violate each invariant; all are empty if everything is correct. */
export async function brokenInvariants(
  admin: DirectoryFixture,
  nodes: readonly DirectoryFixture[] = [admin],
): Promise<Record<string, object[]>> {
  const all = [...nodes.map((node) => [node, fences] as const), [admin, invariants] as const];
  const checks = all.flatMap(([node, each]) => Object.entries(each).map(([name, sql]) => ({ node, name, sql })));
  const broken = checks.map(async ({ node, name, sql }) => {
    const rows = await node.rows(sql);
    return rows.length > 0 ? [[name, rows.slice(0, 5)] as const] : [];
  });
  return Object.fromEntries((await Promise.all(broken)).flat());
}

const fences = {
  'an invalid write of a dispatcher': 'select what, delivery_id, left(detail, 800) as detail from broken_fences',
};

const invariants = {
  'an unsubscribed or duplicate delivery': `
    with ${wanted}
    select d.webhook_id, d.event_sequence, count(*) from webhook_deliveries d
      left join wanted on wanted.tenant_id = d.tenant_id and wanted.webhook_id = d.webhook_id and wanted.sequence = d.event_sequence
     group by d.tenant_id, 1, 2 having count(*) <> 1 or count(wanted.webhook_id) <> 1`,
  'a gap in the event sequence of a tenant': `
    select e.tenant_id, count(*), min(e.sequence), max(e.sequence), s.last from events e join event_sequences s using (tenant_id)
     group by e.tenant_id, s.last having min(e.sequence) <> 1 or max(e.sequence) <> count(*) or s.last <> count(*)`,
  'an attempt without an outcome': 'select delivery_id, number from webhook_attempts where outcome is null',
  'attempts not numbered from 1 to tries': `
    select d.id, d.tries, count(a.number) from webhook_deliveries d left join webhook_attempts a on a.tenant_id = d.tenant_id and a.delivery_id = d.id
     group by d.tenant_id, d.id having count(a.number) <> d.tries or min(a.number) <> 1 or max(a.number) <> d.tries`,
  'a delivery without exactly one, final success': `
    select d.id, d.status, d.tries, array_agg(a.outcome order by a.number) as outcomes
      from webhook_deliveries d left join webhook_attempts a on a.tenant_id = d.tenant_id and a.delivery_id = d.id
     group by d.tenant_id, d.id having count(*) filter (where a.outcome = 'delivered') <> 1
        or max(a.number) filter (where a.outcome = 'delivered') <> d.tries or d.status <> 'delivered'`,
  'attempts that differ from the number of known outcomes': `
    select d.id, d.attempts from webhook_deliveries d left join webhook_attempts a on a.tenant_id = d.tenant_id and a.delivery_id = d.id
     group by d.tenant_id, d.id having count(*) filter (where a.outcome <> 'unknown') <> d.attempts`,
  'an hour whose count differs from its attempts': `
    select * from webhook_hours full join (
        select tenant_id, date_trunc('hour', ended_at) as hour, webhook_id, outcome, count(*) as ended
          from webhook_attempts where outcome is not null group by 1, 2, 3, 4) as each
     using (tenant_id, hour, webhook_id, outcome)
     where attempts is distinct from ended`,
  'a dead-lettered message': `
    select queue, type, dead_reason from bus_messages where dead_at is not null`,
};

export interface Counts {
  facts: number;
  deliveries: number;
  attempts: number;
  unknown: number;
}

export async function counts(admin: DirectoryFixture): Promise<Counts> {
  const [row] = await admin.rows<Counts>(
    `select (select count(*)::int from events) as facts, (select count(*)::int from webhook_deliveries) as deliveries,
            (select count(*)::int from webhook_attempts) as attempts,
            (select count(*)::int from webhook_attempts where outcome = 'unknown') as unknown`,
  );
  return row as Counts;
}

/** Returns how many of these jobs have ended with their event. */
export async function endedJobs(admin: DirectoryFixture, jobs: Iterable<string>): Promise<number> {
  const [row] = await admin.rows<{ count: number }>(
    `select count(*)::int as count from sync_jobs j where id = any($1) and exists (
       select from events e where e.tenant_id = j.tenant_id and e.job_id = j.id
          and e.type in ('sync.job.completed', 'sync.job.failed', 'sync.job.quarantined', 'sync.job.cancelled'))`,
    [[...jobs].map((job) => decodeId('job', job))],
  );
  return row?.count ?? 0;
}

/** Returns all `details.mark` values of events. */
export async function recordedMarks(admin: DirectoryFixture): Promise<Set<string>> {
  const rows = await admin.rows<{ mark: string }>(`select details->>'mark' as mark from events where details ? 'mark'`);
  return new Set(rows.map(({ mark }) => mark));
}
