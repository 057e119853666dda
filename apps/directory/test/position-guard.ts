import type { DirectoryFixture } from '@idsync/testing';

/** Tables from which lists are read. */
const listed = ['identities', 'source_records', 'directory_counters', 'list_positions', 'identity_redirects'];

/**
 * Makes a transaction fail at its commit if it changes a table of lists, but not the tenant's event sequence. A setting
 * of the transaction records the change of the sequence, because row versions of savepoints have their own ids.
 */
export async function guardPositions(fixture: DirectoryFixture): Promise<void> {
  await fixture.rows(`
    create function note_position() returns trigger language plpgsql as $$
    begin
      if (new.last, new.last_at) is distinct from (old.last, old.last_at) then
        perform set_config('idsync_test.moved', new.tenant_id::text, true);
      end if;
      return new;
    end $$;
    create trigger note_position before update on event_sequences for each row execute function note_position();
    create function check_position() returns trigger language plpgsql as $$
    declare tenant uuid := case when tg_op = 'DELETE' then old.tenant_id else new.tenant_id end;
    begin
      if tg_op = 'UPDATE' and new is not distinct from old then return null; end if;
      if current_setting('idsync_test.moved', true) is distinct from tenant::text then
        raise exception '% of % moved no position', tg_op, tg_table_name;
      end if;
      return null;
    end $$;
    ${listed
      .map(
        (table) => `create constraint trigger check_position after insert or update or delete on ${table}
          deferrable initially deferred for each row execute function check_position();`,
      )
      .join('\n')}
  `);
}
