import type { LifecyclePolicy } from '@idsync/contracts';
import type { CliCommand } from '../cli-command.js';
import { operationExitCodes } from '../operation-outcome.js';
import type { Session } from '../session.js';
import { addSettings } from './settings.js';

const example = `
Example: dates are days in Oslo, but those of one connector in New York; a leaver is deleted after 60 days:
  {"time_zone":"Europe/Oslo","grace_days":60,
   "connector_time_zones":[{"connector_id":"con_…","time_zone":"America/New_York"}]}
  $ idsync lifecycle set --file lifecycle.json
${operationExitCodes}`;

export function addLifecycleCommands(program: CliCommand): void {
  addSettings(program.add('lifecycle', "see and change a tenant's rules for dates and leavers"), {
    path: 'lifecycle-policy',
    show: 'show time zones, and how long leavers and deleted records stay',
    set: 'replace the rules and compute all statuses again; an absent rule gets its default',
    help: example,
    file: 'lifecycle.json',
    content: 'the rules',
    print,
  });
}

function print(session: Session, policy: LifecyclePolicy): void {
  const { connector_time_zones: zones, connector_employments: employments, ...rest } = policy;
  session.printOne(rest);
  if (zones.length > 0) session.printTable(zones, [['connector', 'connector_id'], 'time_zone']);
  if (employments.length > 0)
    session.printTable(employments, [
      ['connector', 'connector_id'],
      ['lists employments', 'employments'],
    ]);
}
