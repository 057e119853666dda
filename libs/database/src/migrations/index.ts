import type { MigrationInterface } from 'typeorm';
import { Baseline1700000000001 } from './1700000000001-baseline.js';
import { GroupKeys1700000000002 } from './1700000000002-group-keys.js';
import { GroupsByKey1700000000003 } from './1700000000003-groups-by-key.js';
import { GroupsByName1700000000004 } from './1700000000004-groups-by-name.js';
import { RecordsByLastJob1796078400001 } from './1796078400001-records-by-last-job.js';

/** Oldest first. */
export const migrations: (new () => MigrationInterface)[] = [
  Baseline1700000000001,
  GroupKeys1700000000002,
  GroupsByKey1700000000003,
  GroupsByName1700000000004,
  RecordsByLastJob1796078400001,
];
