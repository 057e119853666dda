import type { MigrationInterface } from 'typeorm';
import { Baseline1700000000001 } from './1700000000001-baseline.js';
import { RecordsByLastJob1796078400001 } from './1796078400001-records-by-last-job.js';

/** Oldest first. */
export const migrations: (new () => MigrationInterface)[] = [Baseline1700000000001, RecordsByLastJob1796078400001];
