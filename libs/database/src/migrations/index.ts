import type { MigrationInterface } from 'typeorm';
import { Baseline1700000000001 } from './1700000000001-baseline.js';

/** Oldest first. */
export const migrations: (new () => MigrationInterface)[] = [Baseline1700000000001];
